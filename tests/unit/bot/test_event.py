"""The events as GitHub publishes them, and what is wrong with others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocm_ci.bot import event
from rocm_ci.errors import EventError, UsageError

STORED = Path(__file__).resolve().parents[2] / "data" / "events"


def stored(name: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((STORED / f"{name}.json").read_bytes())
    return body


def said(body: object) -> event.Said:
    found = event.read("issue_comment", json.dumps(body).encode())
    assert isinstance(found, event.Said)
    return found


def test_a_published_comment_is_understood() -> None:
    found = said(stored("issue_comment.created"))

    assert (found.action, found.repository, found.number) == ("created", "Codertocat/Hello-World", 1)
    assert (found.comment, found.created) == (492700400, "2019-05-15T15:20:21Z")
    assert found.author == event.Person(login="Codertocat", is_bot=False)
    assert (found.is_pull, found.is_open, found.is_locked, found.default_branch) == (
        False,
        True,
        False,
        "master",
    )
    assert found.url.endswith("#issuecomment-492700400")


def test_a_published_button_is_understood() -> None:
    found = event.read("check_run", (STORED / "check_run.requested_action.json").read_bytes())

    assert isinstance(found, event.Pressed)
    assert (found.repository, found.check, found.button) == ("electron/electron", "API Review", "lgtm|26764")
    assert (found.head, found.numbers) == ("5bd5f196a46b8222fb7484f05faba41a73cf34bd", (26764,))


def test_a_comment_of_a_pull_request_is_one() -> None:
    body = stored("issue_comment.created")
    body["issue"]["pull_request"] = {"url": "https://api.github.com/repos/Codertocat/Hello-World/pulls/1"}

    assert said(body).is_pull


@pytest.mark.parametrize(
    ("user", "is_bot"),
    [
        ({"login": "dependabot[bot]", "type": "Bot"}, True),
        ({"login": "sneaky[bot]", "type": "User"}, True),
        ({"login": "acme", "type": "Organization"}, True),
        (None, True),
        ({"login": "jane_corp", "type": "User"}, False),
    ],
)
def test_what_no_human_types_for_is_a_bot(user: object, is_bot: bool) -> None:
    body = stored("issue_comment.created")
    body["comment"]["user"] = user

    assert said(body).author.is_bot is is_bot


def test_an_address_that_is_none_is_dropped() -> None:
    body = stored("issue_comment.created")
    body["comment"]["html_url"] = "javascript:alert(1)"

    assert said(body).url == ""


@pytest.mark.parametrize("name", ["", "push", "pull_request_review_comment", "issues"])
def test_another_event_is_refused_with_a_hint(name: str) -> None:
    with pytest.raises(EventError) as caught:
        event.read(name, b"{}")

    assert "issue_comment" in caught.value.hint


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"action": 1}'])
def test_a_broken_payload_is_refused(payload: bytes) -> None:
    for name in ("issue_comment", "check_run"):
        with pytest.raises(EventError, match="event file"):
            event.read(name, payload)


@pytest.mark.parametrize("name", ["../../x", "o/r/s", "o", "o/..", "o/r\n"])
def test_a_repository_that_is_none_never_reaches_an_address(name: str) -> None:
    body = stored("issue_comment.created")
    body["repository"]["full_name"] = name

    with pytest.raises(UsageError):
        said(body)
