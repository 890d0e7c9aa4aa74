"""The line that says where all stands: on a terminal rewritten, in a log of a workflow now and then."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest

from rocm_ci.log import Log
from rocm_ci.schedule.progress import Notices, Progress, line
from rocm_ci.schedule.status import Running, Status
from rocm_ci.schedule.words import duration

LABEL = "GPU 3 (AMD Instinct MI300X, 0000:c1:00.0)"


@dataclass
class Hand:
    """A clock that is turned by hand."""

    at: float = 0.0

    def monotonic(self) -> float:
        return self.at

    def now(self) -> str:
        return ""

    def sleep(self, seconds: float) -> None:
        self.at += seconds


def status(*running: str, done: int = 0, left: int = 0, ends_in_s: float | None = None) -> Status:
    shown = tuple(Running(name=name, gpus=(LABEL,), since_s=45.0) for name in running)
    return Status(running=shown, done=done, left=left, total=done + left + len(shown), ends_in_s=ends_in_s)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (89.4, "89 s"),
        (90, "2 min"),
        (3570, "1 h 00 min"),
        (3900, "1 h 05 min"),
        (90061, "25 h 01 min"),
    ],
)
def test_times_are_read_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_line_says_what_runs_where_and_what_is_left() -> None:
    seen = Status(
        running=(
            Running(name="unit", gpus=(LABEL, "GPU 4"), since_s=45.0),
            Running(name="lint", gpus=(), since_s=12.0),
        ),
        done=3,
        left=7,
        total=12,
        ends_in_s=720.0,
    )

    assert (
        line(seen)
        == "3 of 12 done · 7 waiting · about 12 min left · running: unit on GPU 3 + GPU 4 (45 s), lint (12 s)"
    )


def test_without_recorded_times_no_end_is_promised() -> None:
    assert line(status("unit", left=1)) == "0 of 2 done · 1 waiting · running: unit on GPU 3 (45 s)"


def test_what_should_have_ended_is_about_to() -> None:
    assert "about to end" in line(status("unit", ends_in_s=0.2))


def test_of_very_many_only_some_are_named() -> None:
    assert "and 4 more" in line(status(*(f"s{n}" for n in range(12))))


def test_on_a_terminal_the_line_is_written_over_and_gone_in_the_end() -> None:
    err = io.StringIO()
    progress = Progress(Log(err=err, live=True), Hand())
    progress.look(lambda: status("a", left=1), is_change=True)
    progress.look(lambda: status("b", done=1), is_change=False)
    progress.close()

    assert "\n" not in err.getvalue()
    assert err.getvalue().count("\r\033[K") == 3
    assert err.getvalue().endswith("\r\033[K")


def test_in_a_workflow_a_change_is_a_line_and_so_is_half_a_minute() -> None:
    err, clock = io.StringIO(), Hand()
    progress = Progress(Log(err=err, actions=True), clock)
    looks = [
        (0.0, True, "a"),
        (6.0, True, "a"),
        (7.0, True, "b"),
        (8.0, True, "c"),
        (20.0, False, "c"),
        (50.0, False, "c"),
        (51.0, False, "c"),
    ]
    for clock.at, is_change, name in looks:
        progress.look(lambda name=name: status(name), is_change=is_change)  # type: ignore[misc]

    told = [text.partition("running: ")[2][0] for text in err.getvalue().splitlines()]
    assert told == ["a", "b", "c", "c"], (
        "c comes five seconds after b, and again when half a minute has passed"
    )


def test_the_status_is_not_worked_out_when_nobody_reads_it() -> None:
    progress = Progress(Log(err=io.StringIO()), Hand())
    progress.look(lambda: status("a"), is_change=True)

    def never() -> Status:
        raise AssertionError

    progress.look(never, is_change=False)
    Notices(Log(err=io.StringIO())).look(never, is_change=True)


def test_nothing_is_said_while_nothing_runs() -> None:
    err = io.StringIO()
    Progress(Log(err=err), Hand()).look(lambda: status(left=3), is_change=True)

    assert err.getvalue() == ""


def test_a_name_cannot_move_the_cursor_or_speak_to_the_workflow() -> None:
    err = io.StringIO()
    progress = Progress(Log(err=err, actions=True), Hand())
    progress.look(lambda: status("x\n::error::y\x1b[2J"), is_change=True)

    assert "\x1b" not in err.getvalue()
    assert not [text for text in err.getvalue().splitlines() if text.lstrip().startswith("::")]


def test_on_a_terminal_a_name_cannot_make_a_second_line() -> None:
    err = io.StringIO()
    Progress(Log(err=err, live=True), Hand()).look(lambda: status("x\ny"), is_change=True)

    assert "running: x y on" in err.getvalue()
