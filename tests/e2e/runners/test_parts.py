"""Suites cut into parts: together they are what the whole is, test by test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.runners.conftest import PYTEST
from tests.e2e.runners.test_ctest import cmake
from tests.e2e.runners.test_gtest import program as program  # noqa: PLC0414 - a fixture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocm_ci.model.result import Suite
    from tests.e2e.runners.conftest import Project

TESTS = """
import os, pytest
@pytest.fixture(scope="module")
def prepared(): return 3
@pytest.mark.parametrize("x", range(40))
def test_many(x, prepared): assert x % 13 or x == 0, f"unlucky {x}"
@pytest.mark.parametrize("x", ["a b", "x::y.py", "[1]"])
def test_odd(x): pass
@pytest.mark.skip(reason="needs two GPUs")
def test_later(): pass
@pytest.mark.xfail
def test_known(): assert 0
class TestGroup:
    def test_in(self): pass
def test_broken(nosuchfixture): pass
"""


def shown(suite: Suite) -> dict[str, tuple[str, str | None]]:
    return {case.id: (case.status.value, case.message) for case in suite.cases}


@pytest.mark.parametrize("options", ["", "-k 'many or odd'", "-n2"])
def test_parts_of_a_pytest_suite_are_the_whole(project: Project, options: str) -> None:
    project.write("tests/test_a.py", TESTS)
    project.write("tests/sub/test_b.py", "def test_b(): pass\n")

    whole = project.suite(f"{PYTEST} {options} tests", retries=0)
    parts = project.suite(f"{PYTEST} {options} tests", retries=0, shards=3)

    assert len(whole.cases) > 40
    assert len(parts.cases) == len(whole.cases)
    assert shown(parts) == shown(whole)
    assert (parts.verdict, parts.shards) == (whole.verdict, 3)


def test_parts_of_a_gtest_suite_are_the_whole(project: Project, program: Path) -> None:
    command = f"{program} --gtest_filter=-Once*"

    whole = project.suite(command, retries=0)
    parts = project.suite(command, retries=0, shards=3)

    assert len(parts.cases) == len(whole.cases)
    assert shown(parts) == shown(whole)
    assert (parts.verdict, parts.shards) == (whole.verdict, 3)


def test_parts_of_a_ctest_suite_are_the_whole_and_its_fixtures_count_once(project: Project) -> None:
    cmake(
        project,
        *(f"add_test(NAME t{n} COMMAND {'false' if n == 7 else 'true'})" for n in range(12)),
        "add_test(NAME prepare COMMAND true)",
        "set_tests_properties(prepare PROPERTIES FIXTURES_SETUP data)",
        "set_tests_properties(t2 t3 t4 t5 PROPERTIES FIXTURES_REQUIRED data)",
        "add_test(NAME off COMMAND true)",
        "set_tests_properties(off PROPERTIES DISABLED TRUE)",
    )
    assert project.suite("cmake -S . -B build", runner="command").exit_code == 0

    whole = project.suite("ctest --test-dir build -E t11", retries=0)
    parts = project.suite("ctest --test-dir build -E t11", retries=0, shards=3)

    assert len(whole.cases) == 13
    assert len(parts.cases) == len(whole.cases)
    assert shown(parts) == shown(whole)
    assert (parts.verdict, parts.shards) == (Verdict.FAIL, 3)


def test_each_part_loses_only_the_test_that_crashes(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    body = "".join(f"def test_{n}(): {'os.abort()' if n in (2, 9) else 'pass'}\n" for n in range(12))
    project.write("test_a.py", f"import os\n{body}")

    suite = project.suite(PYTEST, retries=0, shards=2)

    assert cases(suite) == {f"test_a::test_{n}": "errored" if n in (2, 9) else "passed" for n in range(12)}
