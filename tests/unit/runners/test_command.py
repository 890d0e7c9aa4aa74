"""Any other command: nothing is known of it, everything it happens to say is used."""

from __future__ import annotations

from pathlib import Path

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.base import Listed
from rocm_ci.runners.command import RUNNER
from tests.unit.runners.slots import slot

CASE = Listed(id="a", name="a", native="a")


def test_a_named_report_is_expected_and_nothing_is_added() -> None:
    prepared = RUNNER.prepare("./run.sh /out/junit/unit.xml", slot(named=True))

    assert prepared is not None
    assert (dict(prepared.environment), prepared.expects_report) == ({}, True)


def test_without_a_named_report_known_tools_are_asked_and_none_is_expected() -> None:
    prepared = RUNNER.prepare("make check", slot(PYTEST_ADDOPTS="-x"))

    assert prepared is not None
    assert not prepared.expects_report
    assert prepared.environment["GTEST_OUTPUT"] == "xml:/out/junit/unit.d/"
    assert prepared.environment["PYTEST_ADDOPTS"] == (
        "-x --junitxml=/out/junit/unit.d/pytest.xml -o junit_family=xunit2"
    )


def test_only_a_command_with_a_report_can_run_again() -> None:
    assert RUNNER.prepare("make check", slot(), (CASE,)) is None
    assert RUNNER.prepare("make check", slot(named=True), (CASE,)) is not None


def test_lines_of_every_known_tool_are_heard() -> None:
    watch = RUNNER.watch()
    for line in (
        "a.py::t PASSED [50%]",
        "[ RUN      ] S.t",
        "1/1 Test #1: c ...***Failed  0.1 sec",
        "1 failed in 0.1s",
    ):
        watch.line(line)

    assert {seen.id for seen in watch.seen.values()} == {"a::t", "S::t", "c::c"}
    assert watch.failed() == 1


def test_the_whole_command_reproduces_a_failure() -> None:
    assert (
        RUNNER.reproduce(
            Case(id="a", suite="", name="a", status=CaseStatus.FAILED), "make check", Path("/src"), None
        )
        == "make check"
    )
