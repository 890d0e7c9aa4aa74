from __future__ import annotations

import pytest

from rocm_ci.model.case import CaseStatus, Ending
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.problems import problems
from rocm_ci.report.test_problems import beside
from tests import reports

WRONG = reports.case("test_a", CaseStatus.FAILED, message="wrong", ending=Ending.ASSERTION)
CRASHED = reports.case("test_b", CaseStatus.ERRORED, message="running when the process ended by SIGSEGV")


def test_what_the_machine_broke_in_a_red_suite_is_told_as_the_machine_s() -> None:
    full = [
        reports.case(f"test[{n}]", CaseStatus.FAILED, message=f"no space for {n}", ending=Ending.MACHINE)
        for n in range(3)
    ]
    made = reports.report(reports.suites(reports.suite(WRONG, *full, verdict=Verdict.FAIL)))

    told = [(p.kind, p.subject, len(p.also)) for p in problems(made)]

    assert told == [
        ("test", "tests.test_reduce::test_a", 0),
        ("machine", "tests.test_reduce::test[0]", 2),
    ]


def test_advice_behind_the_counts_reaches_whoever_reads_what_to_fix() -> None:
    wants = "failed for want of a GPU: the suite asks for none (`gpus: 1` gives it one)"
    suite = reports.suite(WRONG, verdict=Verdict.FAIL, reason=f"1 failed, 3 passed; {wants}")

    assert problems(reports.report(reports.suites(suite)))[0].advice == f"The suite as a whole: {wants}"


@pytest.mark.parametrize(
    "reason",
    [
        "1 failed, 1 errored, 211 passed",
        "1 failed, 1 errored; tests.test_reduce::test_b: running when the process ended by SIGSEGV",
        "1 errored; tests.test_reduce::test_b and 3 more: running when the process ended by SIGSEGV",
    ],
)
def test_what_the_tests_say_themselves_is_not_said_of_their_suite(reason: str) -> None:
    assert beside(reports.suite(WRONG, CRASHED, verdict=Verdict.FAIL, reason=reason)) == ""


def test_of_a_suite_that_the_machine_broke_the_cause_is_told_without_the_counts() -> None:
    suite = reports.suite(
        reports.case("test_a", CaseStatus.FAILED, message="no", ending=Ending.MACHINE),
        verdict=Verdict.ERROR,
        reason="machine: the disk was full, says /proc/mounts; 1 failed",
    )

    found = problems(reports.report(reports.suites(suite)))

    assert [(p.kind, p.message) for p in found] == [
        ("machine", "machine: the disk was full, says /proc/mounts")
    ]
