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
        ("./t --gtest_filter=A.*:B.* -x", "./t --gtest_filter=A.*:B.* -x {flags}"),
        ("./t --gtest_color=no | tee x", "./t --gtest_color=no {flags} | tee x"),
        ("GTEST_FILTER=A.* ./t && x", "GTEST_FILTER=A.* ./t {flags} && x"),
    ],
)
def test_exactly_the_wanted_tests_are_chosen(tmp_path: Path, command: str, expected: str) -> None:
    where = slot(named=True, out=tmp_path)
    prepared = RUNNER.prepare(command, where, FAILED)

    assert prepared is not None
    assert prepared.command == expected.format(flags=f"--gtest_flagfile={where.wanted}")
    assert prepared.environment["GTEST_FILTER"] == "All/Widths.Sum/1:A.b"
    assert where.wanted.read_text() == "--gtest_filter=All/Widths.Sum/1:A.b\n"


def test_more_tests_than_a_variable_holds_need_a_program_that_takes_options(tmp_path: Path) -> None:
    many = tuple(Listed(id=f"A::{n}", name=str(n), native=f"Suite.Test{n}") for n in range(20_000))
    where = slot(out=tmp_path)

    assert RUNNER.prepare("./run-all.sh", where, many) is None
    prepared = RUNNER.prepare("./t --gtest_color=no", where, many)
    assert prepared is not None
    assert "GTEST_FILTER" not in prepared.environment
    assert where.wanted.read_text().count(":") == 19_999


def test_a_test_known_from_its_report_alone_can_be_chosen(tmp_path: Path) -> None:
    where = slot(out=tmp_path)
    prepared = RUNNER.prepare("./t", where, (Listed(id="A/B::c/1", name="c/1", native="A/B::c/1"),))

    assert prepared is not None
    assert prepared.environment["GTEST_FILTER"] == "A/B.c/1"


LIST = """\
Running main() from gtest_main.cc
Copy.
  Good
  DISABLED_Later
All/Widths.
  Sum/0  # GetParam() = 32
  Sum/1  # GetParam() = "a b. "
Typed/0.  # TypeParam = int
  Adds
Done.
ready
  indented noise
"""


def test_the_list_of_a_program_is_understood_between_its_noise() -> None:
    command = "cd b && ./t --gtest_filter=x"
    answers = {f"bash -c {command} --gtest_list_tests": (0, LIST)}

    found = RUNNER.collect(command, slot(answers=answers))

    assert found is not None
    assert [one.native for one in found] == [
        "Copy.Good", "Copy.DISABLED_Later", "All/Widths.Sum/0", "All/Widths.Sum/1", "Typed/0.Adds",
    ]  # fmt: skip
    assert found[2] == Listed(id="All/Widths::Sum/0", name="Sum/0", native="All/Widths.Sum/0")


@pytest.mark.parametrize(
    "command",
    ["make && ./t --gtest_color=no", "./t --gtest_color=no; ./other", "GTEST_COLOR=no ./t", "./t",
     "for t in a b; do ./$t --gtest_color=no; done", "./t --gtest_filter=$(cat x)", "! ./t --gtest_color=no"],
)  # fmt: skip
def test_a_command_that_does_more_is_not_listed_before_it_ran(command: str) -> None:
    where = slot(answers={"bash": (0, LIST)})

    assert RUNNER.collect(command, where) is None


def test_after_the_run_the_build_before_the_tests_is_not_repeated() -> None:
    answers = {"bash -c cd b && ./t --gtest_color=no --gtest_list_tests": (0, LIST)}
    where = slot(answers=answers)

    assert RUNNER.collect("make -C b && cd b && ./t --gtest_color=no | tee log", where, has_run=True)
    assert RUNNER.collect("./t --gtest_color=no", slot(answers={"bash": (1, LIST)}), has_run=True) is None


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
