"""pytest: recognised, made to report, read from its lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import plugged
from rocm_ci.runners.base import Listed
from rocm_ci.runners.pytest import RUNNER, identity
from tests.unit.runners.slots import slot

FAILED = (Listed(id="a::b", name="b", native="a.py::b"),)


@pytest.mark.parametrize(
    "command",
    ["pytest", "python -m pytest tests", "/venv/bin/py.test -q", "X=1 timeout 5 pytest", "uv run pytest", "cd a && pytest",
     "python3.11 -m coverage run -m pytest"],
)  # fmt: skip
def test_its_commands_are_recognised(command: str) -> None:
    assert RUNNER.claims(command)


@pytest.mark.parametrize(
    "command",
    ["pip install pytest", "python -m pip install pytest", "echo pytest", "./run.sh", "python pytest/x.py"],
)
def test_commands_that_only_name_it_are_not(command: str) -> None:
    assert not RUNNER.claims(command)


def test_it_is_asked_through_its_environment_and_keeps_what_was_there() -> None:
    prepared = RUNNER.prepare("pytest -q", slot(PYTEST_ADDOPTS="-x"))

    assert prepared is not None
    assert prepared.command == "pytest -q"
    assert prepared.environment["PYTEST_ADDOPTS"] == (
        "-x -vv -o junit_family=xunit2 --junitxml=/out/junit/unit.xml"
    )


def test_the_wanted_tests_are_written_down_for_the_plug_in(tmp_path: Path) -> None:
    where = slot(named=True, out=tmp_path)
    prepared = RUNNER.prepare("pytest", where, FAILED)

    assert prepared is not None
    assert prepared.environment["PYTEST_ADDOPTS"].endswith("-p rocm_ci_pytest")
    assert json.loads(where.wanted.read_text()) == ["a.py::b"]
    assert json.loads(prepared.environment["ROCM_CI_PYTEST"])["only"] == str(where.wanted)


def test_where_the_plug_in_is_not_heard_the_failed_tests_come_from_its_own_cache() -> None:
    prepared = RUNNER.prepare("pytest", slot(named=True, deaf=True), FAILED)

    assert prepared is not None
    assert prepared.environment["PYTEST_ADDOPTS"].endswith("--last-failed --last-failed-no-failures=none")
    assert RUNNER.prepare("pytest -p no:cacheprovider", slot(deaf=True), FAILED) is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("PYTHONPATH=src pytest", f"PYTHONPATH=src:{plugged.FOLDER} pytest"),
        ("PYTHONPATH='a b' pytest", f"PYTHONPATH='a b':{plugged.FOLDER} pytest"),
        ("export PYTHONPATH=a; env PYTHONPATH= pytest", f"export PYTHONPATH=a:{plugged.FOLDER}; env PYTHONPATH={plugged.FOLDER} pytest"),
        ("pytest -k PYTHON", "pytest -k PYTHON"),
    ],
)  # fmt: skip
def test_a_path_that_the_command_sets_itself_gets_the_plug_in_too(command: str, expected: str) -> None:
    prepared = RUNNER.prepare(command, slot())

    assert prepared is not None
    assert prepared.command == expected


def test_the_plug_in_is_named_only_where_it_would_not_be_found_by_itself() -> None:
    plain = RUNNER.prepare("pytest", slot())
    alone = RUNNER.prepare("PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest", slot())
    isolated = RUNNER.prepare("PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -I -m pytest", slot())

    assert plain is not None
    assert alone is not None
    assert isolated is not None
    assert "rocm_ci_pytest" not in plain.environment["PYTEST_ADDOPTS"]
    assert "-p rocm_ci_pytest" in alone.environment["PYTEST_ADDOPTS"]
    assert "rocm_ci_pytest" not in isolated.environment["PYTEST_ADDOPTS"]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("tests/test_a.py::test_b PASSED                  [ 50%]", CaseStatus.PASSED),
        ("tests/test_a.py::TestC::test_b[x y-1] \x1b[31mFAILED\x1b[0m [100%]", CaseStatus.FAILED),
        ("tests/test_a.py::test_b SKIPPED (no GPU)        [ 50%]", CaseStatus.SKIPPED),
        ("tests/test_a.py::test_b XFAIL (known)", CaseStatus.SKIPPED),
        ("tests/test_a.py::test_b ERROR", CaseStatus.ERRORED),
        ("[gw1] [ 50%] PASSED tests/test_a.py::test_b ", CaseStatus.PASSED),
    ],
)
def test_a_line_tells_how_a_test_ended(line: str, status: CaseStatus) -> None:
    watch = RUNNER.watch()
    watch.line(line)

    assert [seen.status for seen in watch.seen.values()] == [status]


def test_the_test_without_an_end_was_running() -> None:
    watch = RUNNER.watch()
    for line in (
        "a.py::test_a PASSED [ 50%]",
        "a.py::test_b Fatal Python error: Segmentation fault",
        "a.py:3 x",
    ):
        watch.line(line)

    assert [seen.native for seen in watch.running()] == ["a.py::test_b"]


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        ("===== 2 failed, 3 passed, 1 error in 0.12s =====", 3),
        ("1 failed in 3.00s", 1),
        ("3 passed in 1.0s", 0),
    ],
)
def test_the_summary_is_counted(line: str, failed: int) -> None:
    watch = RUNNER.watch()
    watch.line(line)

    assert watch.failed() == failed


def test_no_tests_are_heard() -> None:
    watch = RUNNER.watch()
    watch.line("============ no tests ran in 0.01s ============")

    assert watch.nothing_ran


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("tests/ops/test_a.py::test_b", ("tests.ops.test_a::test_b", "test_b")),
        ("test_a.py::TestC::test_b[x::y/z.py]", ("test_a.TestC::test_b[x::y/z.py]", "test_b[x::y/z.py]")),
    ],
)
def test_a_node_id_becomes_the_id_of_the_report(node: str, expected: tuple[str, str]) -> None:
    assert identity(node) == expected


def test_a_test_not_seen_on_the_output_is_found_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "sub/tests").mkdir(parents=True)
    (tmp_path / "sub/tests/test_a.py").touch()
    case = Case(
        id="tests.test_a.TestC::test_b[it's]", suite="", name="test_b[it's]", status=CaseStatus.FAILED
    )

    line = RUNNER.reproduce(case, "cd sub && python -m pytest", tmp_path, None)

    assert line == "cd sub && python -m pytest 'tests/test_a.py::TestC::test_b[it'\"'\"'s]'"
    assert RUNNER.reproduce(case, "pytest", tmp_path, None) is None


@pytest.mark.parametrize("python", ["$ROCM_CI_PYTHON", '"${ROCM_CI_PYTHON:-python3}"'])
def test_a_line_to_paste_names_no_variable_that_is_only_set_here(python: str, tmp_path: Path) -> None:
    case = Case(id="test_a::test_b", suite="unit", name="test_b", status=CaseStatus.FAILED)

    line = RUNNER.reproduce(case, f"{python} -m pytest", tmp_path, "test_a.py::test_b")

    assert line == "python3 -m pytest test_a.py::test_b"
