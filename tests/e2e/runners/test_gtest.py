"""Real GoogleTest programs, compiled on the spot."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests import require

if TYPE_CHECKING:
    from tests.e2e.runners.conftest import Project

SOURCE = r"""
#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
TEST(Copy, Good) { printf("copied"); }
TEST(Copy, DISABLED_Later) {}
TEST(Copy, Peer) { GTEST_SKIP() << "needs two GPUs"; }
TEST(Copy, Bad) { EXPECT_EQ(32, 64) << "\x1b[31mlanes\x1b[0m"; }
class Widths : public testing::TestWithParam<int> {};
TEST_P(Widths, Sum) { EXPECT_LT(GetParam(), 64); }
INSTANTIATE_TEST_SUITE_P(All, Widths, testing::Values(32, 64));
TEST(Zlast, Crash) { if (getenv("CRASH")) abort(); if (getenv("EXIT")) exit(0); }
TEST(Zlast, Hang) { if (getenv("HANG")) sleep(600); }
TEST(Once, Flaky) { FILE* f = fopen("mark", "r"); if (!f) { f = fopen("mark", "w"); ADD_FAILURE(); } fclose(f); }
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = require.program("g++", "apt-get install g++")
    if not Path("/usr/include/gtest/gtest.h").is_file():
        require.missing("libgtest-dev", "apt-get install libgtest-dev")
    folder = tmp_path_factory.mktemp("gtest")
    source = folder / "unit_tests.cc"
    source.write_text(SOURCE)
    built = folder / "unit_tests"
    subprocess.run(
        [compiler, "-O0", str(source), "-o", str(built), "-lgtest", "-lgtest_main", "-pthread"],
        check=True,
        timeout=300,
    )
    return built


def statuses(suite: object) -> dict[str, str]:
    return {case.id: case.status.value for case in suite.cases}  # type: ignore[attr-defined]


def test_a_program_with_gtest_options_reports_every_test(project: Project, program: Path) -> None:
    suite = project.suite(f"{program} --gtest_color=yes --gtest_filter=-Once*")

    assert (suite.runner, suite.verdict) == ("gtest", Verdict.FAIL)
    assert statuses(suite) == {
        "Copy::Good": "passed",
        "Copy::DISABLED_Later": "skipped",
        "Copy::Peer": "skipped",
        "Copy::Bad": "failed",
        "All/Widths::Sum/0": "passed",
        "All/Widths::Sum/1": "failed",
        "Zlast::Crash": "passed",
        "Zlast::Hang": "passed",
    }
    bad = next(case for case in suite.cases if case.id == "All/Widths::Sum/1")
    assert bad.reproduce == f"{program} --gtest_filter=All/Widths.Sum/1"
    assert "\x1b" not in (suite.excerpt or "")


def test_the_place_of_a_failure_is_told_when_it_lies_in_the_checkout(project: Project, program: Path) -> None:
    # The program was compiled from an absolute path outside: its place must not be shown as ours.
    outside = project.suite(f"{program} --gtest_filter=Copy.Bad")
    project.root = program.parent
    inside = project.suite(f"{program} --gtest_filter=Copy.Bad")

    assert (outside.cases[0].path, outside.cases[0].line) == (None, None)
    assert (inside.cases[0].path, inside.cases[0].line) == ("unit_tests.cc", 9)


def test_a_bare_test_program_is_heard_without_any_option(project: Project, program: Path) -> None:
    suite = project.suite(str(program))

    assert suite.runner == "command"
    assert statuses(suite)["Copy::Bad"] == "failed"
    assert len(suite.cases) == 9


def test_two_programs_in_one_command_both_count(project: Project, program: Path) -> None:
    suite = project.suite(f"{program} --gtest_filter=Copy.Good && {program} --gtest_filter=All/Widths.Sum/0")

    assert (suite.verdict, statuses(suite)) == (
        Verdict.PASS, {"Copy::Good": "passed", "All/Widths::Sum/0": "passed"},
    )  # fmt: skip


