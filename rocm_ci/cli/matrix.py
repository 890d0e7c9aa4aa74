"""(Event, Config, Plan) → the jobs that share the work, each with a name of its own. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from rocm_ci.errors import UsageError
from rocm_ci.model.matrix import Entry
from rocm_ci.model.plan import StageName
from rocm_ci.plan import asks_for_bench, asks_for_suite
from rocm_ci.report.legs import GATE, MAX_LEGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.config.options import Config, PerfOptions, TestOptions
    from rocm_ci.model.event import Event
    from rocm_ci.model.plan import Plan

By = Literal["run", "suite", "arch"]
_LONGEST = 40  # of the name of a leg
_WITHOUT_A_GPU = ("scan", "build")  # jobs of these names read or compile, and run nothing


def suites(event: Event, config: Config, plan: Plan) -> list[TestOptions]:
    """The test suites that would run."""
    return [s for s in config.test if asks_for_suite(event, s)] if "test" in running(plan) else []


def benches(event: Event, config: Config, plan: Plan) -> list[PerfOptions]:
    """The benchmarks that would run."""
    return [b for b in config.perf if asks_for_bench(event, b)] if "perf" in running(plan) else []


def running(plan: Plan) -> list[str]:
    """The stages that would run and that can be asked for, in order."""
    return [s.stage.value for s in plan.steps if s.run and s.stage is not StageName.PREFLIGHT]


def include(event: Event, config: Config, plan: Plan, by: By) -> tuple[Entry, ...]:
    """The entries of a GitHub matrix; none where nothing would run. All of them together are the whole run.

    Raises `UsageError` for more than GitHub lets a matrix have.
    """
    if not running(plan):
        return ()
    entries = tuple(_by_suite(event, config, plan) if by == "suite" else _alike(event, config, plan, by))
    if len(entries) > MAX_LEGS:
        message = f"{len(entries)} jobs are more than a matrix can have ({MAX_LEGS})"
        raise UsageError(message, hint="plan --by run, or join some suites")
    return entries


def _alike(event: Event, config: Config, plan: Plan, by: By) -> Iterator[Entry]:
    """One job that does all of it, or one for each GPU target."""
    needed = [s.gpus for s in suites(event, config, plan)] + [b.gpus for b in benches(event, config, plan)]
    taken: set[str] = {GATE}
    each = list(dict.fromkeys(config.arch)) if by == "arch" else [" ".join(config.arch)]
    for arch in each:
        yield Entry(
            name=leg_name(arch if by == "arch" else "run", taken),
            stages=" ".join(running(plan)),
            suite=event.suite or "",
            bench=event.bench or "",
            arch=arch,
            gpus=max(needed, default=0),
        )


def _by_suite(event: Event, config: Config, plan: Plan) -> Iterator[Entry]:
    """One job for each suite and benchmark, and those for what belongs to none of them."""
    stages, arch = running(plan), " ".join(config.arch)
    taken: set[str] = {GATE, *_WITHOUT_A_GPU}
    for name, wanted in (("scan", ("scan",)), ("build", ("build", "kernels"))):
        here = [stage for stage in stages if stage in wanted]
        if here:
            yield Entry(name=name, stages=" ".join(here), arch=arch)
    building = ["build"] if "build" in stages else []
    for suite in suites(event, config, plan):
        name, words = leg_name(suite.name, taken), " ".join([*building, "test"])
        yield Entry(name=name, stages=words, suite=suite.name, arch=arch, gpus=suite.gpus)
    for bench in benches(event, config, plan):
        name, words = leg_name(bench.name, taken), " ".join([*building, "perf"])
        yield Entry(name=name, stages=words, bench=bench.name, arch=arch, gpus=bench.gpus)


def leg_name(text: str, taken: set[str]) -> str:
    """A name for a leg that is like `text` and none of `taken` (in small letters), to which it is added."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:_LONGEST] or "leg"
    name, number = plain, 1
    while name.lower() in taken:
        number += 1
        name = f"{plain[: _LONGEST - 1 - len(str(number))]}-{number}"
    taken.add(name.lower())
    return name
