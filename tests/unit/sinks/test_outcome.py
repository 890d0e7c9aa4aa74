"""What the verdicts mean to GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.delta import delta
from rocm_ci.report.links import Links
from rocm_ci.sinks import outcome
from tests import reports
from tests.standin.reports import report
from tests.unit.github.fake import FakeGitHub
from tests.unit.sinks.trusted import HEAD, LINKS, PAGE, strict, target

if TYPE_CHECKING:
    from rocm_ci.model.case import Case
    from rocm_ci.model.report import Report


@pytest.mark.attack("17", "a machine that failed, or nothing that ran, passing as green")
@pytest.mark.parametrize(
    ("made", "state", "conclusion"),
    [
        (report(HEAD, Verdict.PASS), "success", "success"),
        (report(HEAD, Verdict.NEUTRAL), "success", "neutral"),
        (report(HEAD, Verdict.INCONCLUSIVE), "success", "neutral"),
        (strict(Verdict.INCONCLUSIVE), "failure", "failure"),
        (report(HEAD, Verdict.FAIL), "failure", "failure"),
        (report(HEAD, Verdict.ERROR), "failure", "failure"),
        (report(HEAD, Verdict.SKIPPED), "failure", "failure"),
    ],
    ids=["pass", "neutral", "inconclusive", "strict", "fail", "error", "skipped"],
)
def test_only_a_green_verdict_lets_a_required_check_pass(made: Report, state: str, conclusion: str) -> None:
    assert (outcome.state(made), outcome.conclusion(made)) == (state, conclusion)


def test_a_regression_that_was_accepted_is_told_in_the_short_words_too() -> None:
    slower = reports.comparison("saxpy", PerfVerdict.REGRESSION, effect_pct=8.4)
    accepted = msgspec.structs.replace(slower, accepted="accepted up to 8.4 % by amy: wider tiles")

    said = outcome.in_short(reports.report(reports.perf(accepted, verdict=Verdict.NEUTRAL)), 140)

    assert said.endswith("1 benchmark slower, accepted")
    assert "accepted" not in outcome.in_short(reports.report(reports.perf(slower, verdict=Verdict.FAIL)), 140)


def test_what_fails_on_the_base_too_is_said_in_the_short_words() -> None:
    failed = reports.case("test_sum", CaseStatus.FAILED, message="boom")
    made = reports.report(reports.suites(reports.suite(failed, verdict=Verdict.FAIL)))

    said = outcome.in_short(made, 140, delta(made, made, base_commit="b" * 40))

    assert said == "1 test failed, as on main — not this change's doing"


def test_a_status_says_how_many_of_the_failures_are_old() -> None:
    old, new = (reports.case(name, CaseStatus.FAILED, message="boom") for name in ("test_a", "test_b"))

    def failing(*cases: Case) -> Report:
        return reports.report(reports.suites(reports.suite(*cases, verdict=Verdict.FAIL)))

    base, made = failing(old, reports.case("test_b")), failing(old, new)

    said = outcome.in_short(made, 140, delta(base, made, base_commit="b" * 40))

    assert said == (
        "this change fails 1 test. 1 of 2 failed tests also fails on main: not this change's doing."
    )
    assert outcome.in_short(made, 140) == "this change fails 2 tests"


@pytest.mark.parametrize("limit", [40, 140, 255])
def test_the_words_fit(limit: int) -> None:
    assert 0 < len(outcome.in_short(reports.red(), limit)) <= limit


def test_the_link_leads_to_the_very_attempt() -> None:
    github = FakeGitHub()

    assert outcome.run_page(LINKS, target(github)) == f"{PAGE}/actions/runs/7"
    assert outcome.run_page(LINKS, target(github, run_attempt=3)) == f"{PAGE}/actions/runs/7/attempts/3"
    assert outcome.run_page(LINKS, target(github, run_id=None)) == LINKS.run
    assert outcome.run_page(Links(), target(github)) is None
