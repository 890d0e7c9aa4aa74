"""(Event, Config, Changes, Facts) → what runs and why. Pure."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.model.plan import Plan, StageName, Step

if TYPE_CHECKING:
    from rocm_ci.config.options import Config
    from rocm_ci.model.changes import Changes, FileChange
    from rocm_ci.model.event import Event
    from rocm_ci.model.facts import Facts

_PROSE = {".md", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".drawio"}
_PROSE_NAMES = {"LICENSE", "LICENCE", "NOTICE", "AUTHORS", "CODEOWNERS", "CITATION.cff", ".mailmap"}


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
    return Plan(steps=tuple(_step(stage, event, config, facts) for stage in StageName))


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
            return (
                runs(f"{len(config.test)} suite(s)")
                if config.test
                else not_run("no test suite is configured")
            )
        case StageName.PERF:
            if not config.perf:
                return not_run("no benchmark is configured")
            if not event.merge_base:
                return not_run("there is no base to compare with")
            return runs(f"{len(config.perf)} benchmark(s) against the merge base")


def _only_prose(file: FileChange) -> bool:
    """Whether no side of a change is anything but documentation: a source renamed to `x.md` is gone."""
    return _is_prose(file.path) and (file.old_path is None or _is_prose(file.old_path))


def _is_prose(path: str) -> bool:
    name = PurePosixPath(path)
    return name.suffix.lower() in _PROSE or name.name in _PROSE_NAMES
