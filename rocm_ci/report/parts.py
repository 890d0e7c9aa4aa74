"""Narrowed runs (`--suite`, `--bench`) side by side: whether together they did all. Pure.

Each of their reports names every suite and benchmark of the configuration, those it was not asked for too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.result import PerfResult, TestResult
from rocm_ci.plan import ONLY_A_BENCH, ONLY_A_SUITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.model.event import Event
    from rocm_ci.model.report import Report


def asked(event: Event, reports: Sequence[Report]) -> Event:
    """`event` with what the reports were asked for together: nothing in particular when that was all of it.

    Runs that all were asked for the same part stay one, also where there is no more than that part.
    """
    selections = {(r.event.suite, r.event.bench) for r in reports}
    if selections == {(None, None)}:
        return event
    if len(selections) > 1 and is_whole(reports):
        return replace(event, suite=None, bench=None)
    suites = dict.fromkeys(r.event.suite for r in reports if r.event.suite)
    benches = dict.fromkeys(r.event.bench for r in reports if r.event.bench)
    return replace(event, suite=", ".join(suites) or None, bench=", ".join(benches) or None)


def is_whole(reports: Sequence[Report]) -> bool:
    """Whether every suite and every benchmark that any of them names was asked for in one that got to it."""
    named, done = set[tuple[str, str]](), set[tuple[str, str]]()
    for report in reports:
        for kind, name, is_asked in _named(report):
            named.add((kind, name))
            if is_asked:
                done.add((kind, name))
    kinds = {kind for kind, _ in named}
    left = {step.reason for report in reports for step in report.plan.steps if not step.run}
    unseen = {"bench"} if ONLY_A_SUITE in left else set()
    unseen |= {"suite"} if ONLY_A_BENCH in left else set()
    return named == done and unseen <= kinds


def _named(report: Report) -> Iterator[tuple[str, str, bool]]:
    event = report.event
    for result in report.results:
        if isinstance(result, TestResult):
            for suite in result.suites:
                is_asked = not event.is_partial or event.suite in ("*", suite.name, suite.layer.value)
                yield "suite", suite.name, is_asked
        elif isinstance(result, PerfResult):
            for bench in result.benches:
                yield "bench", bench.name, not event.is_partial or event.bench in ("*", bench.name)