def test_a_crash_keeps_what_had_finished_and_names_the_test(project: Project, program: Path) -> None:
    suite = project.suite(f"{program} --gtest_filter=Copy.Good:Zlast.*", env={"CRASH": "1"})

    assert suite.verdict is Verdict.FAIL
    assert "Zlast::Crash: running when the process ended by SIGABRT" in suite.reason
    assert statuses(suite) == {
        "Copy::Good": "passed",
        "Zlast::Crash": "errored",
        "Zlast::Hang": "passed",
    }


def test_a_timeout_keeps_what_had_finished_and_names_the_test(project: Project, program: Path) -> None:
    suite = project.suite(f"{program} --gtest_filter=Copy.Good:Zlast.*", env={"HANG": "1"}, timeout="2s")

    assert suite.timed_out
    assert "running: Zlast::Hang" in suite.reason
    assert statuses(suite) == {"Copy::Good": "passed", "Zlast::Crash": "passed", "Zlast::Hang": "errored"}


def test_a_filter_that_fits_nothing_is_a_failure(project: Project, program: Path) -> None:
    suite = project.suite(f"{program} --gtest_filter=Nothing.*")

    assert (suite.verdict, suite.reason) == (Verdict.FAIL, "no test ran (exit status 0)")


def test_only_failed_tests_run_again_and_the_one_that_passes_is_flaky(
    project: Project, program: Path
) -> None:
    suite = project.suite(f"{program} '--gtest_filter=Copy.Good:Copy.Bad:Once.*'", retries=1)

    assert suite.verdict is Verdict.FAIL
    assert suite.reason == "1 failed, 1 flaky, 1 passed"
    again = (project.out / "logs/test-unit.retry-1.log").read_text()
    assert "Copy.Good" not in again.split("Running", 1)[1]


def test_a_test_that_exits_with_0_is_no_success_and_the_rest_runs(project: Project, program: Path) -> None:
    suite = project.suite(f"{program} --gtest_filter=-Once*:*Bad:*Sum*", env={"EXIT": "1"}, retries=0)

    assert suite.verdict is Verdict.FAIL
    assert statuses(suite) == {
        "Copy::Good": "passed",
        "Copy::DISABLED_Later": "skipped",
        "Copy::Peer": "skipped",
        "Zlast::Crash": "errored",
        "Zlast::Hang": "passed",
    }


def test_a_test_that_takes_too_long_is_ended_and_the_rest_runs(project: Project, program: Path) -> None:
    suite = project.suite(
        f"{program} --gtest_filter=Copy.Good:Zlast.*:All/*0 --gtest_shuffle --gtest_random_seed=7",
        env={"HANG": "1"},
        retries=0,
        **{"test-timeout": "1s"},
    )

    assert statuses(suite) == {
        "Copy::Good": "passed",
        "All/Widths::Sum/0": "passed",
        "Zlast::Crash": "passed",
        "Zlast::Hang": "errored",
    }
    hung = next(case for case in suite.cases if case.id == "Zlast::Hang")
    assert hung.message == "ran longer than 1s and was ended"


def test_what_another_program_prints_is_not_taken_for_a_test_of_ours(project: Project, program: Path) -> None:
    suite = project.suite(
        f"echo '[ RUN      ] Other.Test'; {program} --gtest_filter=Copy.Good | cat", retries=0
    )

    assert (suite.verdict, statuses(suite)) == (Verdict.PASS, {"Copy::Good": "passed"})


def test_more_tests_than_a_variable_holds_are_chosen_too(project: Project, program: Path) -> None:
    from rocm_ci.runners.base import Listed, Slot
    from rocm_ci.runners.gtest import RUNNER
    from rocm_ci.tools.process import ProcessRunner

    runner = ProcessRunner()
    out = project.out / "junit"
    slot = Slot(
        root=project.root, xml=out / "u.xml", folder=out / "u.d", is_named=False, environment={}, run=runner
    )
    many = tuple(Listed(id=f"A::{n}", name=str(n), native=f"Suite.Test{n}") for n in range(20_000))
    good = Listed(id="Copy::Good", name="Good", native="Copy.Good")

    prepared = RUNNER.prepare(f"{program} --gtest_filter=Zlast.*", slot, (*many, good))

    assert prepared is not None
    done = runner.capture(["bash", "-c", prepared.command], env=prepared.environment, cwd=project.root)
    assert "1 test from 1 test suite ran" in done.text
    assert "Copy.Good" in done.text
