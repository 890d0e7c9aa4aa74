from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Crashed
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import junit
from tests import reports
from tests.hostile import NASTY

if TYPE_CHECKING:
    from rocm_ci.model.report import Report


def tree(report: Report) -> etree._Element:
    return etree.fromstring(junit.render(report).encode())


def suites(report: Report) -> dict[str, tuple[str | None, ...]]:
    return {
        str(s.get("name")): tuple(s.get(k) for k in ("tests", "failures", "errors", "skipped"))
        for s in tree(report).iter("testsuite")
    }


def test_suites_findings_and_build_are_there_with_their_counts() -> None:
    assert suites(reports.red()) == {
        "scan": ("3", "2", "0", "0"),
        "build": ("1", "0", "0", "0"),
        "unit": ("215", "1", "0", "3"),
        "integration": ("37", "0", "0", "0"),
    }


def test_the_counts_are_those_of_the_elements() -> None:
    for mood in reports.MOODS.values():
        for suite in tree(mood()).iter("testsuite"):
            assert suite.get("tests") == str(len(suite.findall("testcase")))
            assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
            assert suite.get("errors") == str(len(suite.findall("testcase/error")))
            assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))


def test_class_and_name_are_those_of_the_test() -> None:
    case = reports.case("test_x[a::b]", id="pkg.mod::test_x[a::b]")

    found = tree(reports.report(reports.suites(reports.suite(case)))).find(".//testcase")

    assert found is not None
    assert (found.get("classname"), found.get("name")) == ("pkg.mod", "test_x[a::b]")


def test_a_test_without_a_class_belongs_to_its_suite() -> None:
    case = reports.case("alone", id="alone")

    found = tree(reports.report(reports.suites(reports.suite(case)))).find(".//testcase")

    assert found is not None
    assert found.get("classname") == "unit"


def test_a_red_suite_without_a_red_test_is_not_green_here() -> None:
    crashed = reports.suite(*reports.passing(2), verdict=Verdict.FAIL, reason="exit code 139")

    assert suites(reports.report(reports.suites(crashed)))["unit"] == ("3", "1", "0", "0")


def test_a_suite_that_the_machine_broke_is_an_error_not_a_failure() -> None:
    assert suites(reports.infra())["unit"] == ("141", "0", "1", "0")


def test_a_crashed_stage_is_an_error() -> None:
    made = reports.report(Crashed(stage=StageName.PERF, reason="no space"))

    assert suites(made)["perf"] == ("1", "0", "1", "0")


def test_a_flaky_test_passes_and_says_so() -> None:
    flaky = reports.case("t", CaseStatus.FLAKY, attempts=2, message="timeout")

    found = tree(reports.report(reports.suites(reports.suite(flaky)))).find(".//testcase/system-out")

    assert found is not None
    assert found.text == "flaky: passed at attempt 2; before that: timeout"


def test_a_warning_does_not_fail() -> None:
    made = reports.report(reports.scan(reports.finding(severity=Severity.WARNING)))

    assert suites(made)["scan"] == ("1", "0", "0", "0")


@pytest.mark.parametrize("mood", ["red", "both", "broken-build"])
def test_no_text_breaks_the_document(mood: str) -> None:
    for nasty in (*NASTY, "]]>", "&#0;", "\ufffe", "\uffff", "<![CDATA["):
        tree(reports.with_every_text(reports.MOODS[mood](), f"x{nasty}y"))
