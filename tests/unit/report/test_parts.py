"""Runs of one suite each: together they are the whole run, or they say what they were."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.report import Report
from rocm_ci.model.result import Suite
from rocm_ci.model.verdict import Verdict
from rocm_ci.plan import ONLY_A_SUITE
from rocm_ci.report.merge import merged
from tests import matrices, reports

ALL = ("fast", "slow")


def asked(suite: str | None = None, bench: str | None = None, *, stages: str = "test") -> Report:
    """What a leg reports that was asked for one suite, of a project with two."""

    def one(name: str) -> Suite:
        if suite is None or suite in ("*", name):
            return reports.suite(*reports.passing(2), name=name)
        return reports.suite(name=name, verdict=Verdict.SKIPPED, reason="not asked for")

    result = reports.suites(*map(one, ALL)) if stages == "test" else reports.scan()
    made = reports.report(result)
    made = matrices.on(made) if stages == "test" else matrices.scan_leg(made)
    return replace(made, event=replace(made.event, suite=suite, bench=bench))


def left(report: Report, reason: str) -> Report:
    """The same, which left the benchmarks alone."""
    step = Step(stage=StageName.PERF, run=False, reason=reason)
    return replace(
        report, plan=Plan(steps=(*(s for s in report.plan.steps if s.stage is not step.stage), step))
    )


def test_all_suites_by_a_leg_each_are_a_whole_run() -> None:
    together = merged([("scan", asked(stages="scan")), ("a", asked("fast")), ("b", asked("slow"))])

    assert not together.event.is_partial
    assert together.verdict is Verdict.PASS


@pytest.mark.parametrize(
    "parts",
    [
        [asked("fast")],
        [asked("fast"), asked("fast")],
        [asked(stages="scan"), asked("fast")],
        [asked("fast", bench="saxpy"), asked("fast")],
        [left(asked("fast"), ONLY_A_SUITE), left(asked("slow"), ONLY_A_SUITE)],
    ],
    ids=["one", "one twice", "one and a scan", "one and a benchmark", "all suites and no benchmark"],
)
def test_what_leaves_something_out_stays_a_part(parts: list[Report]) -> None:
    together = merged([(f"leg{n}", part) for n, part in enumerate(parts)])

    assert together.event.is_partial
    assert "fast" in (together.event.suite or "")


def test_a_dispatched_run_of_one_suite_on_several_machines_stays_a_part() -> None:
    together = merged([("a", asked("*")), ("b", asked("*"))])

    assert together.event.suite == "*"


def test_a_whole_leg_beside_a_part_makes_it_whole() -> None:
    assert not merged([("a", asked()), ("b", asked("fast"))]).event.is_partial
