"""Attempts of one test are told apart from tests that share a name."""

from __future__ import annotations

import io

from rocm_ci.runners import junit

FAILED = "<testcase classname='a' name='t'><failure message='first'/></testcase>"
PASSED = "<testcase classname='a' name='t'/>"
OTHER = "<testcase classname='a' name='o'/>"


def ends(*suites: str, name: str = "s") -> list[str]:
    documents = [f"<testsuite name='{name}'>{inner}</testsuite>".encode() for inner in suites]
    result = junit.joined((str(n), junit.read(io.BytesIO(d))) for n, d in enumerate(documents))
    assert result.elements == len(result.cases) + result.retried
    return [case.status.value for case in result.cases]


def test_failed_then_passed_in_one_suite_is_flaky() -> None:
    assert ends(FAILED + OTHER + PASSED) == ["passed", "flaky"]


def test_a_flaky_test_keeps_the_message_of_its_failure_and_counts_attempts() -> None:
    result = junit.joined(
        [("x", junit.read(io.BytesIO(f"<testsuite>{FAILED}{FAILED}{PASSED}</testsuite>".encode())))]
    )

    (case,) = result.cases
    assert (case.status.value, case.attempts, case.message, result.retried) == ("flaky", 3, "first", 2)


def test_passed_then_failed_is_a_failure() -> None:
    assert ends(PASSED + FAILED) == ["passed", "failed"]


def test_failed_every_time_stays_failed() -> None:
    assert ends(FAILED + FAILED) == ["failed", "failed"]


def test_a_second_report_of_only_failed_tests_is_a_retry() -> None:
    assert ends(FAILED + OTHER, PASSED) == ["passed", "flaky"]


def test_a_second_report_of_all_tests_is_another_run_and_hides_no_failure() -> None:
    assert ends(FAILED + OTHER, PASSED + OTHER) == ["failed", "passed", "passed", "passed"]


def test_the_same_test_with_another_parameter_is_another_test() -> None:
    one = FAILED.replace("name='t'", "name='t' value_param='32'")
    two = PASSED.replace("name='t'", "name='t' value_param='64'")

    assert ends(one + two) == ["failed", "passed"]


def test_suites_of_other_names_are_other_runs() -> None:
    text = f"<testsuites><testsuite name='gfx90a'>{FAILED}</testsuite><testsuite name='gfx942'>{PASSED}</testsuite></testsuites>"
    result = junit.joined([("x", junit.read(io.BytesIO(text.encode())))])

    assert [case.status.value for case in result.cases] == ["failed", "passed"]


def test_a_skip_makes_up_for_nothing() -> None:
    skipped = "<testcase classname='a' name='t'><skipped/></testcase>"

    assert ends(FAILED + skipped) == ["failed", "skipped"]


def test_a_report_whose_name_says_retry_is_one_whatever_else_it_holds() -> None:
    def ends_of(first: str, second: str, suites: tuple[str, str] = ("s", "s")) -> list[str]:
        texts = [
            f"<testsuite name='{suites[0]}'>{FAILED}{OTHER}</testsuite>",
            f"<testsuite name='{suites[1]}'>{PASSED}{OTHER}</testsuite>",
        ]
        read = [junit.read(io.BytesIO(text.encode())) for text in texts]
        return [case.status.value for case in junit.joined(zip((first, second), read, strict=True)).cases]

    assert ends_of("unit.xml", "unit.retry-1.xml") == ["passed", "flaky", "passed"]
    assert ends_of("attempt_1.xml", "attempt_2.xml") == ["passed", "flaky", "passed"]
    assert ends_of("a.xml", "b.xml", ("unit", "unit (rerun 1)")) == ["passed", "flaky", "passed"]
    assert ends_of("gfx90a.xml", "gfx942.xml") == ["failed", "passed", "passed", "passed"]
    assert ends_of("attempt_1.xml", "attempt_1b.xml") == ["failed", "passed", "passed", "passed"]
