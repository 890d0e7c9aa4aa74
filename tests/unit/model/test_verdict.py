"""The order of verdicts, and what a shell is told."""

from __future__ import annotations

import itertools

import pytest

from rocm_ci.model.plan import Plan, StageName
from rocm_ci.model.report import verdict_of
from rocm_ci.model.result import Crashed, ScanResult, Skipped
from rocm_ci.model.verdict import Verdict, exit_code, worst

ORDER = [
    Verdict.SKIPPED,
    Verdict.PASS,
    Verdict.NEUTRAL,
    Verdict.INCONCLUSIVE,
    Verdict.ERROR,
    Verdict.FAIL,
]


@pytest.mark.parametrize(("better", "worse"), list(itertools.combinations(ORDER, 2)))
def test_the_worse_of_two_wins_in_any_order(better: Verdict, worse: Verdict) -> None:
    assert better < worse
    assert worst([better, worse]) is worst([worse, better]) is worse


def test_nothing_at_all_is_skipped() -> None:
    assert worst([]) is Verdict.SKIPPED


@pytest.mark.parametrize(
    ("verdict", "code"),
    [("pass", 0), ("neutral", 0), ("inconclusive", 0), ("fail", 1), ("error", 3), ("skipped", 3)],
)
def test_exit_codes(verdict: str, code: int) -> None:
    assert exit_code(Verdict(verdict)) == code


def test_an_undecided_run_fails_where_the_configuration_says_so() -> None:
    assert exit_code(Verdict.INCONCLUSIVE, fail_on_inconclusive=True) == 1


def test_only_pass_and_neutral_let_a_change_through() -> None:
    assert [v for v in Verdict if v.is_green] == [Verdict.PASS, Verdict.NEUTRAL]


SKIP = Skipped(stage=StageName.TEST, reason="x")
PASSED = ScanResult(verdict=Verdict.PASS, duration_s=1)


@pytest.mark.attack("17", "a run in which nothing ran")
def test_a_run_in_which_nothing_ran_is_an_error() -> None:
    assert verdict_of((SKIP, SKIP), Plan(steps=())) is Verdict.ERROR


def test_unless_the_plan_says_that_nothing_had_to_run() -> None:
    assert verdict_of((SKIP,), Plan(steps=(), neutral_reason="only documentation changed")) is Verdict.NEUTRAL


def test_a_crashed_stage_is_never_green() -> None:
    crashed = Crashed(stage=StageName.BUILD, reason="boom")

    assert verdict_of((PASSED, crashed), Plan(steps=())) is Verdict.ERROR


def test_an_interrupted_run_is_never_green_and_keeps_a_failure() -> None:
    failed = ScanResult(verdict=Verdict.FAIL, duration_s=1)

    assert verdict_of((PASSED,), Plan(steps=()), interrupted=True) is Verdict.ERROR
    assert verdict_of((failed,), Plan(steps=()), interrupted=True) is Verdict.FAIL
