"""ctest: recognised, made to report, read from its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.base import Listed
from rocm_ci.runners.ctest import RUNNER
from tests.unit.runners.slots import slot

FAILED = (Listed(id="a::a", name="a", native="a"),)


@pytest.mark.parametrize(
    "command", ["ctest", "cd build && ctest -j4", "cmake --build b && /opt/bin/ctest --test-dir b"]
)
def test_its_commands_are_recognised(command: str) -> None:
    assert RUNNER.claims(command)
    assert not RUNNER.claims("echo ctest")


def test_the_option_is_put_behind_every_ctest() -> None:
    prepared = RUNNER.prepare("ctest -R a && (cd b; ctest)", slot())

    assert prepared is not None
    assert prepared.command == (
        "ctest --output-junit /out/junit/unit.d/ctest-1.xml -R a && "
        "(cd b; ctest --output-junit /out/junit/unit.d/ctest-2.xml)"
    )
    assert prepared.expects_report


def test_a_ctest_before_3_21_is_not_given_what_it_does_not_know() -> None:
    prepared = RUNNER.prepare("ctest", slot(ctest="3.18.4"))

    assert prepared is not None
    assert (prepared.command, prepared.expects_report) == ("ctest", False)


def test_a_report_of_its_own_is_looked_for_in_the_build_folder() -> None:
    prepared = RUNNER.prepare("cd b && ctest --test-dir x --output-junit o.xml", slot())

    assert prepared is not None
    assert prepared.reports == (Path("/src/b/x/o.xml"),)


NUMBERED = """\
Test project /src/b
  Test #1: good
  Test #12: bad
  Test #13: bad too
  Test #14: off (Disabled)
"""
ASKED = "bash -c cd b && ctest -R x -N"


def test_exactly_the_wanted_tests_are_chosen_by_their_numbers(tmp_path: Path) -> None:
    where = slot(named=True, out=tmp_path, answers={ASKED: (0, NUMBERED)})
    wanted = tuple(Listed(id=n, name=n, native=n) for n in ("bad", "gone"))
    wanted = (*wanted, Listed(id="off::off", name="off", native="off::off"))

    prepared = RUNNER.prepare("make; cd b && ctest -R x | tee log", where, wanted)

    chosen = tmp_path / "junit/unit.only-1"
    assert prepared is not None
    assert prepared.command == f"make; cd b && ctest -R x -I {chosen} | tee log"
    assert chosen.read_text() == "0,0,0,12,14\n"


def test_of_two_runs_the_one_without_a_wanted_test_runs_none(tmp_path: Path) -> None:
    answers = {"bash -c ctest -R a -N": (0, NUMBERED), "bash -c ctest -R b -N": (0, "")}
    where = slot(named=True, out=tmp_path, answers=answers)

    bad = Listed(id="bad", name="bad", native="bad")
    assert RUNNER.prepare("ctest -R a && ctest -R b", where, (bad,)) is not None
    assert (tmp_path / "junit/unit.only-1").read_text() == "0,0,0,12\n"
    assert (tmp_path / "junit/unit.only-2").read_text() == "0,0,0,999999999\n"


def test_without_an_answer_no_test_can_be_chosen(tmp_path: Path) -> None:
    assert RUNNER.prepare("ctest", slot(named=True, out=tmp_path), FAILED) is None
    assert RUNNER.prepare("make test", slot(out=tmp_path), FAILED) is None


def test_a_time_for_each_test_is_handed_on_unless_the_command_has_its_own() -> None:
    prepared = RUNNER.prepare("ctest -j2", slot(named=True, test_timeout_s=2.5))
    own = RUNNER.prepare("ctest --timeout 9", slot(named=True, test_timeout_s=2.5))

    assert prepared is not None
    assert own is not None
    assert prepared.command == "ctest --timeout 3 -j2"
    assert own.command == "ctest --timeout 9"


def test_its_tests_are_listed_as_it_tells_them() -> None:
    answers = {
        "bash -c ctest -R a --show-only=json-v1": (0, '{"tests": [{"name": "a b"}, {"name": "x"}]}'),
        "bash -c ctest -R b --show-only=json-v1": (0, '{"tests": [{"name": "x"}]}'),
    }

    found = RUNNER.collect("ctest -R a && ctest -R b", slot(answers=answers))

    assert found is not None
    assert [one.native for one in found] == ["a b", "x"]
    assert RUNNER.collect("ctest -R a && make", slot(answers=answers)) is None


@pytest.mark.parametrize("text", ["", "no json", '{"tests": 3}', '{"tests": [{}]}', "[" * 100_000])
def test_an_odd_list_is_no_list(text: str) -> None:
    assert RUNNER.collect("ctest", slot(answers={"bash": (0, text)})) is None


def test_what_a_failed_test_printed_stands_below_its_line() -> None:
    watch = RUNNER.watch()
    for line in (
        "    Start 1: a", "1/2 Test #1: a ....***Failed  0.1 sec", "GPU hang", "more",
        "    Start 2: b", "2/2 Test #2: b ....   Passed  0.1 sec", "50% tests passed, 1 tests failed",
    ):  # fmt: skip
        watch.line(line)

    assert [(s.first_line, s.last_line) for s in watch.seen.values()] == [(1, 4), (5, 6)]


def test_side_by_side_a_test_has_only_the_lines_below_its_own() -> None:
    watch = RUNNER.watch()
    for line in (
        "    Start 1: a", "    Start 2: b", "1/2 Test #2: b ....***Failed  0.1 sec", "from b",
        "2/2 Test #1: a ....***Failed  0.1 sec", "from a", "0% tests passed",
    ):  # fmt: skip
        watch.line(line)

    assert {s.name: (s.first_line, s.last_line) for s in watch.seen.values()} == {"a": (5, 6), "b": (3, 4)}


LINES = """\
      Start  1: good
 1/9 Test  #1: good .............................   Passed    0.01 sec
      Start  2: with space
 2/9 Test  #2: with space .......................***Failed    0.50 sec
 3/9 Test  #3: never built ......................***Not Run   0.00 sec
 4/9 Test  #4: off ..............................***Not Run (Disabled)   0.00 sec
 5/9 Test  #5: later ............................***Skipped   0.01 sec
 6/9 Test  #6: slow .............................***Timeout   1.00 sec
 7/9 Test  #7: crash ............................***Exception: SegFault  0.12 sec
