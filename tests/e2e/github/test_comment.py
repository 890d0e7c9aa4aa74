"""The one comment under load: races, faults, outages, modes and notices, with the whole command."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from rocm_ci.cli.origin import Origin
from rocm_ci.cli.publish import Job, Outcome, publish
from rocm_ci.github import marker, sticky
from rocm_ci.github.marker import Stamp
from rocm_ci.github.rest import RestClient
from rocm_ci.github.transport import Transport
from rocm_ci.log import Log
from rocm_ci.model.verdict import Verdict
from rocm_ci.sinks import check, comment, status
from tests.e2e.github.conftest import BOT, FIRST, SECOND, THIRD, Plane, workflow_run
from tests.standin.faults import Fault, Faults
from tests.standin.reports import report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.standin.server import StandIn
    from tests.standin.things import Check, Comment


def ours(github: StandIn) -> list[Comment]:
    return [c for c in github.world.repositories["o/r"].comments if c.author == BOT and marker.find(c.body)]


def stamp_of(comment: Comment) -> Stamp:
    found = marker.find(comment.body)
    assert found is not None
    assert found.stamp is not None
    return found.stamp


def states(github: StandIn, commit: str) -> list[str]:
    return [s.state for s in github.world.repositories["o/r"].statuses if s.sha == commit]


def checks(github: StandIn, commit: str) -> list[Check]:
    return [c for c in github.world.repositories["o/r"].checks if c.sha == commit]


# -- faults ----------------------------------------------------------------------------------------


@pytest.mark.attack("19", "every fifth request fails, is cut off, or is answered by a rate limit")
@pytest.mark.parametrize("seed", range(1, 21))
def test_one_comment_one_check_and_the_right_status_though_every_fifth_request_fails(
    github: StandIn, plane: Plane, seed: int
) -> None:
    github.faults = Faults(rate=0.2, seed=seed)

    for run, head in enumerate([FIRST, SECOND, THIRD], start=7):
        github.world.push("o/r", 5, head)
        made = report(head, Verdict.FAIL, findings=120)
        assert plane.post(made, "--to", "comment status check", run_id=run).code == 0

    assert any(e.fault is not Fault.NONE for e in github.log)
    (only,) = ours(github)
    assert stamp_of(only).head == THIRD
    for head in (FIRST, SECOND, THIRD):
        assert set(states(github, head)) == {"failure"}
        (one,) = checks(github, head)
        assert [note["start_line"] for note in one.annotations] == list(range(1, 121))


@dataclass
class Clock:
    """Time that passes only by waiting."""

    now_s: float = 0.0

    def now(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@dataclass
class Outage(Faults):
    """Everything fails until the clock says so."""

    is_over: Callable[[], bool] = lambda: True

    def pick(self) -> Fault:
        return Fault.NONE if self.is_over() else Fault.UNAVAILABLE


def posted(github: StandIn, clock: Clock, summary: Path, verdict: Verdict, run: int = 7) -> Outcome:
    """What `rocm-ci report` does, on a clock that needs no waiting."""
    client = RestClient(
        Transport("workflow", api_url=github.url, pause_s=1.0, sleep=clock.sleep, now=clock.now)
    )
    job = Job(
        env={"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_SERVER_URL": "https://github.example"},
        log=Log(out=io.StringIO(), err=io.StringIO()),
        origin=Origin(
            repository="o/r",
            head=FIRST,
            number=5,
            base_ref="main",
            run_id=run,
            run_attempt=1,
            action="completed",
        ),
        sinks=[comment.SINK, status.SINK, check.SINK],
        report=report(FIRST, verdict),
        settle=lambda: clock.sleep(1.0),
    )
    return publish(job, (), client)


@pytest.mark.attack("input", "GitHub answering 500 for ten minutes")
def test_an_outage_of_ten_minutes_is_told_and_nothing_is_lost(github: StandIn, tmp_path: Path) -> None:
    clock, summary = Clock(), tmp_path / "summary.md"
    github.faults = Outage(is_over=lambda: clock.now_s >= 600)

    done = posted(github, clock, summary, Verdict.FAIL)

    assert done.code == 4
    assert {line.partition(":")[0] for line in done.refused} >= {"comment", "status", "check"}
    page = summary.read_text()
    assert "brings CUDA back" in page
    assert "503" in page
    assert (ours(github), states(github, FIRST)) == ([], [])

    clock.now_s = 600.0
    assert posted(github, clock, summary, Verdict.FAIL).code == 0
    assert (len(ours(github)), states(github, FIRST)) == (1, ["failure"])


def test_an_outage_of_half_a_minute_is_waited_for(github: StandIn, tmp_path: Path) -> None:
    clock = Clock()
    github.faults = Outage(is_over=lambda: clock.now_s >= 25)

    assert posted(github, clock, tmp_path / "summary.md", Verdict.PASS).code == 0
    assert (len(ours(github)), states(github, FIRST)) == (1, ["success"])


@pytest.mark.attack("19", "a comment of ours that was written in half")
def test_a_comment_cut_off_in_the_middle_is_written_anew_in_its_place(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST), "--to", "comment")
    (only,) = ours(github)
    github.world.edit(only, only.body[: len(only.body) // 2])

    plane.post(report(FIRST, Verdict.FAIL), "--to", "comment", run_id=8)

    assert [c.id for c in ours(github)] == [only.id]
    assert stamp_of(only).verdict is Verdict.FAIL


def test_a_comment_that_a_newer_rocm_ci_keeps_is_left_and_ours_is_in_the_summary(
    github: StandIn, plane: Plane, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    plane.env(GITHUB_STEP_SUMMARY=str(summary))
    body = "<!-- rocm-ci:v2 key=default -->\n## ✅ fine\n\n<!-- rocm-ci:v2 key=default memory=x -->"
    theirs = github.world.say("o/r", 5, BOT, body)

    done = plane.post(report(FIRST, Verdict.FAIL))

    assert (done.code, theirs.body, len(ours(github))) == (0, body, 1)
    assert "use the same version in all workflows" in done.err
    assert "brings CUDA back" in summary.read_text()
    assert states(github, FIRST) == ["failure"]


# -- races -----------------------------------------------------------------------------------------


class Lockstep:
    """Who has written waits until the others have, too: as a second does in real life."""

    def __init__(self, number: int) -> None:
        self.busy, self.waiting, self.round = number, 0, 0
        self.changed = threading.Condition()

    def settle(self) -> None:
        with self.changed:
            self.waiting, before = self.waiting + 1, self.round
            self._go_on()
            assert self.changed.wait_for(lambda: self.round != before, timeout=30)

    def leave(self) -> None:
        with self.changed:
            self.busy -= 1
            self._go_on()

    def _go_on(self) -> None:
        if self.waiting >= self.busy:
            self.waiting, self.round = 0, self.round + 1
            self.changed.notify_all()


@pytest.mark.attack("19", "three reporters at once")
@pytest.mark.parametrize("there", [0, 1, 2], ids=["nothing", "a comment", "two comments"])
def test_reporters_at_once_leave_one_comment_of_the_newest_run(github: StandIn, there: int) -> None:
    numbers = range(60, 66)
    older = Stamp(head=SECOND, verdict=Verdict.FAIL, run=5, attempt=1)
    for number in numbers:
        github.world.open_pull("o/r", number, FIRST, branch=f"b{number}")
        for _ in range(there):
            github.world.say("o/r", number, BOT, marker.sign("run 5", "default", older))
        _at_once(github, number, (7, 8, 9))

    assert [(c.number, marker.text_of(c.body)) for c in ours(github)] == [(n, "run 9") for n in numbers]


def _at_once(github: StandIn, number: int, runs: Sequence[int]) -> None:
    step, start = Lockstep(len(runs)), threading.Barrier(len(runs))

    def post(run: int) -> None:
        client = RestClient(Transport("workflow", api_url=github.url, pause_s=0.0))
        stamp = Stamp(head=FIRST, verdict=Verdict.PASS, run=run, attempt=1)
        start.wait(timeout=30)
        try:
            sticky.post(
                client, "o/r", number, text=f"run {run}", key="default", stamp=stamp, settle=step.settle
            )
        finally:
            step.leave()

    threads = [threading.Thread(target=post, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# -- modes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("always", [["pass"], ["fail"], ["pass"]]),
        ("changes", [[], ["fail"], ["pass"]]),
        ("failures", [[], ["fail"], ["pass"]]),
        ("off", [[], [], []]),
    ],
)
def test_each_mode_and_no_comment_ever_says_something_false(
    github: StandIn, plane: Plane, mode: str, expected: list[list[str]]
) -> None:
    seen = []
    for run, head, verdict in ((7, FIRST, "pass"), (8, SECOND, "fail"), (9, THIRD, "pass")):
        github.world.push("o/r", 5, head)
        done = plane.post(report(head, Verdict(verdict)), "--comment", mode, run_id=run)
        assert done.code == 0
        seen.append([stamp_of(c).verdict.value for c in ours(github)])

    assert seen == expected
    assert states(github, THIRD) == ["success"]
    if mode != "off":
        assert "Green again" in ours(github)[0].body


def test_off_takes_no_comment_away(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST, Verdict.FAIL))
    before = [replace(c) for c in ours(github)]

    plane.post(report(FIRST), "--comment", "off", run_id=8)

    assert ours(github) == before


# -- a run under way -------------------------------------------------------------------------------

SINKS = ("--to", "comment status check")


def announce(plane: Plane, head: str, run: int, action: str = "requested", **changed: object) -> list[str]:
    event = workflow_run(head, run_id=run, action=action, **changed)  # type: ignore[arg-type]
    plane.event("workflow_run", event)
    done = plane.run(*SINKS)
    assert done.code == 0
    return done.posted


def test_a_push_marks_the_old_comment_and_its_result_takes_the_mark_away(
    github: StandIn, plane: Plane
) -> None:
    plane.post(report(FIRST), *SINKS)
    github.world.push("o/r", 5, SECOND)

    announce(plane, SECOND, 8)
    announce(plane, SECOND, 8, "in_progress")

    (only,) = ours(github)
    assert only.body.count("⏳ **Out of date:**") == 1
    assert f"[`{FIRST[:7]}`]" in only.body.split("\n")[1]
    assert (states(github, SECOND), [c.status for c in checks(github, SECOND)]) == (
        ["pending"],
        ["in_progress"],
    )

    plane.post(report(SECOND, Verdict.FAIL, findings=70), *SINKS, run_id=8)

    assert "⏳" not in only.body
    assert states(github, SECOND) == ["pending", "failure"]
    (one,) = checks(github, SECOND)
    assert (one.status, one.conclusion, len(one.annotations)) == ("completed", "failure", 70)


@pytest.mark.attack("3", "an announcement that arrives after the result of its own run")
def test_a_late_announcement_replaces_no_result(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST), *SINKS, run_id=8)
    before = ours(github)[0].body

    announce(plane, FIRST, 8)
    announce(plane, FIRST, 7, "in_progress")

    assert ours(github)[0].body == before
    assert states(github, FIRST) == ["success"]
    assert [c.conclusion for c in checks(github, FIRST)] == ["success"]


@pytest.mark.attack("17", "a run that was cancelled, so that the old green stays in force")
def test_a_cancelled_run_leaves_nothing_waiting_and_nothing_green(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST), *SINKS)
    github.world.push("o/r", 5, SECOND)
    announce(plane, SECOND, 8)

    github.world.ran("o/r", head=SECOND, conclusion="cancelled", number=8)
    plane.event("workflow_run", workflow_run(SECOND, run_id=8, conclusion="cancelled"))
    done = plane.run(*SINKS)

    assert done.code == 0
    assert states(github, SECOND) == ["pending", "error"]
    assert [c.conclusion for c in checks(github, SECOND)] == ["cancelled"]
    (only,) = ours(github)
    assert "⏳" not in only.body
    assert "there is no result" in only.body.split("\n")[1]


def test_an_announcement_makes_no_comment_where_there_is_none(github: StandIn, plane: Plane) -> None:
    announce(plane, FIRST, 7)

    assert ours(github) == []
    assert states(github, FIRST) == ["pending"]
