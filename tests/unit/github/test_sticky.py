"""One comment, whoever else writes and whatever gets lost."""

from __future__ import annotations

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.github import marker, sticky
from rocm_ci.github.marker import Stamp
from rocm_ci.model.verdict import Verdict
from tests.unit.github.fake import BOT, FakeGitHub

HEAD, OLD = "a" * 40, "b" * 40


def stamp(run: int | None = 7, attempt: int | None = 1, head: str = HEAD) -> Stamp:
    return Stamp(head=head, verdict=Verdict.PASS, run=run, attempt=attempt)


def post(
    github: FakeGitHub, text: str = "new", made: Stamp | None = None, key: str = "default"
) -> sticky.Posted:
    return sticky.post(github, "o/r", 5, text=text, key=key, stamp=made or stamp())


def signed(text: str, made: Stamp | None = None, key: str = "default") -> str:
    return marker.sign(text, key, made or stamp())


def test_the_first_time_it_is_created() -> None:
    github = FakeGitHub()

    assert post(github) == sticky.Posted(action="created", url="url/101")
    assert [c.body for c in github.notes] == [signed("new")]
    assert github.calls == ["create"]


def test_the_second_time_it_is_edited() -> None:
    github = FakeGitHub()
    post(github)

    assert post(github, "newer").action == "edited"
    assert [c.body for c in github.notes] == [signed("newer")]


def test_the_same_again_writes_nothing() -> None:
    github = FakeGitHub()
    post(github)

    assert post(github).action == "unchanged"
    assert github.calls == ["create"]


@pytest.mark.parametrize("author", ["mallory", "github-actions", "GitHub-Actions[bot] ", ""])
def test_a_marker_by_somebody_else_is_not_ours(author: str) -> None:
    github = FakeGitHub()
    github.say(author, signed("forged"))

    assert post(github).action == "created"
    assert github.notes[0].body == signed("forged")


def test_a_comment_of_ours_without_a_marker_is_left_alone() -> None:
    github = FakeGitHub()
    github.say(BOT, "another action of this repository wrote this")

    assert post(github).action == "created"


def test_each_key_has_its_own() -> None:
    github = FakeGitHub()
    post(github, key="default")
    post(github, key="nightly")

    assert [marker.find(c.body).key for c in github.notes] == ["default", "nightly"]  # type: ignore[union-attr]


@pytest.mark.parametrize("shown", [stamp(run=8), stamp(run=7, attempt=2)])
def test_a_newer_run_of_the_same_commit_stays(shown: Stamp) -> None:
    github = FakeGitHub()
    github.say(BOT, signed("newer", shown))

    assert post(github).action == "kept"
    assert github.calls == []


@pytest.mark.parametrize(
    "shown", [stamp(run=6, attempt=9), stamp(run=900, head=OLD), stamp(run=None, attempt=None)]
)
def test_an_older_run_and_an_older_commit_are_replaced(shown: Stamp) -> None:
    github = FakeGitHub()
    github.say(BOT, signed("older", shown))

    assert post(github).action == "edited"


def test_who_does_not_know_its_run_replaces_what_is_there() -> None:
    github = FakeGitHub()
    github.say(BOT, signed("by a workflow", stamp(run=8)))

    assert post(github, made=stamp(run=None, attempt=None)).action == "edited"


def test_a_damaged_marker_of_ours_is_repaired() -> None:
    github = FakeGitHub()
    github.say(BOT, "x\n\n<!-- rocm-ci:v1 key=default payload=AAAA -->")

    assert post(github).action == "edited"
    assert [c.body for c in github.notes] == [signed("new")]


def test_of_two_comments_the_oldest_stays_with_the_newest_run() -> None:
    github = FakeGitHub()
    github.say(BOT, signed("run 6", stamp(run=6)))
    github.say("mallory", "between")
    github.say(BOT, signed("run 9", stamp(run=9)))
    github.say(BOT, signed("run 8", stamp(run=8)))

    done = post(github)

    assert (done.action, done.url, done.doubles_removed) == ("kept", "url/101", 2)
    assert [(c.id, c.body) for c in github.notes] == [(101, signed("run 9", stamp(run=9))), (102, "between")]
    # The text is safe before its other copy goes.
    assert github.calls == ["edit 101", "delete 103", "delete 104"]


@pytest.mark.parametrize("lost", [1, 2])
def test_a_lost_answer_makes_no_second_comment(lost: int) -> None:
    github = FakeGitHub(lost=lost)

    assert post(github).action == "created"
    assert github.calls == ["create"]


def test_a_list_that_lags_behind_makes_no_second_comment() -> None:
    github = FakeGitHub(lagging=True)

    assert post(github).action == "created"
    assert github.calls == ["create"]


def test_a_github_that_loses_everything_is_given_up() -> None:
    github = FakeGitHub(lagging=True, lost=99)

    with pytest.raises(GitHubError, match="lost it several times"):
        post(github)

    assert len(github.calls) == 6


def test_the_answer_that_is_lost_last_is_looked_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sticky, "_ROUNDS", 1)
    github = FakeGitHub(lost=1)

    assert post(github).action == "created"
