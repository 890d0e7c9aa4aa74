"""The comment: when it is posted, what it says and remembers, and what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.github import marker
from rocm_ci.github.client import DeclinedError
from rocm_ci.github.marker import Stamp
from rocm_ci.github.sticky import NewerFormatError
from rocm_ci.model.past import Acceptance
from rocm_ci.model.verdict import Verdict
from rocm_ci.sinks import comment
from rocm_ci.sinks.base import Destination, emit_all
from tests.standin.reports import report
from tests.unit.github.fake import BOT, FakeGitHub, pull, run
from tests.unit.sinks.trusted import HEAD, NEW, OLD, looked, place

if TYPE_CHECKING:
    from rocm_ci.sinks.mode import CommentMode

RED = report(HEAD, Verdict.FAIL)
GREEN = report(HEAD)


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub(pulls=[pull()], all_runs=[run(7), run(8), run(9, attempt=2)])


def stamp_of(github: FakeGitHub) -> Stamp:
    found = marker.find(github.notes[0].body)
    assert found is not None
    assert found.stamp is not None
    return found.stamp


def shown(github: FakeGitHub) -> str:
    return marker.text_of(github.notes[0].body)


@pytest.mark.attack("2", "a report that names another commit, run or pull request as its own")
def test_it_remembers_where_it_stands_from_the_trusted_side(github: FakeGitHub) -> None:
    made = report(HEAD, Verdict.FAIL, number=None)
    made = msgspec.structs.replace(made, event=msgspec.structs.replace(made.event, run_id=99, run_attempt=4))

    comment.SINK.emit(made, place(github, key="nightly"))

    found = marker.find(github.notes[0].body)
    assert found is not None
    stamp = stamp_of(github)
    assert (found.key, stamp.head, stamp.run, stamp.attempt) == ("nightly", HEAD, 7, 1)
    assert stamp.counts["findings"] == 1
    assert stamp.verdict is Verdict.FAIL
    assert stamp.at == made.started


@pytest.mark.attack("3", "a report about a pull request that is closed or has moved on")
@pytest.mark.parametrize(
    ("pulls", "number"),
    [([pull(is_open=False)], 5), ([pull(head=NEW)], 5), ([pull(base_repository="x/y")], 5), ([], None)],
    ids=["closed", "moved on", "another repository", "no pull request"],
)
def test_a_comment_that_would_be_wrong_is_declined(pulls: list[object], number: int | None) -> None:
    github = FakeGitHub(pulls=pulls)  # type: ignore[arg-type]

    with pytest.raises(DeclinedError):
        comment.SINK.emit(RED, place(github, number=number))
    assert github.notes == []


def test_without_a_target_nothing_is_posted(github: FakeGitHub) -> None:
    assert comment.SINK.emit(RED, Destination(log=place(github).log)) == ()


def test_few_questions_are_asked(github: FakeGitHub) -> None:
    where = place(github)
    comment.SINK.emit(RED, where)
    first = github.requests_sent
    comment.SINK.emit(GREEN, replace(where, target=looked(github, run_id=8)))

    # The first time: comments, pull request, creation, a look back. Later also: who are we.
    assert (first, github.requests_sent - first) == (4, 5)


# -- modes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["changes", "failures"])
def test_a_quiet_mode_says_nothing_of_a_green_run_and_asks_little(
    github: FakeGitHub, mode: CommentMode
) -> None:
    posted = comment.SINK.emit(GREEN, place(github, comment_mode=mode))

    assert posted == (f"none: nothing to say in mode '{mode}'",)
    assert github.notes == []
    assert github.requests_sent == 1


@pytest.mark.parametrize("mode", ["always", "changes", "failures"])
def test_a_comment_that_is_there_is_kept_true_in_every_mode(github: FakeGitHub, mode: CommentMode) -> None:
    comment.SINK.emit(RED, place(github, comment_mode=mode))

    comment.SINK.emit(GREEN, place(github, comment_mode=mode, run_id=8))

    assert len(github.notes) == 1
    assert stamp_of(github).verdict is Verdict.PASS
    assert [p.verdict for p in stamp_of(github).history] == [Verdict.FAIL]
    assert "src/reduce.hip" not in shown(github)


def test_off_is_off(github: FakeGitHub) -> None:
    comment.SINK.emit(RED, place(github))
    before, asked = github.notes[0].body, github.requests_sent

    assert comment.SINK.emit(GREEN, place(github, comment_mode="off", run_id=8)) == (
        "none: comments are off",
    )
    assert (github.notes[0].body, github.requests_sent) == (before, asked)
    assert comment.SINK.emit(GREEN, place(github, comment_mode="off", number=None)) == (
        "none: comments are off",
    )


# -- memory ----------------------------------------------------------------------------------------


def test_each_run_becomes_a_point_of_the_history_of_the_next(github: FakeGitHub) -> None:
    for number, head, verdict in [(5, OLD, "fail"), (6, HEAD, "error"), (7, HEAD, "pass"), (8, NEW, "fail")]:
        github.pulls = [pull(head=head)]
        comment.SINK.emit(report(head, Verdict(verdict)), place(github, head=head, run_id=number))

    stamp = stamp_of(github)
    assert (stamp.run, stamp.head) == (8, NEW)
    assert [(p.run, p.verdict.value) for p in stamp.history] == [(5, "fail"), (6, "error"), (7, "pass")]


def test_green_after_red_says_so(github: FakeGitHub) -> None:
    github.pulls = [pull(head=OLD)]
    comment.SINK.emit(report(OLD, Verdict.FAIL), place(github, head=OLD, run_id=6))
    github.pulls = [pull()]
    comment.SINK.emit(GREEN, place(github, run_id=7))

    assert "Green again" in shown(github)


def test_the_same_report_again_changes_neither_comment_nor_history(github: FakeGitHub) -> None:
    comment.SINK.emit(RED, place(github, run_id=6))
    comment.SINK.emit(GREEN, place(github, run_id=7))
    before = github.notes[0].body

    assert comment.SINK.emit(GREEN, place(github, run_id=7)) == ("unchanged url/101",)
    assert github.notes[0].body == before


def test_the_same_run_shown_anew_is_no_point_of_its_own_history(github: FakeGitHub) -> None:
    comment.SINK.emit(RED, place(github, run_id=6))
    comment.SINK.emit(RED, place(github, run_id=7))
    acceptance = Acceptance(name="saxpy", effect_pct=8.4, by="amy", reason="wider tiles", head=HEAD)

    comment.SINK.emit(GREEN, replace(place(github, run_id=7), accepted=(acceptance,)))

    stamp = stamp_of(github)
    assert [p.run for p in stamp.history] == [6]
    assert stamp.accepted == (acceptance,)


def test_that_suggestions_were_made_is_not_forgotten(github: FakeGitHub) -> None:
    old = Stamp(head=OLD, verdict=Verdict.FAIL, run=5, suggested=True)
    github.say(BOT, marker.sign("x", "default", old))

    comment.SINK.emit(GREEN, place(github))

    assert stamp_of(github).suggested


# -- other runs and other writers ------------------------------------------------------------------


@pytest.mark.parametrize("later", [{"run_id": 8}, {"run_id": 9, "run_attempt": 2}])
def test_a_later_run_of_the_same_commit_stays(github: FakeGitHub, later: dict[str, int]) -> None:
    comment.SINK.emit(RED, place(github, **later))
    before = github.notes[0].body

    assert comment.SINK.emit(GREEN, place(github)) == ("kept url/101 (a newer run of this commit is shown)",)
    assert github.notes[0].body == before


@pytest.mark.attack("11", "a marker under our own login that claims to be of a newer run")
@pytest.mark.parametrize(
    ("claimed", "attempt"),
    [(2**50, 1), (9, 3), (10, 1)],
    ids=["no such run", "no such attempt", "a run of another commit"],
)
def test_a_later_run_that_github_does_not_know_is_written_over(
    github: FakeGitHub, claimed: int, attempt: int
) -> None:
    github.all_runs.append(run(10, head=OLD))
    forged = Stamp(head=HEAD, verdict=Verdict.PASS, run=claimed, attempt=attempt)
    github.say(BOT, marker.sign("## all is well", "default", forged))

    comment.SINK.emit(RED, place(github))

    assert stamp_of(github).verdict is Verdict.FAIL
    assert "all is well" not in shown(github)


def test_a_dispatched_run_is_about_the_commit_it_was_given(github: FakeGitHub) -> None:
    github.all_runs = [run(8, head=OLD, event="workflow_dispatch")]
    comment.SINK.emit(RED, place(github, run_id=8))

    assert comment.SINK.emit(GREEN, place(github))[0].startswith("kept")


def test_a_token_that_may_not_look_at_runs_takes_our_comment_at_its_word(github: FakeGitHub) -> None:
    comment.SINK.emit(RED, place(github, run_id=8))
    github.refused = {"run"}

    assert comment.SINK.emit(GREEN, place(github))[0].startswith("kept")


def test_the_comment_of_a_newer_rocm_ci_is_left_alone_and_ours_goes_to_the_summary(
    github: FakeGitHub,
) -> None:
    body = "<!-- rocm-ci:v2 key=default -->\n## fine\n\n<!-- rocm-ci:v2 key=default x=1 -->"
    github.say(BOT, body)

    with pytest.raises(NewerFormatError):
        comment.SINK.emit(RED, place(github))
    done = emit_all(RED, place(github), [comment.SINK])

    assert [c.body for c in github.notes] == [body]
    assert done.errors == ()
    assert "src/reduce.hip" in done.unposted[0].text


def test_of_several_comments_each_says_whose_it_is(github: FakeGitHub) -> None:
    comment.SINK.emit(GREEN, place(github, key="mi300"))
    comment.SINK.emit(GREEN, place(github))

    first = [note.body.splitlines()[1] for note in github.notes]
    assert "ROCm CI (mi300): " in first[0]
    assert "ROCm CI: " in first[1]


def test_the_notice_of_a_later_run_outlives_an_earlier_result(github: FakeGitHub) -> None:
    waiting = Stamp(
        head=HEAD, verdict=Verdict.FAIL, run=6, attempt=1, awaited_head=HEAD, awaited_run=8, awaited_attempt=1
    )
    github.say(BOT, marker.sign("x", "default", waiting, notice="> ⏳ old words"))

    comment.SINK.emit(GREEN, place(github))

    assert stamp_of(github).awaited == (8, 1)
    assert "a new run of it is [running](https://github.example/o/r/actions/runs/8)" in github.notes[0].body
    assert "old words" not in github.notes[0].body


@pytest.mark.parametrize("awaited", [{"awaited_run": 7}, {"awaited_run": 8, "awaited_ended": True}])
def test_a_notice_goes_when_its_run_has_a_result_or_will_have_none(
    github: FakeGitHub, awaited: dict[str, object]
) -> None:
    waiting = Stamp(head=OLD, verdict=Verdict.FAIL, run=6, attempt=1, awaited_head=HEAD, awaited_attempt=1)
    waiting = msgspec.structs.replace(waiting, **awaited)
    github.say(BOT, marker.sign("x", "default", waiting, notice="> ⏳ wait"))

    comment.SINK.emit(GREEN, place(github))

    assert "⏳" not in github.notes[0].body
    assert not stamp_of(github).is_waiting
