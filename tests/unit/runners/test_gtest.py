"""GoogleTest: recognised, made to report, read from its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.base import Listed
from rocm_ci.runners.gtest import RUNNER, identity
from tests.unit.runners.slots import slot

FAILED = (
    Listed(id="All/Widths::Sum/1", name="Sum/1", native="All/Widths.Sum/1"),
    Listed(id="A::b", name="b", native="A.b"),
)


@pytest.mark.parametrize(
    ("command", "is_ours"),
    [
        ("./t --gtest_filter=A.*", True),
        ("GTEST_COLOR=1 ./t", True),
        ("./t", False),
        ("echo ok && ./t --gtest_repeat=2", True),
    ],
)
def test_it_is_recognised_by_its_options(command: str, is_ours: bool) -> None:
    assert RUNNER.claims(command) is is_ours


def test_reports_go_to_a_folder_where_programs_do_not_overwrite_each_other() -> None:
    prepared = RUNNER.prepare("./a --gtest_brief=1 && ./b", slot())

    assert prepared is not None
    assert prepared.environment == {"GTEST_OUTPUT": "xml:/out/junit/unit.d/"}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./t", "./t"),
        ("./t --gtest_filter=A.*:B.* -x", "./t --gtest_filter=All/Widths.Sum/1:A.b -x"),
        ("./t --gtest_filter='A.*' && x", "./t --gtest_filter=All/Widths.Sum/1:A.b && x"),
    ],
)
def test_a_retry_filters_for_the_failed_tests(command: str, expected: str) -> None:
    prepared = RUNNER.prepare(command, slot(named=True), FAILED)

    assert prepared is not None
    assert prepared.command == expected
    assert prepared.environment["GTEST_FILTER"] == "All/Widths.Sum/1:A.b"


def test_a_report_named_by_the_command_is_looked_for() -> None:
    prepared = RUNNER.prepare("cd b && ./t --gtest_output=xml:out/r.xml", slot())

    assert prepared is not None
    assert prepared.reports == (Path("/src/b/out/r.xml"),)


LINES = """\
[==========] Running 5 tests from 2 test suites.
[ RUN      ] Copy.Good
copied[       OK ] Copy.Good (12 ms)
[ RUN      ] Copy.Peer
[  SKIPPED ] Copy.Peer (0 ms)
[ RUN      ] All/Widths.Sum/1
[  FAILED  ] All/Widths.Sum/1, where GetParam() = 64 (3 ms)
[ RUN      ] Copy.Hang
[  FAILED  ] All/Widths.Sum/1, where GetParam() = 64
"""


def test_lines_tell_how_each_test_ended_and_which_one_runs() -> None:
    watch = RUNNER.watch()
    for line in LINES.splitlines():
        watch.line(line)

    assert {seen.id: seen.status for seen in watch.seen.values()} == {
        "Copy::Good": CaseStatus.PASSED,
        "Copy::Peer": CaseStatus.SKIPPED,
        "All/Widths::Sum/1": CaseStatus.FAILED,
        "Copy::Hang": None,
    }
    assert watch.failed() == 1


def test_a_program_that_runs_nothing_is_heard() -> None:
    watch = RUNNER.watch()
    watch.line("[==========] Running 0 tests from 0 test suites.")

    assert watch.nothing_ran


def test_the_command_to_paste_names_program_folder_and_test() -> None:
    line = RUNNER.reproduce(
        Case(id="All/Widths::Sum/1", suite="", name="Sum/1", status=CaseStatus.FAILED),
        "cd build && GTEST_COLOR=1 './my tests'",
        Path("/src"),
        None,
    )

    assert line == "cd build && './my tests' --gtest_filter=All/Widths.Sum/1"
    assert identity("All/Widths.Sum/1") == ("All/Widths::Sum/1", "Sum/1")
