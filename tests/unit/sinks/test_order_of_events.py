"""Events of several runs in any order, some of them twice: what stands there in the end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.github import marker
from rocm_ci.model.verdict import Verdict
from rocm_ci.sinks import check, comment, pending, status
from rocm_ci.sinks.base import emit_all
from tests.standin.reports import report
from tests.unit.github.fake import FakeGitHub, pull, run
from tests.unit.sinks.trusted import HEAD, LINKS, OLD, looked, place, target

if TYPE_CHECKING:
    from rocm_ci.github.marker import Stamp

SINKS = ("comment", "status", "check")
RUNS = (7, 8, 9)
ENDS = ("pass", "fail", "cancelled", "died")


@dataclass
class Scene:
    """A pull request with a comment about an older commit; runs 7, 8 and 9 are about its head."""

    github: FakeGitHub = field(default_factory=FakeGitHub)

    def __post_init__(self) -> None:
        self.github.pulls = [pull(head=OLD)]
        self.github.all_runs = [run(number, status="in_progress", conclusion=None) for number in RUNS]
        comment.SINK.emit(report(OLD), place(self.github, head=OLD, run_id=5))
        self.github.pulls = [pull()]

    def play(self, number: int, event: str) -> None:
        if event != "announce":
            self.github.all_runs = [r if r.id != number else run(number) for r in self.github.all_runs]
        match event:
            case "announce":
                pending.announce(target(self.github, run_id=number), SINKS, LINKS)
            case "cancelled" | "died":
                where = target(self.github, run_id=number)
                pending.withdraw(where, SINKS, LINKS, reason="it ended", cancelled=event == "cancelled")
            case verdict:
                made = report(HEAD, Verdict(verdict))
                read = replace(place(self.github), target=looked(self.github, run_id=number))
                done = emit_all(made, read, [comment.SINK, status.SINK, check.SINK])
                assert done.refused == ()

    @property
    def stamp(self) -> Stamp:
        (only,) = self.github.notes
        found = marker.find(only.body)
        assert found is not None
        assert found.stamp is not None
        return found.stamp

    @property
    def status(self) -> str:
        return str(self.github.status_log[-1]["state"])


@st.composite
def stories(draw: st.DrawFn) -> tuple[dict[int, str], list[tuple[int, str]]]:
    """How each run ended, and the events as they arrive."""
    ends = {number: draw(st.sampled_from(ENDS)) for number in RUNS}
    events = [(n, e) for n, end in ends.items() for e in ("announce", "announce", end)]
    again = draw(st.lists(st.sampled_from(events), max_size=3))
    return ends, draw(st.permutations([*events, *again]))


@pytest.mark.attack("3", "events of several runs of a commit in the wrong order and twice")
@given(stories())
def test_in_the_end_nothing_waits_and_the_newest_result_stands(
    story: tuple[dict[int, str], list[tuple[int, str]]],
) -> None:
    ends, events = story
    scene = Scene()

    for number, event in events:
        scene.play(number, event)

    spoke = [number for number, end in ends.items() if end != "cancelled"]
    judged = [number for number, end in ends.items() if end in ("pass", "fail")]
    # The comment shows the newest result, and waits for nothing.
    assert (scene.stamp.head, scene.stamp.run) == ((HEAD, judged[-1]) if judged else (OLD, 5))
    assert "⏳" not in scene.github.notes[0].body
    if judged:
        assert scene.stamp.verdict.value == ends[judged[-1]]
    # No check is left in progress, and no run has two.
    names = [sent.external_id.rpartition(":")[0] for sent, _, _ in scene.github.posted]
    assert len(names) == len(set(names))
    assert all(sent.conclusion for sent, _, _ in scene.github.posted)
    # The status waits for nothing, and is green only where the last run that said anything passed.
    assert scene.status != "pending"
    if not (spoke and ends[spoke[-1]] == "pass"):
        assert scene.status != "success"
