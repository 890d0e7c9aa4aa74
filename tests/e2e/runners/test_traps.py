"""Tests that reach for what we still need: the list of expected tests, our own folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.runners.conftest import PYTEST

if TYPE_CHECKING:
    from tests.e2e.runners.conftest import Project

EDITS = "def test_a(): open('expected.txt', 'w').write('test_a::test_a\\n')\n"


@pytest.mark.parametrize("trap", ["open('{}', 'w').close()", "os.mkfifo('{}')", "os.symlink('/', '{}')"])
@pytest.mark.attack("5", "something else in the place of the folder of reports")
def test_a_trap_in_place_of_our_folder_is_the_change_s_failure(project: Project, trap: str) -> None:
    folder = project.out / "junit"
    code = (
        f"import os, shutil\ndef test_a():\n    shutil.rmtree('{folder}'); {trap.format(folder)}; assert 0\n"
    )
    project.write("test_a.py", code)
    project.write("test_b.py", "def test_b(): pass\n")

    one, two = project.stage(
        {"name": "one", "run": f"{PYTEST} test_a.py", "retries": 0},
        {"name": "two", "run": f"{PYTEST} test_b.py"},
    ).suites

    assert (one.verdict, two.verdict) == (Verdict.FAIL, Verdict.PASS), (one.reason, two.reason)
    assert (folder / "two.xml").is_file()


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("by", ["itself", "the suite before"])
@pytest.mark.attack("17", "a test that takes another one off the list of tests that have to run")
def test_the_list_counts_as_it_was_before_any_suite(project: Project, shards: int, by: str) -> None:
    project.write("test_a.py", EDITS)
    project.write("test_b.py", "def test_b(): pass\ndef test_c(): pass\n")
    project.write("expected.txt", "test_a::test_a\ntest_b::test_b\ntest_b::gone\n")
    config = {"expected": "expected.txt", "shards": shards, "gpus": 0}
    late = {"name": "late", "run": f"{PYTEST} test_a.py test_b.py", "after": ["first"], **config}

    first = {"name": "first", "run": f"{PYTEST} {'test_a.py' if by == 'the suite before' else 'test_b.py'}"}
    *_, suite = project.stage(first, late).suites

    assert suite.verdict is Verdict.FAIL
    assert "1 expected test(s) did not run: test_b::gone" in suite.reason
