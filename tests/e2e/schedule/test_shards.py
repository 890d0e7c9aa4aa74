"""Real suites cut into shards on pretended GPUs: the same results as of one run, whatever happens to a shard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.schedule.host import Host, host, suites, told

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.result import Suite
    from tests.e2e.command import Outcome

TESTS = """\
import os
import pytest

@pytest.mark.parametrize("n", range(17))
def test_number(n):
    assert n != 11, "eleven is wrong"

@pytest.mark.parametrize("text", ["a b", "a::b", "x/y", "[1]", "é", "a'b", "-k", "@f", "%"])
def test_odd_names(text):
    assert text

@pytest.mark.skip(reason="not today")
def test_skipped(): pass

class TestInClass:
    def test_one_gpu_is_seen(self):
        assert os.environ["HIP_VISIBLE_DEVICES"] == "0"
        assert len(os.environ["ROCR_VISIBLE_DEVICES"].split(",")) == 1
"""
CRASH = """\
import os, signal
import pytest

@pytest.mark.parametrize("n", range(12))
def test_number(n):
    if n == 5:
        os.kill(os.getpid(), signal.SIGSEGV)
"""


@pytest.fixture
def machine(tmp_path: Path) -> Host:
    return host(tmp_path)


def results(done: Outcome) -> list[tuple[str, str, str | None]]:
    return sorted(map(told, suites(done)["unit"].cases))


def cut_into(machine: Host, shards: int, run: str) -> Suite:
    machine.configure(f"name: unit, gpus: 1, shards: {shards}, retries: 0, run: '{run}'")
    return suites(machine.run())["unit"]


@pytest.mark.parametrize(("tests", "count"), [(TESTS, 28), (CRASH, 12)], ids=["odd names", "a crash"])
def test_a_pytest_suite_tells_the_same_in_one_piece_and_in_four(
    machine: Host, tests: str, count: int
) -> None:
    machine.repo.write("tests/test_it.py", tests)

    whole, cut = (cut_into(machine, shards, "pytest -q tests") for shards in (1, 4))

    assert sorted(map(told, cut.cases)) == sorted(map(told, whole.cases))
    assert len(cut.cases) == count
    assert (whole.verdict, cut.verdict) == (Verdict.FAIL, Verdict.FAIL)
    assert (whole.shards, cut.shards) == (1, 4)
    assert len({gpu for one in cut.tries for gpu in one.gpus}) > 1


def test_parts_of_several_jobs_make_the_whole(machine: Host) -> None:
    machine.repo.write("tests/test_it.py", TESTS)
    machine.configure("name: unit, gpus: 1, retries: 0, run: 'pytest -q tests'")
    whole = results(machine.run())
    parts = []
    for number in (1, 2, 3):
        parts += results(machine.run("--shard", f"{number}/3"))

    assert sorted(parts) == whole
    refused = machine.run("--shard", "4/3")
    assert (refused.code, "2/4: part 2 of 4" in refused.err) == (2, True)
