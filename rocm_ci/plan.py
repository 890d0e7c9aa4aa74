"""(Event, Config, Changes, Facts) → what runs and why. Pure."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.model.plan import Plan, StageName, Step

if TYPE_CHECKING:
    from rocm_ci.config.options import Config, PerfOptions, TestOptions
    from rocm_ci.model.changes import Changes, FileChange
    from rocm_ci.model.event import Event
    from rocm_ci.model.facts import Facts

_PROSE = {".md", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".drawio"}
_PROSE_NAMES = {"LICENSE", "LICENCE", "NOTICE", "AUTHORS", "CODEOWNERS", "CITATION.cff", ".mailmap"}

# What a narrowed run leaves to others: `report.parts` looks whether they did it.
ONLY_A_SUITE = "only a test suite was asked for"
ONLY_A_BENCH = "only a benchmark was asked for"


def plan(event: Event, config: Config, changes: Changes, facts: Facts) -> Plan:
    """Decide every stage. Each step carries the reason that the report shows."""
    if not changes.whole_tree and changes.files and all(_only_prose(f) for f in changes.files):
        reason = "only documentation changed"
        steps = tuple(Step(stage=stage, run=False, reason=reason) for stage in StageName)
        return Plan(steps=steps, neutral_reason=reason)
    if not changes.whole_tree and not changes.files:
        reason = "nothing changed against the base"
        steps = tuple(Step(stage=stage, run=False, reason=reason) for stage in StageName)
        return Plan(steps=steps, neutral_reason=reason)
    lack = unknown(event, config)
    if lack:
        # Without a neutral reason a plan of which nothing runs is an ERROR.
        return Plan(steps=tuple(Step(stage=stage, run=False, reason=lack) for stage in StageName))
    return Plan(steps=tuple(_step(stage, event, config, facts) for stage in StageName))


def asks_for_suite(event: Event, suite: TestOptions) -> bool:
    """Whether a run includes a suite: named itself, or by its layer."""
    return not event.is_partial or event.suite in ("*", suite.name, suite.layer.value)


def asks_for_bench(event: Event, bench: PerfOptions) -> bool:
    """Whether a run includes a benchmark."""
    return not event.is_partial or event.bench in ("*", bench.name)


def unknown(event: Event, config: Config) -> str:
    """Why what was asked for cannot run, or nothing: nobody may take a run of nothing for a green one."""
    if event.suite and not any(asks_for_suite(event, one) for one in config.test):
        return _is_not_there("test suite", event.suite, [one.name for one in config.test])
    if event.bench and not any(asks_for_bench(event, one) for one in config.perf):
        return _is_not_there("benchmark", event.bench, [one.name for one in config.perf])
    return ""


def _is_not_there(what: str, wanted: str, names: list[str]) -> str:
    if not names:
        return f"no {what} is configured"
    return f"no {what} is called {wanted!r}; there are: {', '.join(names[:10])}"


def _step(stage: StageName, event: Event, config: Config, facts: Facts) -> Step:
    def runs(reason: str) -> Step:
        return Step(stage=stage, run=True, reason=reason)

    def not_run(reason: str) -> Step:
        return Step(stage=stage, run=False, reason=reason)

    if stage is StageName.PREFLIGHT:
        return runs(f"{len(facts.gpus)} AMD GPU(s) on this machine")
    if stage.value not in config.stages:
        return not_run("not in `stages` of the configuration")
    match stage:
        case StageName.SCAN:
            return runs("added lines" if event.merge_base else "the whole tree: there is no base")
        case StageName.BUILD:
            return runs("configured" if config.build else "detected from the project's files")
        case StageName.KERNELS:
            return runs("the build's artifacts")
        case StageName.TEST:
            return _tests(event, config)
        case StageName.PERF:
            return _benchmarks(event, config)


def _tests(event: Event, config: Config) -> Step:
    suites = [one for one in config.test if asks_for_suite(event, one)]
    reason = f"{len(suites)} suite(s)" if suites else "no test suite is configured"
    if config.test and event.bench and not event.suite:
        suites, reason = [], ONLY_A_BENCH
    return Step(stage=StageName.TEST, run=bool(suites), reason=reason)


def _benchmarks(event: Event, config: Config) -> Step:
    benches = [one for one in config.perf if asks_for_bench(event, one)]
    lack = ""
    if not config.perf:
        lack = "no benchmark is configured"
    elif not event.merge_base:
        lack = "there is no base to compare with"
    elif event.suite and not event.bench:
        lack = ONLY_A_SUITE
    reason = lack or f"{len(benches)} benchmark(s) against the merge base"
    return Step(stage=StageName.PERF, run=not lack, reason=reason)


def _only_prose(file: FileChange) -> bool:
    """Whether no side of a change is anything but documentation: a source renamed to `x.md` is gone."""
    return _is_prose(file.path) and (file.old_path is None or _is_prose(file.old_path))


def _is_prose(path: str) -> bool:
    name = PurePosixPath(path)
    return name.suffix.lower() in _PROSE or name.name in _PROSE_NAMES
