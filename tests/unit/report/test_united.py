from __future__ import annotations

import msgspec
import pytest

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.diagnostic import Diagnostic
from rocm_ci.model.finding import Severity
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import BuildResult, Crashed, PerfResult, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.united import united
from tests import reports

replace = msgspec.structs.replace


def of_all(*suites: tuple[Case, ...]) -> TestResult:
    """The suite of several legs, taken together."""
    verdicts = [
        Verdict.FAIL if any(c.status is CaseStatus.FAILED for c in cases) else Verdict.PASS
        for cases in suites
    ]
    results = [
        reports.suites(reports.suite(*cases, verdict=verdict))
        for cases, verdict in zip(suites, verdicts, strict=True)
    ]
    (together,) = united(results)
    assert isinstance(together, TestResult)
    return together


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.FAILED),
        (CaseStatus.FLAKY, CaseStatus.PASSED, CaseStatus.FLAKY),
        (CaseStatus.SKIPPED, CaseStatus.PASSED, CaseStatus.PASSED),
        (CaseStatus.ERRORED, CaseStatus.FLAKY, CaseStatus.ERRORED),
    ],
)
def test_a_test_counts_once_as_it_ended_worst(
    one: CaseStatus, other: CaseStatus, together: CaseStatus
) -> None:
    both = of_all((reports.case("x", one),), (reports.case("x", other),))

    assert [c.status for c in both.suites[0].cases] == [together]


def test_tests_that_one_leg_alone_has_are_kept() -> None:
    both = of_all(reports.passing(2), reports.passing(3))

    assert len(both.suites[0].cases) == 3


def test_several_of_all_one_name_in_one_suite_stay_several() -> None:
    twice = (reports.case("x"), reports.case("x", CaseStatus.FAILED))

    assert [c.status.value for c in of_all(twice, twice).suites[0].cases] == ["passed", "failed"]


def test_the_suite_is_as_bad_as_its_worst_leg() -> None:
    both = of_all(reports.passing(2), (reports.case("y", CaseStatus.FAILED),))

    assert both.verdict is both.suites[0].verdict is Verdict.FAIL


def test_suites_of_other_names_stay_apart() -> None:
    (together,) = united(
        [
            reports.suites(reports.suite(*reports.passing(1))),
            reports.suites(reports.suite(*reports.passing(1), name="other")),
        ]
    )

    assert isinstance(together, TestResult)
    assert [s.name for s in together.suites] == ["unit", "other"]


def test_what_a_compiler_says_on_every_leg_counts_once() -> None:
    said = Diagnostic(tool="clang", severity=Severity.ERROR, message="no member", path="a.hip", line=3)
    legs = [
        reports.build(replace(said, arch="gfx90a"), verdict=Verdict.FAIL),
        reports.build(replace(said, arch="gfx942"), replace(said, line=4), verdict=Verdict.FAIL),
    ]

    (together,) = united(legs)

    assert isinstance(together, BuildResult)
    assert [d.line for step in together.steps for d in step.diagnostics] == [3, 4]


def test_a_series_counts_once_where_it_is_worst_and_promises_what_every_leg_can_show() -> None:
    fine = reports.perf(reports.comparison("x", detects_pct=4.0))
    slow = reports.perf(
        reports.comparison("x", PerfVerdict.REGRESSION, effect_pct=9.0, detects_pct=1.0), verdict=Verdict.FAIL
    )

    (together,) = united([fine, slow])

    assert isinstance(together, PerfResult)
    (comparison,) = together.benches[0].comparisons
    assert (comparison.verdict, comparison.detects_pct) == (PerfVerdict.REGRESSION, 4.0)


def test_an_accepted_slowdown_does_not_hide_one_that_nobody_accepted() -> None:
    accepted = reports.comparison("x", PerfVerdict.REGRESSION, effect_pct=20.0, accepted="by alice: yes")
    open_one = reports.comparison("x", PerfVerdict.REGRESSION, effect_pct=5.0)

    (together,) = united([reports.perf(accepted), reports.perf(open_one, verdict=Verdict.FAIL)])

    assert isinstance(together, PerfResult)
    assert together.benches[0].comparisons[0].accepted == ""


def test_crashes_are_told_one_by_one() -> None:
    crashes = [Crashed(stage=StageName.TEST, reason=f"no {n}", leg=f"{n}") for n in range(2)]

    assert united(crashes) == tuple(crashes)
