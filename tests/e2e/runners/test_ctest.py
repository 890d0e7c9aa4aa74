"""Real ctest runs over a CMake project made on the spot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests import require

if TYPE_CHECKING:
    from tests.e2e.runners.conftest import Project

CONFIGURE = "cmake -S . -B build >/dev/null"


@pytest.fixture(autouse=True)
def _cmake() -> None:
    require.program("cmake", "apt-get install cmake")
    require.program("ctest", "apt-get install cmake")


def cmake(project: Project, *lines: str) -> None:
    text = "\n".join(["cmake_minimum_required(VERSION 3.16)", "project(x NONE)", "enable_testing()", *lines])
    project.write("CMakeLists.txt", text + "\n")


def statuses(suite: object) -> dict[str, str]:
    return {case.name: case.status.value for case in suite.cases}  # type: ignore[attr-defined]


def test_every_way_to_end_is_told_apart(project: Project) -> None:
    cmake(
        project,
        "add_test(NAME good COMMAND true)",
        "add_test(NAME bad COMMAND sh -c \"echo src/a.cc:12: Failure; exit 1\")",
        "add_test(NAME missing COMMAND ${CMAKE_BINARY_DIR}/never_built)",
        "add_test(NAME wanted COMMAND sh -c \"exit 77\")",
        "set_tests_properties(wanted PROPERTIES SKIP_RETURN_CODE 77)",
        "add_test(NAME off COMMAND true)",
        "set_tests_properties(off PROPERTIES DISABLED TRUE)",
        "add_test(NAME slow COMMAND sleep 60)",
        "set_tests_properties(slow PROPERTIES TIMEOUT 1)",
        "add_test(NAME crash COMMAND sh -c \"kill -SEGV $$\")",
    )  # fmt: skip

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build")

    assert (suite.runner, suite.verdict) == ("ctest", Verdict.FAIL)
    assert statuses(suite) == {
        "good": "passed", "bad": "failed", "missing": "errored", "wanted": "skipped", "off": "skipped",
        "slow": "failed", "crash": "failed",
    }  # fmt: skip
    assert suite.reason == "3 failed, 1 errored, 1 passed, 2 skipped"
    cases = {case.name: case for case in suite.cases}
    assert (cases["bad"].path, cases["bad"].line) == ("src/a.cc", 12)
    assert cases["missing"].message == "Unable to find executable"
    assert cases["slow"].message == "Timeout"
    assert cases["crash"].message == "Exception: SegFault"
    assert cases["bad"].reproduce == "ctest --test-dir build -R '^bad$' --output-on-failure"


def test_a_missing_executable_alone_turns_the_suite_red(project: Project) -> None:
    cmake(
        project,
        "add_test(NAME a.b COMMAND ${CMAKE_BINARY_DIR}/never_built)",
        "add_test(NAME good COMMAND true)",
    )

    suite = project.suite(f"{CONFIGURE} && (ctest --test-dir build || true)")

    assert suite.verdict is Verdict.FAIL
    assert statuses(suite) == {"a.b": "errored", "good": "passed"}
    assert suite.cases[0].reproduce == "ctest --test-dir build -R '^a\\.b$' --output-on-failure"


def test_no_test_found_is_a_failure_although_ctest_exits_with_0(project: Project) -> None:
    cmake(project)

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build")

    assert (suite.exit_code, suite.verdict) == (0, Verdict.FAIL)
    assert suite.reason == "no test ran (exit status 0)"


def test_a_crash_after_a_green_report_is_a_failure(project: Project) -> None:
    cmake(project, "add_test(NAME good COMMAND true)")

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build && kill -SEGV $$")

    assert suite.verdict is Verdict.FAIL
    assert suite.reason == "crashed with SIGSEGV although no test had failed; 1 passed"


def test_a_timeout_ends_a_grandchild_that_left_its_session_and_ignores_sigterm(project: Project) -> None:
    pidfile = project.root / "pid"
    script = project.write(
        "daemon.sh",
        "#!/bin/sh\ntrap '' TERM\nsetsid sh -c \"trap '' TERM; echo \\$\\$ > pid; while :; do sleep 1; done\" &\n"
        "while :; do sleep 1; done\n",
    )
    script.chmod(0o755)
    cmake(project, "add_test(NAME good COMMAND true)",
          "add_test(NAME hang COMMAND ${CMAKE_SOURCE_DIR}/daemon.sh WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})")  # fmt: skip

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build", timeout="3s")

    assert (suite.verdict, suite.timed_out) == (Verdict.FAIL, True)
    assert "running: hang::hang" in suite.reason
    assert statuses(suite) == {"good": "passed", "hang": "errored"}
    pid = int(pidfile.read_text())
    assert not Path(f"/proc/{pid}/cmdline").exists() or not Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_process_left_behind_is_ended_and_told(project: Project) -> None:
    cmake(project, "add_test(NAME good COMMAND true)")

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build; setsid sleep 86399 >/dev/null 2>&1 &")

    assert (suite.verdict, suite.reason) == (
        Verdict.PASS,
        "1 process(es) outlived the command and were ended",
    )
    assert "sleep 86399" not in {_command(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()}


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""


def test_only_the_failed_test_runs_again(project: Project) -> None:
    cmake(
        project,
        "add_test(NAME count COMMAND sh -c \"echo x >> ran\")",
        "add_test(NAME once COMMAND sh -c \"test -e mark || { touch mark; exit 1; }\")",
        "set_tests_properties(count once PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})",
    )  # fmt: skip

    suite = project.suite(f"{CONFIGURE} && cd build && ctest -j2", retries=1)

    assert (suite.verdict, suite.reason) == (Verdict.NEUTRAL, "1 flaky, 1 passed")
    assert (project.root / "ran").read_text() == "x\n"
    assert next(c for c in suite.cases if c.name == "once").reproduce == (
        "ctest --test-dir build -R '^once$' --output-on-failure"
    )


def test_a_ctest_without_junit_is_read_from_its_output(project: Project) -> None:
    cmake(project, "add_test(NAME good COMMAND true)", "add_test(NAME bad COMMAND false)",
          "add_test(NAME missing COMMAND ${CMAKE_BINARY_DIR}/never_built)")  # fmt: skip
    old = project.write(
        "bin/ctest",
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo ctest version 3.18.4; exit; fi\n"
        "case \"$*\" in *--output-junit*) echo unknown argument; exit 1;; esac\nPATH=${PATH#*:} exec ctest \"$@\"\n",
    )  # fmt: skip
    old.chmod(0o755)

    suite = project.suite(
        f"{CONFIGURE} && ctest --test-dir build", env={"PATH": f"{old.parent}:{os.environ['PATH']}"}
    )

    assert suite.verdict is Verdict.FAIL
    assert statuses(suite) == {"good": "passed", "bad": "failed", "missing": "errored"}


def test_two_test_runs_in_one_command_both_count(project: Project) -> None:
    cmake(project, "add_test(NAME a COMMAND true)", "add_test(NAME b COMMAND true)")

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build -R a && ctest --test-dir build -R b")

    assert (suite.verdict, statuses(suite)) == (Verdict.PASS, {"a": "passed", "b": "passed"})


def test_a_retry_by_ctest_itself_is_told_as_flaky(project: Project) -> None:
    cmake(project, 'add_test(NAME once COMMAND sh -c "test -e mark || { touch mark; exit 1; }")')

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build --repeat until-pass:2")

    assert (suite.verdict, suite.reason) == (Verdict.NEUTRAL, "1 flaky")
    assert (suite.cases[0].attempts, suite.cases[0].message) == (2, "Failed")
