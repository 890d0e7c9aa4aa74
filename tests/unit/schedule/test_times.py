"""Recorded times: medians over runs, bounds, and files that somebody tampered with."""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.model.case import Case, CaseStatus, Layer
from rocm_ci.model.result import Suite
from rocm_ci.model.verdict import Verdict
from rocm_ci.schedule import times
from tests.fakes import FakeClock

if TYPE_CHECKING:
    from pathlib import Path

REPO = "org/project"


def case(name: str, seconds: float | None, status: CaseStatus = CaseStatus.PASSED) -> Case:
    return Case(suite="unit", id=name, name=name, status=status, duration_s=seconds)


def suite(*cases: Case, name: str = "unit", verdict: Verdict = Verdict.PASS, **more: Any) -> Suite:
    shape: dict[str, Any] = {
        "duration_s": 9.0,
        "layer": Layer.UNIT,
        "runner": "pytest",
        "command": "x",
    } | more
    return Suite(name=name, verdict=verdict, cases=cases, **shape)


def record(state: Path, *suites: Suite, repository: str = REPO, **took: float) -> str:
    return times.record(state, repository, suites, took=took, clock=FakeClock())


def the_file(state: Path) -> Path:
    (path,) = (state / times.FOLDER).glob("*.json")
    return path


def test_of_nothing_nothing_is_known(tmp_path: Path) -> None:
    known = times.known(tmp_path / "not there", REPO)

    assert (known.suites, known.tests) == ({}, {})


def test_the_median_of_the_last_runs_is_known(tmp_path: Path) -> None:
    for seconds in (900.0, 1.0, 2.0, 3.0, 4.0, 5.0):
        assert record(tmp_path, suite(case("a", seconds)), unit=seconds * 10) == ""

    known = times.known(tmp_path, REPO)
    assert known.suites == {"unit": 30.0}, "the oldest of six is forgotten"
    assert known.tests == {"unit": {"a": 3.0}}


def test_what_did_not_really_run_leaves_no_time(tmp_path: Path) -> None:
    record(
        tmp_path,
        suite(
            case("ok", 1.0),
            case("red", 2.0, CaseStatus.FAILED),
            case("flaky", 3.0, CaseStatus.FLAKY),
            case("not run", 0.0, CaseStatus.SKIPPED),
            case("cut short", 4.0, CaseStatus.ERRORED),
            case("no time", None),
        ),
    )

    assert times.known(tmp_path, REPO).tests == {"unit": {"ok": 1.0, "red": 2.0, "flaky": 3.0}}


def test_each_repository_has_its_own(tmp_path: Path) -> None:
    record(tmp_path, unit=1.0)
    record(tmp_path, unit=2.0, repository="org-project")
    record(tmp_path, unit=3.0, repository="ORG/Project")

    assert times.known(tmp_path, "org-project").suites == {"unit": 2.0}
    assert times.known(tmp_path, REPO).suites == {"unit": 2.0}, "1 and 3: as GitHub, without regard to case"


@pytest.mark.parametrize("repository", ["../../etc/passwd", "/etc", "a\0b", "..", "", "\udcff", "x" * 5000])
def test_whatever_a_repository_is_called_its_file_lies_in_the_folder(tmp_path: Path, repository: str) -> None:
    assert record(tmp_path, unit=1.0, repository=repository) == ""

    assert the_file(tmp_path).parent == tmp_path / times.FOLDER
    assert times.known(tmp_path, repository).suites == {"unit": 1.0}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '{"version": 2, "suites": {"unit": [1]}}',
        '{"version": 1, "suites": {"unit": "1"}}',
        '{"version": 1, "suites": {"unit": [null]}}',
        '{"version": 1, "tests": []}',
        '{"version": 1, "suites": ' + "[" * 100_000,
    ],
)
def test_a_damaged_file_counts_as_none_and_is_replaced(tmp_path: Path, text: str) -> None:
    record(tmp_path, unit=1.0)
    the_file(tmp_path).write_text(text)

    assert times.known(tmp_path, REPO).suites == {}
    assert record(tmp_path, unit=2.0) == ""
    assert times.known(tmp_path, REPO).suites == {"unit": 2.0}


