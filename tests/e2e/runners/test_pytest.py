"""Real pytest runs: what the report, the exit status and the output say, and who is blamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.runners.conftest import PYTEST

if TYPE_CHECKING:
    from tests.e2e.runners.conftest import Project

MIXED = """
import pytest

def test_good():
    pass

@pytest.mark.parametrize("op", ["a b", "x::y", "it's"])
def test_op(op):
    assert op != "x::y", "\\x1b[31mred\\x1b[0m"

@pytest.mark.skip(reason="needs gfx950")
def test_later():
    pass
"""


def test_failures_come_with_place_message_and_a_command_to_paste(project: Project) -> None:
    project.write("tests/test_ops.py", MIXED)

    suite = project.suite(f"{PYTEST} tests -q")

    assert (suite.runner, suite.verdict, suite.exit_code) == ("pytest", Verdict.FAIL, 1)
    assert suite.reason == "1 failed, 3 passed, 1 skipped"
    (failed,) = [case for case in suite.cases if case.status.value == "failed"]
    assert failed.id == "tests.test_ops::test_op[x::y]"
    assert (failed.path, failed.line) == ("tests/test_ops.py", 9)
    assert failed.message is not None
    assert "red" in failed.message
    assert "[31m" not in failed.message
    assert failed.reproduce is not None
    assert failed.reproduce.endswith("-m pytest 'tests/test_ops.py::test_op[x::y]'")


def test_the_command_to_paste_reproduces_the_failure(project: Project) -> None:
    project.write("tests/test_ops.py", MIXED.replace('!= "x::y"', '!= "it\'s"'))

    suite = project.suite(f"{PYTEST} tests")
    (failed,) = [case for case in suite.cases if case.status.value == "failed"]
    assert failed.reproduce is not None
    again = project.suite(failed.reproduce)

    assert [(case.id, case.status.value) for case in again.cases] == [
        ("tests.test_ops::test_op[it's]", "failed")
    ]


def test_a_green_run_is_a_pass_and_leaves_log_and_report(project: Project) -> None:
    project.write("test_a.py", "def test_a(): print('hello')")

    suite = project.suite(f"{PYTEST} -s")

    assert (suite.verdict, suite.reason, suite.log) == (Verdict.PASS, "", "logs/test-unit.log")
    assert "hello" in (project.out / "logs/test-unit.log").read_text()
    assert "<testsuite " in (project.out / "junit/unit.xml").read_text()


def test_a_named_placeholder_gets_the_report(project: Project) -> None:
    project.write("test_a.py", "def test_a(): pass")

    suite = project.suite(f'{PYTEST} --junitxml="{{junit}}"')

    assert [case.id for case in suite.cases] == ["test_a::test_a"]


def test_a_report_the_command_writes_elsewhere_is_read_and_kept(project: Project) -> None:
    project.write("test_a.py", "def test_a(): pass")
    project.write("mine.xml", "<testsuite><testcase name='stale'><failure/></testcase></testsuite>")

    suite = project.suite(f"{PYTEST} --junitxml mine.xml")

    assert [case.id for case in suite.cases] == ["test_a::test_a"]
    assert (project.out / "junit/unit.d/report-1.xml").is_file()


def test_a_report_of_an_earlier_run_never_passes_for_this_one(project: Project) -> None:
    project.write("test_a.py", "def test_a(): pass")
    assert project.suite(PYTEST).verdict is Verdict.PASS

    suite = project.suite("true", runner="pytest")

    assert suite.verdict is Verdict.FAIL
    assert suite.reason == "no JUnit XML was written (exit status 0)"


def test_no_test_collected_is_a_failure(project: Project) -> None:
    project.write("test_a.py", "def helper(): pass")

    suite = project.suite(PYTEST)

    assert suite.verdict is Verdict.FAIL
    assert suite.reason == "no test ran (exit status 5)"


def test_a_module_that_cannot_be_imported_is_an_errored_case(project: Project) -> None:
    project.write("tests/test_a.py", "import nosuchmodule")

    suite = project.suite(f"{PYTEST} tests")

    (case,) = suite.cases
    assert (suite.verdict, case.status.value) == (Verdict.FAIL, "errored")
    assert case.reproduce is not None
    assert case.reproduce.endswith("pytest tests/test_a.py")


def test_a_crash_names_the_signal_and_the_test_that_was_running(project: Project) -> None:
    project.write(
        "test_a.py",
        "import os, signal\ndef test_a(): pass\ndef test_b(): os.kill(os.getpid(), signal.SIGSEGV)\ndef test_c(): pass\n",
    )

    suite = project.suite(PYTEST)

    assert suite.verdict is Verdict.FAIL
    assert "SIGSEGV" in suite.reason
    assert {case.id: case.status.value for case in suite.cases} == {
        "test_a::test_a": "passed",
        "test_a::test_b": "errored",
        "test_a::test_c": "passed",
    }


def test_an_abort_shows_the_fault_and_the_frames_of_the_project(project: Project) -> None:
    project.write(
        "test_a.py",
        "import os\ndef test_ok(): pass\ndef deep(): os.abort()\ndef test_a(): deep()\n",
    )

    suite = project.suite(f"{PYTEST} -v")

    (case,) = [case for case in suite.cases if case.status.value == "errored"]
    assert (case.path, case.line) == ("test_a.py", 3)
    for shown in (case.excerpt or "", suite.excerpt or ""):
        assert "Fatal Python error: Aborted" in shown
        assert "line 3 in deep" in shown
        assert "line 4 in test_a" in shown
        assert "_pytest" not in shown
        assert "pluggy" not in shown.partition("Fatal Python error")[2]


def test_what_a_runtime_said_before_it_died_is_shown_above_its_long_stack(project: Project) -> None:
    frames = "".join(f"frame #{n}: <unknown function> (0x7f in libtorch_hip.so)\\n" for n in range(90))
    project.write(
        "test_a.py",
        "import os\ndef test_a():\n"
        f"    os.write(2, b\"terminate called after throwing an instance of 'c10::Error'\\n{frames}\")\n"
        "    os.abort()\n",
    )

    suite = project.suite(f"{PYTEST} -s")

    for shown in (suite.cases[0].excerpt or "", suite.excerpt or ""):
        assert "terminate called after throwing an instance of 'c10::Error'" in shown
        assert "[… 82 frames left out …]" in shown
        assert "line 4 in test_a" in shown


def test_a_crash_after_a_green_report_is_a_failure(project: Project) -> None:
    project.write("test_a.py", "def test_a(): pass")
    project.write(
        "conftest.py",
        "import os\ndef pytest_unconfigure(config):\n    if not hasattr(config, 'workerinput'): os.abort()\n",
    )

    suite = project.suite(f"{PYTEST} -p no:faulthandler")

    assert suite.verdict is Verdict.FAIL
    assert "SIGABRT although no test had failed" in suite.reason
    assert [case.status.value for case in suite.cases] == ["passed"]


def test_an_exit_status_of_zero_does_not_hide_a_failed_test(project: Project) -> None:
    project.write("test_a.py", "def test_a(): assert 0")

    suite = project.suite(f"{PYTEST} || true")

    assert suite.verdict is Verdict.FAIL
    assert suite.reason == "1 failed; the exit status is 0 all the same"


def test_a_timeout_reports_what_finished_and_names_what_ran(project: Project) -> None:
    project.write(
        "test_a.py", "import time\ndef test_a(): pass\ndef test_hang(): time.sleep(600)\ndef test_c(): pass\n"
    )

    suite = project.suite(f"{PYTEST} -q", timeout="10s")

    assert (suite.verdict, suite.timed_out) == (Verdict.FAIL, True)
    assert suite.reason.startswith("timed out after 10s; 1 test(s) had finished; running: test_a::test_hang")
    assert {case.id: case.status.value for case in suite.cases} == {
        "test_a::test_a": "passed",
        "test_a::test_hang": "errored",
    }


def test_a_test_that_passes_when_run_again_is_flaky_and_neutral(project: Project) -> None:
    project.write(
        "test_a.py",
        "import pathlib\nMARK = pathlib.Path('mark')\ndef test_once():\n"
        "    first = not MARK.exists()\n    MARK.touch()\n    assert not first\ndef test_a(): pass\n",
    )

    suite = project.suite(f"{PYTEST}", retries=2)

    assert (suite.verdict, suite.reason) == (Verdict.NEUTRAL, "1 flaky, 1 passed")
    flaky = next(case for case in suite.cases if case.status.value == "flaky")
    assert (flaky.id, flaky.attempts) == ("test_a::test_once", 2)
    assert flaky.message is not None
    assert "assert not" in flaky.message
    assert not (project.out / "junit/unit.retry-2.xml").exists()


def test_a_test_that_fails_every_time_counts_its_attempts(project: Project) -> None:
    project.write("test_a.py", "def test_a(): assert 0\ndef test_b(): pass\n")

    suite = project.suite(PYTEST, retries=2)

    assert (suite.verdict, suite.reason) == (Verdict.FAIL, "1 failed, 1 passed")
    assert [case.attempts for case in suite.cases] == [3, 1]


@pytest.mark.parametrize("workers", ["-n 2"])
def test_workers_of_xdist_report_like_one_process(project: Project, workers: str) -> None:
    project.write("test_a.py", "import time\ndef test_a(): pass\ndef test_hang(): time.sleep(600)\n")

    suite = project.suite(f"{PYTEST} {workers}", timeout="8s")

    assert "running: test_a::test_hang" in suite.reason
    assert {case.id: case.status.value for case in suite.cases} == {
        "test_a::test_a": "passed",
        "test_a::test_hang": "errored",
    }
