"""The notice above the comment while a run is under way, whatever the order in which events arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.github import marker
from rocm_ci.github.marker import Stamp
from rocm_ci.model.verdict import Verdict
from rocm_ci.sinks import comment, pending
from tests.standin.reports import report
from tests.unit.github.fake import BOT, FakeGitHub, pull, run
from tests.unit.sinks.trusted import HEAD, LINKS, NEW, OLD, PAGE, place, target

if TYPE_CHECKING:
    from rocm_ci.github.run import Run

ALL = ("comment", "status", "check")
RUNNING = (
    f"> ⏳ **Out of date:** this is about [`{OLD[:7]}`]({PAGE}/commit/{OLD}); "
    f"[`{HEAD[:7]}`]({PAGE}/commit/{HEAD}) is [running]({PAGE}/actions/runs/7)."
)


@pytest.fixture
def github() -> FakeGitHub:
    """A pull request with a comment about an older commit, whose head is new now."""
    made = FakeGitHub(
        pulls=[pull(head=OLD)], all_runs=[run(n, status="in_progress", attempt=1) for n in (7, 8)]
    )
    comment.SINK.emit(report(OLD), place(made, head=OLD, run_id=6))
    made.pulls = [pull()]
    made.calls.clear()
    return made


def body(github: FakeGitHub) -> str:
    return github.notes[0].body


def announce(github: FakeGitHub, sinks: tuple[str, ...] = ("comment",), **changed: object) -> tuple[str, ...]:
    return pending.announce(target(github, **changed), sinks, LINKS)


def withdraw(
    github: FakeGitHub, sinks: tuple[str, ...] = ("comment",), *, cancelled: bool = True, **changed: object
) -> tuple[str, ...]:
    return pending.withdraw(
        target(github, **changed), sinks, LINKS, reason="the run was cancelled", cancelled=cancelled
    )


def test_the_comment_says_first_that_a_newer_commit_is_running(github: FakeGitHub) -> None:
    before = marker.text_of(body(github))

    assert announce(github) == ("comment: url/101 says that a newer run is under way",)

    assert body(github).split("\n")[1] == RUNNING
    assert marker.text_of(body(github)) == before
    found = marker.find(body(github))
    assert found is not None
    assert found.stamp is not None
    assert (found.stamp.head, found.stamp.run, found.stamp.awaited) == (OLD, 6, (7, 1))


def test_requested_and_in_progress_leave_one_notice(github: FakeGitHub) -> None:
    announce(github)
    assert announce(github) == ()

    assert body(github).count("⏳") == 1
    assert github.calls == ["edit 101"]


def test_the_notice_of_a_later_run_takes_the_place_of_an_earlier_one(github: FakeGitHub) -> None:
    announce(github)
    github.pulls = [pull(head=NEW)]
    announce(github, head=NEW, run_id=8)

    assert body(github).count("⏳") == 1
    assert f"[`{NEW[:7]}`]" in body(github).split("\n")[1]


def test_a_repeated_run_of_the_commit_shown_is_told_in_other_words(github: FakeGitHub) -> None:
    comment.SINK.emit(report(HEAD), place(github))

    announce(github, run_attempt=2)

    assert body(github).split("\n")[1] == (
        f"> ⏳ This is an earlier result of [`{HEAD[:7]}`]({PAGE}/commit/{HEAD}); "
        f"a new run of it is [running]({PAGE}/actions/runs/7/attempts/2)."
    )


def test_the_result_takes_the_notice_away(github: FakeGitHub) -> None:
    announce(github)

    comment.SINK.emit(report(HEAD), place(github))

    assert "⏳" not in body(github)


@pytest.mark.attack("3", "an announcement that arrives after the result of its own run")
def test_an_announcement_after_the_result_of_its_run_changes_nothing(github: FakeGitHub) -> None:
    comment.SINK.emit(report(HEAD), place(github))
    before = body(github)

    assert announce(github) == ()
    assert body(github) == before


@pytest.mark.attack("3", "an announcement that arrives after its run has ended")
@pytest.mark.parametrize("known", [run(7), run(7, attempt=2, status="in_progress")], ids=["over", "repeated"])
def test_an_announcement_after_the_end_of_its_run_does_nothing_at_all(github: FakeGitHub, known: Run) -> None:
    github.all_runs = [known]

    assert announce(github, ALL) == ()
    assert (github.status_log, github.posted, github.calls) == ([], [], [])


def test_a_token_that_may_not_look_at_runs_announces_all_the_same(github: FakeGitHub) -> None:
    github.refused = {"run"}

    assert len(announce(github, ALL)) == 3


def test_a_run_of_a_commit_that_is_not_the_head_any_more_is_not_announced(github: FakeGitHub) -> None:
    github.pulls = [pull(head=NEW)]
    before = body(github)

    (said,) = announce(github)

    assert "nothing done: pull request #5 has moved on" in said
    assert body(github) == before


@pytest.mark.parametrize("mode", ["always", "off"])
def test_no_comment_is_made_for_a_notice(mode: str) -> None:
    github = FakeGitHub(pulls=[pull()])

    assert announce(github, comment_mode=mode) == ()
    assert github.notes == []


@pytest.mark.parametrize(
    "shown", ["<!-- rocm-ci:v2 key=default -->\nx", "<!-- rocm-ci:v1 key=default -->\ncut"]
)
def test_a_comment_that_we_cannot_read_gets_no_notice(shown: str) -> None:
    github = FakeGitHub(pulls=[pull()])
    github.say(BOT, shown)

    assert announce(github) == ()
    assert withdraw(github) == ()
    assert body(github) == shown


def test_without_a_pull_request_only_the_commit_is_marked(github: FakeGitHub) -> None:
    done = announce(github, ALL, number=None)

    assert [line.partition(":")[0] for line in done] == ["status", "check"]
    assert [s["state"] for s in github.status_log] == ["pending"]
    assert [sent.conclusion for sent, _, _ in github.posted] == [None]


def test_an_announcement_that_github_refuses_fails_nothing(github: FakeGitHub) -> None:
    github.refused = {"set_status", "checks", "edit_comment"}

    done = announce(github, ALL)

    assert [line.partition(": not done")[0] for line in done] == ["status", "check", "comment"]


# -- the run ended without a result ----------------------------------------------------------------


def test_a_run_without_a_result_is_told_where_the_comment_is_about_an_older_commit(
    github: FakeGitHub,
) -> None:
    announce(github)

    withdraw(github)
    assert withdraw(github) == ()

    first = body(github).split("\n")[1]
    assert "⏳" not in body(github)
    assert first.startswith(f"> ⚠️ **Out of date:** this is about [`{OLD[:7]}`]")
    assert first.endswith(
        "there is no result: the run was cancelled. "
        f"Look at [its page]({PAGE}/actions/runs/7), and run it again."
    )


def test_an_announcement_after_the_end_does_not_wait_for_ever(github: FakeGitHub) -> None:
    withdraw(github)
    before = body(github)

    assert announce(github) == ()
    assert body(github) == before


def test_where_the_same_commit_has_an_earlier_result_the_notice_just_goes(github: FakeGitHub) -> None:
    comment.SINK.emit(report(HEAD), place(github))
    before = marker.text_of(body(github))
    announce(github, run_attempt=2)

    assert withdraw(github, run_attempt=2) == ("comment: url/101 waits no longer",)
    assert body(github).startswith(f"<!-- rocm-ci:v1 key=default -->\n{before}\n")


def test_a_run_that_died_is_told_above_an_earlier_result_of_the_same_commit(github: FakeGitHub) -> None:
    comment.SINK.emit(report(HEAD), place(github))
    announce(github, run_attempt=2)

    withdraw(github, cancelled=False, run_attempt=2)

    assert body(github).split("\n")[1] == (
        f"> ⚠️ This is an earlier result of [`{HEAD[:7]}`]({PAGE}/commit/{HEAD}); "
        "a later run has none: the run was cancelled. "
        f"Look at [its page]({PAGE}/actions/runs/7/attempts/2), and run it again."
    )


def test_where_the_pull_request_moved_on_the_notice_just_goes(github: FakeGitHub) -> None:
    announce(github)
    github.pulls = [pull(head=NEW)]

    assert withdraw(github) == ("comment: url/101 waits no longer",)
    assert "Out of date" not in body(github)


@pytest.mark.parametrize("cancelled", [True, False])
def test_an_earlier_run_takes_nothing_back_of_a_later_one(github: FakeGitHub, cancelled: bool) -> None:
    announce(github, ALL, run_id=8)
    before = body(github)

    assert withdraw(github, ALL, run_id=7, cancelled=cancelled) == ()
    assert body(github) == before
    assert [s["state"] for s in github.status_log] == ["pending"]


def test_an_end_after_the_result_changes_nothing(github: FakeGitHub) -> None:
    comment.SINK.emit(report(HEAD), place(github))
    before = body(github)

    assert withdraw(github) == ()
    assert body(github) == before


def test_all_places_are_tried_before_an_outage_is_told(github: FakeGitHub) -> None:
    announce(github, ALL)

    def broken(*_: object, **__: object) -> None:
        message = "GitHub answered 500"
        raise GitHubError(message)

    github.set_status = broken  # type: ignore[method-assign]

    with pytest.raises(GitHubError, match="500"):
        withdraw(github, ALL)
    assert [sent.conclusion for sent, _, _ in github.posted] == ["cancelled"]
    assert "⏳" not in body(github)


def test_a_token_without_rights_fails_no_withdrawal(github: FakeGitHub) -> None:
    announce(github, ALL)
    github.refused = {"set_status"}

    assert [line.partition(":")[0] for line in withdraw(github, ALL)] == ["status", "check", "comment"]


@pytest.mark.attack("6", "a reason that would act in the notice")
def test_the_reason_is_inert() -> None:
    github = FakeGitHub(pulls=[pull()])
    github.say(BOT, marker.sign("x", "default", Stamp(head=OLD, verdict=Verdict.PASS, run=6, attempt=1)))
    hostile = "x\n## big <!-- rocm-ci:notice-ends --> @org/team [a](https://evil.example)"

    pending.withdraw(target(github), ("comment",), LINKS, reason=hostile, cancelled=True)

    assert marker.text_of(body(github)) == "x"
    assert "@org" not in body(github)
    assert "\n## big" not in body(github)
    assert "](https://evil" not in body(github)
