"""Lines and events put together, and the test whose time is up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rocm_ci.runners.hearing import Hearing
from rocm_ci.runners.live import Watch
from rocm_ci.runners.pytest import RUNNER
from tests.unit.runners.slots import events

if TYPE_CHECKING:
    from pathlib import Path


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def tell(path: Path, **event: object) -> None:
    with path.open("a") as sink:
        sink.write(json.dumps(event) + "\n")


def test_the_test_that_runs_too_long_is_overdue_and_no_other(tmp_path: Path) -> None:
    path, time = tmp_path / "e", Time()
    hearing = Hearing(Watch(), events(path), limit_s=10.0, asked=lambda: "", now=time)
    tell(path, e="start", id="a.py::a", t=1001.0)
    tell(path, e="start", id="a.py::b", t=1008.0)

    time.now = 1010.5
    assert hearing.stop() == ""
    time.now = 1011.5
    assert hearing.stop() == "a::a ran longer than 10 s"
    assert hearing.overdue is not None
    assert hearing.overdue.id == "a::a"


def test_a_test_that_ended_in_time_is_never_overdue(tmp_path: Path) -> None:
    path, time = tmp_path / "e", Time()
    hearing = Hearing(Watch(), events(path), limit_s=10.0, asked=lambda: "", now=time)
    tell(path, e="start", id="a.py::a", t=1001.0)
    tell(path, e="end", id="a.py::a", s="passed", d=1.0)
    time.now = 2000.0

    assert hearing.stop() == ""


def test_a_beginning_before_the_run_is_no_reason_to_end_it(tmp_path: Path) -> None:
    path, time = tmp_path / "e", Time()
    hearing = Hearing(Watch(), events(path), limit_s=10.0, asked=lambda: "", now=time)
    tell(path, e="start", id="a.py::a", t=-1e9)
    time.now = 1005.0

    assert hearing.stop() == ""


def test_who_asks_for_the_end_of_everything_comes_first(tmp_path: Path) -> None:
    hearing = Hearing(
        Watch(), events(tmp_path / "e"), limit_s=1.0, asked=lambda: "the runner goes", now=Time()
    )

    assert hearing.stop() == "the runner goes"
    assert hearing.overdue is None


def test_lines_of_the_output_belong_to_the_test_that_the_plug_in_names(tmp_path: Path) -> None:
    path = tmp_path / "e"
    watch = RUNNER.watch()
    hearing = Hearing(watch, events(path), limit_s=None, asked=lambda: "")
    for line in ("a.py::a ", "GPU hang", "fake.py::b PASSED", "a.py::a PASSED [50%]", "1 failed in 2.0s"):
        watch.line(line)
    tell(path, e="start", id="sub/a.py::a", native="a.py::a", t=1.0)
    tell(path, e="end", id="sub/a.py::a", native="a.py::a", s="passed", d=1.0)

    whole = hearing.whole(is_sole=True)

    assert set(whole.seen) == {"sub.a::a"}
    assert whole.failed() == 1
    assert (whole.seen["sub.a::a"].first_line, whole.seen["sub.a::a"].last_line) == (1, 4)


def test_beside_other_tools_the_lines_of_theirs_stay(tmp_path: Path) -> None:
    watch = Watch()
    hearing = Hearing(watch, events(tmp_path / "e"), limit_s=None, asked=lambda: "")
    watch.started("S::t", "t", "S.t")
    tell(tmp_path / "e", e="start", id="a.py::a", t=1.0)

    whole = hearing.whole(is_sole=False)

    assert [seen.id for seen in whole.running()] == ["a::a", "S::t"]


def test_without_a_word_of_the_plug_in_the_lines_are_all_there_is(tmp_path: Path) -> None:
    watch = Watch()
    hearing = Hearing(watch, events(tmp_path / "e"), limit_s=None, asked=lambda: "")

    assert hearing.whole(is_sole=True) is watch
