"""The hidden line under our answers: found again, forged by nobody."""

from __future__ import annotations

import pytest
from hypothesis import given

from rocm_ci.bot import reply
from rocm_ci.bot.event import Person, Said
from rocm_ci.errors import GitHubError
from rocm_ci.github import marker
from rocm_ci.github.client import Comment
from tests.hostile import HOSTILE
from tests.rendered import acts, render
from tests.unit.github.fake import BOT, FakeGitHub

SAID = Said(
    action="created",
    repository="o/r",
    number=5,
    comment=77,
    author=Person(login="jane", is_bot=False),
    sender=Person(login="jane", is_bot=False),
    body="/rocm-ci help",
    created="2026-11-30T12:00:00Z",
    url="",
    default_branch="main",
    is_pull=True,
    is_open=True,
    is_locked=False,
)


def comment(body: str, author: str = BOT) -> Comment:
    return Comment(id=100, author=author, body=body, url="url/100", created=SAID.created)


def test_our_answer_is_found_again() -> None:
    mark = reply.mark_of(comment(reply.signed("Done.", SAID, "done")), BOT)

    assert mark == reply.Mark(comment=77, login="jane", kind="done", id=100)


@pytest.mark.attack("11", "our hidden line in the comment of somebody else")
@pytest.mark.parametrize("author", ["stranger", "github-actions", "", "dependabot[bot]"])
def test_nobody_elses_comment_is_ours(author: str) -> None:
    assert reply.mark_of(comment(reply.signed("Done.", SAID, "done"), author), BOT) is None


@pytest.mark.parametrize(
    "body",
    [
        "Done.",
        "<!-- rocm-ci-bot:v1 comment=77 for=jane kind=done --> and more",
        "<!-- rocm-ci-bot:v2 comment=77 for=jane kind=done -->",
        "<!-- rocm-ci-bot:v1 comment=77 for=ja ne kind=done -->",
        "<!-- rocm-ci-bot:v1 comment=x for=jane kind=done -->",
        "<!-- rocm-ci-bot:v1 comment=77 for=jane kind=other -->",
    ],
)
def test_what_only_resembles_it_is_none(body: str) -> None:
    assert reply.mark_of(comment(body), BOT) is None


def test_an_answer_is_not_taken_for_the_report() -> None:
    assert marker.find(reply.signed("Done.", SAID, "done")) is None


def test_a_long_answer_is_cut_before_the_hidden_line() -> None:
    body = reply.signed("a" * 100_000, SAID, "done")

    assert len(body) < 65_536
    assert reply.mark_of(comment(body), BOT) is not None


@pytest.mark.attack("6", "names and messages of a pull request in a polite no")
@given(HOSTILE, HOSTILE)
def test_a_refusal_quotes_nothing_that_acts(why: str, hint: str) -> None:
    said = reply.refusal("/rocm-ci run", why, hint)

    assert acts(render(said)) == []
    assert "<!--" not in said


def test_an_answer_that_got_lost_is_not_given_twice() -> None:
    github = FakeGitHub(lost=1)

    assert reply.post(github, SAID, reply.signed("Done.", SAID, "done")) == github.notes[0].url
    assert len(github.notes) == 1


def test_a_github_that_loses_all_answers_is_given_up() -> None:
    github = FakeGitHub(lost=99, lagging=True)

    with pytest.raises(GitHubError, match="several times"):
        reply.post(github, SAID, reply.signed("Done.", SAID, "done"))

    assert len(github.notes) == 4


def test_an_answer_out_of_date_is_replaced() -> None:
    github = FakeGitHub()
    old = github.say(BOT, reply.signed("No.", SAID, "failed"))

    reply.post(github, SAID, reply.signed("Done.", SAID, "done"), instead_of=old.id)

    assert [note.body for note in github.notes] == [reply.signed("Done.", SAID, "done")]
