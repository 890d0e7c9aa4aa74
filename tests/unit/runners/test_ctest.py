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


def test_a_retry_is_its_own_rerun() -> None:
    prepared = RUNNER.prepare("ctest --output-junit out.xml", slot(named=True), FAILED)

    assert prepared is not None
    assert prepared.command == "ctest --rerun-failed --output-junit out.xml"
    assert RUNNER.prepare("make test", slot(), FAILED) is None


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
