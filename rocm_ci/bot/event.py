"""The two events the bot answers: a comment that was created, a button of our check run. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from rocm_ci.errors import EventError
from rocm_ci.github.client import checked_commit, checked_repository

_T = TypeVar("_T")
_ADDRESS = re.compile(r"https?://[\w.:-]+/[\w./#-]{1,400}\Z", re.ASCII)

_HINT = "run `rocm-ci bot` from a workflow on: issue_comment (types: [created]) or check_run"


class _User(msgspec.Struct):
    login: str
    type: str = "User"


class _Repository(msgspec.Struct):
    full_name: str
    default_branch: str = ""


class _Link(msgspec.Struct):
    url: str | None = None


class _Issue(msgspec.Struct):
    number: int
    state: str = "open"
    locked: bool = False
    pull_request: _Link | None = None


class _Comment(msgspec.Struct):
    id: int
    created_at: str
    body: str | None = None
    user: _User | None = None
    html_url: str = ""


class _Commented(msgspec.Struct):
    action: str
    issue: _Issue
    comment: _Comment
    repository: _Repository
    sender: _User


class _Button(msgspec.Struct):
    identifier: str


class _Number(msgspec.Struct):
    number: int


class _Check(msgspec.Struct):
    name: str
    head_sha: str
    pull_requests: list[_Number] = []


class _Pressed(msgspec.Struct):
    action: str
    check_run: _Check
    repository: _Repository
    sender: _User
    requested_action: _Button | None = None


@dataclass(frozen=True, kw_only=True)
class Person:
    """An account. `is_bot` for every kind of account that no human types for."""

    login: str
    is_bot: bool


@dataclass(frozen=True, kw_only=True)
class Said:
    """A comment. `created` is UTC in ISO 8601; `action` is what happened to it."""

    action: str
    repository: str
    number: int
    comment: int
    author: Person
    sender: Person
    body: str
    created: str
    url: str
    default_branch: str
    is_pull: bool
    is_open: bool
    is_locked: bool


@dataclass(frozen=True, kw_only=True)
class Pressed:
    """A button of a check run, `rerequested` for GitHub's own «Re-run»."""

    repository: str
    check: str
    head: str
    button: str
    sender: Person
    default_branch: str
    numbers: tuple[int, ...]


def read(name: str, payload: bytes) -> Said | Pressed:
    """The event `name` from the content of GITHUB_EVENT_PATH. Raises `EventError` for any other."""
    if name == "issue_comment":
        return _said(_decoded(payload, _Commented, name))
    if name == "check_run":
        return _pressed(_decoded(payload, _Pressed, name))
    message = f"the bot does not answer the event {name[:60]!r}" if name else "GITHUB_EVENT_NAME is not set"
    raise EventError(message, hint=_HINT)


def _decoded(payload: bytes, shape: type[_T], name: str) -> _T:
    try:
        return msgspec.json.decode(payload, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        message = f"the event file is no {name} event: {str(error)[:200]}"
        raise EventError(message, hint=_HINT) from error


def _said(body: _Commented) -> Said:
    return Said(
        action=body.action,
        repository=checked_repository(body.repository.full_name),
        number=body.issue.number,
        comment=body.comment.id,
        author=_person(body.comment.user),
        sender=_person(body.sender),
        body=body.comment.body or "",
        created=body.comment.created_at,
        url=body.comment.html_url if _ADDRESS.match(body.comment.html_url) else "",
        default_branch=body.repository.default_branch,
        is_pull=body.issue.pull_request is not None,
        is_open=body.issue.state == "open",
        is_locked=body.issue.locked,
    )


def _pressed(body: _Pressed) -> Pressed:
    button = body.requested_action.identifier if body.requested_action else ""
    return Pressed(
        repository=checked_repository(body.repository.full_name),
        check=body.check_run.name,
        head=checked_commit(body.check_run.head_sha),
        button=button if body.action == "requested_action" else body.action,
        sender=_person(body.sender),
        default_branch=body.repository.default_branch,
        numbers=tuple(pull.number for pull in body.check_run.pull_requests[:20]),
    )


def _person(user: _User | None) -> Person:
    if user is None:  # the account is gone
        return Person(login="", is_bot=True)
    return Person(
        login=user.login, is_bot=user.type not in ("User", "Mannequin") or user.login.endswith("[bot]")
    )