def test_odd_times_in_a_file_are_left_out_one_by_one(tmp_path: Path) -> None:
    record(tmp_path, unit=1.0)
    odd = {"a": [-1.0, 1e300, 5.0], "b": [-1.0], "c": []}
    the_file(tmp_path).write_text(json.dumps({"version": 1, "suites": odd, "tests": {"unit": odd}}))

    known = times.known(tmp_path, REPO)
    assert (known.suites, known.tests) == ({"a": 5.0}, {"unit": {"a": 5.0}})


@given(st.lists(st.floats(), max_size=8))
def test_no_float_whatever_breaks_the_record(seconds: list[float]) -> None:
    kept = times._Kept(suites={}, tests={})
    for one in seconds:
        times._add(kept.suites, "unit", one)

    assert all(0 <= one <= times.MAX_S for ones in kept.suites.values() for one in ones)


def test_a_file_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    record(tmp_path, unit=1.0)
    path = the_file(tmp_path)
    other = tmp_path / "other.json"
    path.rename(other)
    path.symlink_to(other)

    assert times.known(tmp_path, REPO).suites == {}
    record(tmp_path, unit=5.0)
    assert json.loads(other.read_text())["suites"] == {"unit": [1.0]}


def test_a_pipe_in_the_place_of_the_file_hangs_nobody(tmp_path: Path) -> None:
    record(tmp_path, unit=1.0)
    path = the_file(tmp_path)
    path.unlink()
    os.mkfifo(path)

    assert times.known(tmp_path, REPO).suites == {}


def test_what_was_not_seen_for_long_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "MAX_TESTS", 3)
    monkeypatch.setattr(times, "MAX_SUITES", 2)
    record(tmp_path, suite(case("a", 1.0), case("b", 1.0), name="old"), old=1.0)
    record(tmp_path, suite(case("c", 1.0), case("d", 1.0), name="new"), new=1.0)
    record(tmp_path, newest=1.0)

    known = times.known(tmp_path, REPO)
    assert set(known.suites) == {"new", "newest"}
    assert known.tests == {"old": {"b": 1.0}, "new": {"c": 1.0, "d": 1.0}}


def test_a_name_of_endless_length_is_not_kept(tmp_path: Path) -> None:
    record(tmp_path, suite(case("x" * (times.MAX_NAME + 1), 1.0), case("y", 1.0)))

    assert times.known(tmp_path, REPO).tests == {"unit": {"y": 1.0}}


def test_a_lock_that_another_run_keeps_is_not_waited_for_long(tmp_path: Path) -> None:
    record(tmp_path, unit=1.0)
    lock = the_file(tmp_path).with_suffix(".lock")
    with lock.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = record(tmp_path, unit=9.0)

    assert "another run" in said
    assert times.known(tmp_path, REPO).suites == {"unit": 1.0}


def test_a_folder_that_cannot_be_is_told_not_raised(tmp_path: Path) -> None:
    (tmp_path / times.FOLDER).write_text("a file")

    assert "times" in record(tmp_path, unit=1.0)


@pytest.mark.parametrize(
    ("odd", "is_known"),
    [
        ({}, True),
        ({"verdict": Verdict.FAIL}, True),
        ({"verdict": Verdict.ERROR}, False),
        ({"verdict": Verdict.SKIPPED}, False),
        ({"timed_out": True}, False),
        ({"duration_s": 0.0}, False),
        ({"duration_s": float("inf")}, False),
    ],
)
def test_only_a_suite_that_ran_to_its_end_says_how_long_it_takes(odd: dict[str, Any], is_known: bool) -> None:
    assert times.ran(suite(**odd)) is is_known
