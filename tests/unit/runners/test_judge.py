"""Exit status, report and output held against each other."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import judge
from rocm_ci.runners.junit import Reading
from rocm_ci.runners.live import Watch
from rocm_ci.runners.missing import MissingProgram


def case(status: CaseStatus) -> Case:
    return Case(id=status.value, suite="unit", name=status.value, status=status)


PASSED, FAILED, ERRORED, SKIPPED, FLAKY = map(
    case, (CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.ERRORED, CaseStatus.SKIPPED, CaseStatus.FLAKY)
)


def judged(*cases: Case, **known: Any) -> tuple[Verdict, str]:
    given: dict[str, Any] = {
        "exit_code": 0,
        "timed_out": False,
        "timeout": "10m",
        "watch": Watch(),
        "expects_report": True,
        "reading": Reading(cases=cases, elements=len(cases)),
    }
    evidence = judge.Evidence(**(given | known))
    found = judge.faults(evidence, cases)
    return judge.verdict(cases, found, exit_code=evidence.exit_code)


@pytest.mark.parametrize(
    ("cases", "known", "verdict", "reason"),
    [
        ((PASSED, SKIPPED), {}, Verdict.PASS, ""),
        ((PASSED, FAILED, SKIPPED), {"exit_code": 1}, Verdict.FAIL, "1 failed, 1 passed, 1 skipped"),
        ((ERRORED,), {"exit_code": 8}, Verdict.FAIL, "1 errored"),
        ((FAILED,), {}, Verdict.FAIL, "1 failed; the exit status is 0 all the same"),
        ((PASSED,), {"exit_code": 3}, Verdict.FAIL, "exit status 3 although no test failed; 1 passed"),
        ((PASSED,), {"exit_code": 139}, Verdict.FAIL, "crashed with SIGSEGV although no test had failed; 1 passed"),
        ((PASSED,), {"exit_code": -6}, Verdict.FAIL, "crashed with SIGABRT although no test had failed; 1 passed"),
        ((FAILED,), {"exit_code": 134}, Verdict.FAIL, "crashed with SIGABRT; 1 failed"),
        ((), {}, Verdict.FAIL, "no test ran (exit status 0)"),
        ((), {"reading": None, "exit_code": 2}, Verdict.FAIL, "no JUnit XML was written (exit status 2)"),
        ((), {"reading": None, "exit_code": 2, "expects_report": False}, Verdict.FAIL, "exit status 2"),
        ((SKIPPED, SKIPPED), {}, Verdict.SKIPPED, "all 2 test(s) were skipped: nothing was checked"),
        ((PASSED,), {"timed_out": True, "exit_code": -15}, Verdict.FAIL, "timed out after 10m; 1 test(s) had finished; 1 passed"),
    ],
)  # fmt: skip
def test_the_verdict_and_its_reason(
    cases: tuple[Case, ...], known: dict[str, Any], verdict: Verdict, reason: str
) -> None:
    assert judged(*cases, **known) == (verdict, reason)


@pytest.mark.parametrize(
    ("option", "verdict"),
    [("neutral", Verdict.NEUTRAL), ("inconclusive", Verdict.INCONCLUSIVE), ("fail", Verdict.FAIL)],
)
def test_what_a_flaky_test_is_worth_is_an_option(option: str, verdict: Verdict) -> None:
    assert judge.verdict((PASSED, FLAKY), (), exit_code=1, flaky=option) == (verdict, "1 flaky, 1 passed")


def test_a_test_that_no_healthy_machine_saw_fail_is_an_error_and_another_one_fails_all_the_same() -> None:
    broken = replace(FAILED, ending=Ending.MACHINE)

    assert judge.verdict((PASSED, broken), (), exit_code=1)[0] is Verdict.ERROR
    assert judge.verdict((FLAKY, broken), (), exit_code=1)[0] is Verdict.ERROR
    assert judge.verdict((FAILED, broken), (), exit_code=1)[0] is Verdict.FAIL


def test_an_end_that_the_running_tests_tell_is_not_told_twice() -> None:
    assert judged(ERRORED, exit_code=139, reading=None, pinned=True) == (Verdict.FAIL, "1 errored")


def test_a_kill_for_memory_is_told_as_one() -> None:
    assert judged(PASSED, exit_code=-9, out_of_memory=1) == (
        Verdict.FAIL,
        "ended by the kernel for want of memory although no test had failed; 1 passed",
    )


def test_silence_is_told_with_its_limit() -> None:
    assert judged(PASSED, exit_code=-15, reading=None, silent="5m") == (
        Verdict.FAIL,
        "printed nothing for 5m and was ended; 1 passed",
    )


@pytest.mark.parametrize(("is_rocm", "verdict"), [(True, Verdict.ERROR), (False, Verdict.FAIL)])
def test_a_missing_program_is_the_change_s_fault_unless_it_is_a_rocm_tool(
    is_rocm: bool, verdict: Verdict
) -> None:
    missing = MissingProgram(program="x", why="command not found", is_rocm=is_rocm)

    got, reason = judged(reading=None, exit_code=127, missing=missing)

    assert got is verdict
    assert "x" in reason
    assert "no JUnit XML" not in reason


def test_a_truncated_report_fails_although_all_it_holds_passed() -> None:
    reading = Reading(
        cases=(PASSED,), elements=1, truncated=True, problems=("unit.xml: the report breaks off",)
    )

    verdict, reason = judged(PASSED, reading=reading)

    assert (verdict, reason) == (
        Verdict.FAIL,
        "the JUnit XML is truncated: unit.xml: the report breaks off; 1 passed",
    )


def test_an_error_outside_of_any_test_fails() -> None:
    verdict, reason = judged(
        PASSED, reading=Reading(cases=(PASSED,), suite_errors=("suite s: error outside of a test: x",))
    )

    assert (verdict, reason) == (Verdict.FAIL, "suite s: error outside of a test: x; 1 passed")


def test_a_failure_on_the_output_that_the_report_does_not_hold_is_told() -> None:
    watch = Watch()
    watch.failed_in_summary = 2

    assert judged(PASSED, watch=watch) == (
        Verdict.FAIL,
        "the output names 2 failed test(s), the JUnit XML none; 1 passed",
    )


def test_running_tests_are_named_but_not_all_of_hundreds() -> None:
    watch = Watch()
    for number in range(200):
        watch.started(f"a::t{number}", f"t{number}", "")

    _, reason = judged(watch=watch, timed_out=True, reading=None, exit_code=-15)

    assert reason == "timed out after 10m; 0 test(s) had finished; running: a::t0, a::t1, a::t2 and 197 more"
