"""How much one person may ask within an hour, read from the conversation alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rocm_ci.bot import manners, reply
from rocm_ci.errors import EventError
from rocm_ci.github.client import Comment
from tests.unit.bot.test_reply import SAID
from tests.unit.github.fake import BOT, FakeGitHub


def github(*notes: tuple[int, str, str, str]) -> FakeGitHub:
    made = [Comment(id=n, author=author, body=body, url="", created=when) for n, author, body, when in notes]
    return FakeGitHub(notes=made)


NOW = SAID.created


def test_earlier_commands_of_the_same_person_count() -> None:
    found = manners.earlier(
        github(
            (70, "jane", "/rocm-ci run", NOW),
            (71, "Jane", "text\n/rocm-ci help", NOW),
            (72, "jane", "Thanks!", NOW),
            (73, "john", "/rocm-ci run", NOW),
            (74, "jane", "/rocm-ci run", "2026-11-30T10:59:59Z"),
            (77, "jane", SAID.body, NOW),
            (78, "jane", "/rocm-ci run", NOW),
        ),
        SAID,
    )

    assert found.asked == 2


def test_a_comment_that_was_deleted_is_counted_by_our_answer() -> None:
    body = reply.signed("No.", replace(SAID, comment=60), "stranger")

    found = manners.earlier(github((61, BOT, body, NOW), (62, "john", body, NOW)), SAID)

    assert (found.asked, found.told) == (1, frozenset({"stranger"}))
    assert found.was_told("stranger")
    assert not found.was_told("cooldown")


def test_what_was_said_to_somebody_else_was_not_said_to_you() -> None:
    body = reply.signed(
        "No.", replace(SAID, comment=60, author=replace(SAID.author, login="john")), "stranger"
    )

    assert manners.earlier(github((61, BOT, body, NOW)), SAID).told == frozenset()


@pytest.mark.parametrize(
    ("asked", "may_write", "too_much"),
    [(2, False, False), (3, False, True), (19, True, False), (20, True, True)],
)
def test_who_may_write_may_ask_more(asked: int, may_write: bool, too_much: bool) -> None:
    earlier = manners.Earlier(comments=(), us=BOT, asked=asked, told=frozenset())

    assert earlier.is_too_much(may_write=may_write) is too_much


def test_a_moment_that_is_none_is_a_wrong_event() -> None:
    with pytest.raises(EventError, match="no time"):
        manners.earlier(github(), replace(SAID, created="yesterday"))
