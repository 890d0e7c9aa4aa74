"""After an end before its time the rest runs, with real pytest, xdist, GoogleTest and ctest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.runners.conftest import PYTEST
from tests.e2e.runners.test_ctest import CONFIGURE, cmake

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.model.result import Suite
    from tests.e2e.runners.conftest import Project

ENDS = {
    "os._exit(0)": "never reported an end: the process ended with status 0",
    "os._exit(3)": "never reported an end: the process ended with status 3",
    "os.kill(os.getpid(), 9)": "running when the process ended by SIGKILL",
    "os.abort()": "running when the process ended by SIGABRT",
    "pytest.exit('enough', 0)": "never reported an end: the process ended with status 0",
}
HOSTILE = """
import os, pytest
@pytest.mark.parametrize("x", ["a b", "n\\nl", "it's $HOME", "[é]", "::x.py::y", "\\x1b[31m", "z" * 1200])
def test_op(x):
    with open("ran", "a") as ran:
        ran.write(ascii(x) + "\\n")
def test_crash(): os._exit(1)
@pytest.mark.parametrize("x", ["a b", "n\\nl", "it's $HOME", "[é]", "::x.py::y", "\\x1b[31m", "z" * 1200])
def test_later(x): pass
"""


def messages(suite: Suite) -> dict[str, str | None]:
    return {case.name: case.message for case in suite.cases if case.status.value == "errored"}


@pytest.mark.parametrize(("end", "told"), ENDS.items())
def test_the_test_that_ends_pytest_is_named_and_the_others_run(
    project: Project, end: str, told: str, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write("test_a.py", "def test_a(): pass\n")
    project.write("test_b.py", f"import os, pytest\ndef test_b(): {end}\ndef test_c(): pass\n")
    project.write("test_d.py", "def test_d(): assert 0, 'wrong'\n")

    suite = project.suite(PYTEST, retries=0)

    assert cases(suite) == {
        "test_a::test_a": "passed",
        "test_b::test_b": "errored",
        "test_b::test_c": "passed",
        "test_d::test_d": "failed",
    }
    assert suite.verdict is Verdict.FAIL
    assert messages(suite) == {"test_b": told}


def test_a_script_that_starts_pytest_with_a_path_of_its_own_is_heard_where_it_can_be(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write("test_a.py", "import os\ndef test_a(): os._exit(0)\ndef test_b(): pass\n")
    project.write("run.sh", f"{PYTEST} -q\n")
    project.write("deaf.sh", f"PYTHONPATH=src {PYTEST}\n")

    heard = project.suite("sh run.sh", runner="pytest", retries=0)
    deaf = project.suite("sh deaf.sh", runner="pytest", retries=0)

    assert cases(heard) == {"test_a::test_a": "errored", "test_a::test_b": "passed"}
    assert (deaf.verdict, cases(deaf)) == (Verdict.FAIL, {"test_a::test_a": "errored"})


def test_node_ids_of_any_kind_run_once_and_only_once(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write("test_a.py", HOSTILE)

    suite = project.suite(PYTEST, retries=0)

    assert sorted(cases(suite).values()) == ["errored", *["passed"] * 14]
    assert len((project.root / "ran").read_text().splitlines()) == 7


def test_a_worker_that_dies_takes_no_other_test_along(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    names = [f"test_{n}" for n in range(12)]
    body = "".join(f"def {name}(): {'os._exit(1)' if name == 'test_5' else 'pass'}\n" for name in names)
    project.write("test_a.py", f"import os\n{body}")

    goes_on = project.suite(f"{PYTEST} -n2", retries=0)
    gives_up = project.suite(f"{PYTEST} -n2 --max-worker-restart=0", retries=0)

    expected = {f"test_a::{name}": "passed" for name in names}
    for suite in (goes_on, gives_up):
        assert {**cases(suite), "test_a::test_5": "passed"} == expected
        assert cases(suite)["test_a::test_5"] in ("failed", "errored")
        assert suite.verdict is Verdict.FAIL


def test_a_test_that_takes_too_long_is_ended_and_shows_where_it_hung(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write(
        "test_a.py",
        "import time\ndef test_a(): pass\ndef wait_for_gpu(): time.sleep(600)\n"
        "def test_hang(): wait_for_gpu()\ndef test_c(): pass\n",
    )

    suite = project.suite(PYTEST, **{"test-timeout": "4s"}, retries=0, timeout="2m")

    assert cases(suite) == {
        "test_a::test_a": "passed",
        "test_a::test_hang": "errored",
        "test_a::test_c": "passed",
    }
    assert messages(suite) == {"test_hang": "ran longer than 4s and was ended"}
    assert not suite.timed_out
    assert "in wait_for_gpu" in (project.out / "logs/test-unit.log").read_text()


def test_tests_find_the_environment_that_the_project_gave_them(project: Project) -> None:
    project.write(
        "test_a.py",
        "import os, subprocess, sys\n"
        "def test_a():\n"
        "    assert os.environ['PYTEST_ADDOPTS'] == '-p no:doctest'\n"
        "    assert 'ROCM_CI_PYTEST' not in os.environ and 'PYTHONPATH' not in os.environ\n"
        "def test_inner(tmp_path):\n"
        "    (tmp_path / 'test_in.py').write_text('def test_in(): pass')\n"
        "    subprocess.run([sys.executable, '-m', 'pytest', str(tmp_path)], check=True)\n",
    )

    suite = project.suite(PYTEST, env={"PYTEST_ADDOPTS": "-p no:doctest"}, retries=0)

    assert suite.verdict is Verdict.PASS
    assert [case.name for case in suite.cases] == ["test_a", "test_inner"]


@pytest.mark.parametrize(
    "options",
    ["-p no:terminal", "-p no:cacheprovider", "--import-mode=importlib", "-p no:faulthandler", "-s", "-p no:junitxml"],
)  # fmt: skip
def test_options_that_take_things_away_do_not_break_it(
    project: Project, options: str, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write("tests/test_a.py", "import os\ndef test_a(): os._exit(0)\ndef test_b(): pass\n")

    suite = project.suite(f"{PYTEST} {options} tests", retries=1, **{"test-timeout": "60s"})

    if options == "-p no:junitxml":  # ours asks for a report: such a suite never worked
        assert suite.verdict is Verdict.FAIL
    else:
        assert cases(suite) == {"tests.test_a::test_a": "errored", "tests.test_a::test_b": "passed"}


def test_without_autoloaded_plug_ins_it_is_loaded_by_name(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write("test_a.py", "import os\ndef test_a(): os._exit(0)\ndef test_b(): pass\n")

    suite = project.suite(f"PYTHONPATH=. PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {PYTEST}", retries=0)

    assert cases(suite) == {"test_a::test_a": "errored", "test_a::test_b": "passed"}


def test_two_runs_of_pytest_in_one_command_both_report(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write("a/test_a.py", "def test_a(): pass\n")
    project.write("b/test_b.py", "import os\ndef test_b(): assert os.path.exists('mark')\n")
    project.write("b/conftest.py", "import atexit\natexit.register(lambda: open('mark', 'w'))\n")

    suite = project.suite(f"{PYTEST} a && {PYTEST} b")

    assert cases(suite) == {"a.test_a::test_a": "passed", "b.test_b::test_b": "flaky"}


def test_from_a_folder_below_the_root_of_the_project_tests_are_chosen_too(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write("pytest.ini", "[pytest]\n")
    project.write("test_a.py", "def test_a(): assert 0\n")
    project.write("sub/test_a.py", "import os\ndef test_a(): os._exit(0)\ndef test_b(): pass\n")

    suite = project.suite(f"cd sub && {PYTEST} --import-mode=importlib", retries=1)

    assert cases(suite) == {"sub.test_a::test_a": "errored", "sub.test_a::test_b": "passed"}


def test_a_ctest_that_is_killed_loses_no_test(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    cmake(
        project,
        "cmake_policy(SET CMP0110 NEW)",
        "add_test(NAME a COMMAND true)",
        'add_test(NAME "b c" COMMAND sh -c "kill -KILL $PPID")',
        "add_test(NAME d COMMAND true)",
        "add_test(NAME e COMMAND false)",
    )

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build", retries=1)

    assert {key.split("::")[0]: status for key, status in cases(suite).items()} == {
        "a": "passed",
        "b c": "errored",
        "d": "passed",
        "e": "failed",
    }


def test_a_ctest_test_that_takes_too_long_ends_alone(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    cmake(
        project,
        "add_test(NAME a COMMAND sleep 600)",
        "add_test(NAME own COMMAND sleep 600)",
        "set_tests_properties(own PROPERTIES TIMEOUT 500)",
        "add_test(NAME z COMMAND true)",
    )

    suite = project.suite(f"{CONFIGURE} && ctest --test-dir build", **{"test-timeout": "1s"}, retries=0)

    assert {key.split("::")[0]: status for key, status in cases(suite).items()} == {
        "a": "failed",
        "own": "errored",
        "z": "passed",
    }
    assert messages(suite) == {"own": "ran longer than 1s and was ended"}