8/9 Test  #8: killed ...........................Subprocess killed***Exception:   0.79 sec
      Start  8: user
Failed test dependencies: setup
 8/9 Test  #8: user .............................***Not Run   0.00 sec
      Start  9: hang
"""


def test_lines_tell_how_each_test_ended_and_which_one_runs() -> None:
    watch = RUNNER.watch()
    for line in LINES.splitlines():
        watch.line(line)

    assert {
        seen.name: (seen.status.value if seen.status else None, seen.message) for seen in watch.seen.values()
    } == {
        "good": ("passed", ""),
        "with space": ("failed", "Failed"),
        "never built": ("errored", "Not Run"),
        "off": ("skipped", "Not Run (Disabled)"),
        "later": ("skipped", "Skipped"),
        "slow": ("failed", "Timeout"),
        "crash": ("failed", "Exception: SegFault"),
        "killed": ("failed", "Subprocess killed"),
        "user": ("skipped", "Not Run"),
        "hang": (None, ""),
    }
    assert [seen.name for seen in watch.running()] == ["hang"]


def test_a_second_attempt_that_passes_makes_it_flaky() -> None:
    watch = RUNNER.watch()
    for line in ("    Start 1: a", "1/1 Test #1: a ....***Failed    0.01 sec", "    Start 1: a",
                 "    Test #1: a ....   Passed    0.01 sec"):  # fmt: skip
        watch.line(line)

    (seen,) = watch.seen.values()
    assert (seen.status, seen.failures, watch.failed()) == (CaseStatus.FLAKY, 1, 0)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ctest --test-dir build -j4", "ctest --test-dir build -R '^a\\.b\\[1\\]$' --output-on-failure"),
        ("cd out/b && ctest", "ctest --test-dir out/b -R '^a\\.b\\[1\\]$' --output-on-failure"),
        ("ctest", "ctest -R '^a\\.b\\[1\\]$' --output-on-failure"),
    ],
)
def test_the_command_to_paste_names_folder_and_exact_test(command: str, expected: str) -> None:
    case = Case(id="a.b[1]::a.b[1]", suite="", name="a.b[1]", status=CaseStatus.FAILED)

    assert RUNNER.reproduce(case, command, Path("/src"), None) == expected
