"""(environment mapping, payload) → what triggered us. Pure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rocm_ci.errors import EventError
from rocm_ci.model.event import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 26_000_000  # GitHub caps a webhook payload at 25 MB
ZERO = "0" * 40
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
_REF = re.compile(r"(?![-./])(?!.*(?:\.\.|//|@\{|\.lock(?:/|\Z)))[A-Za-z0-9._/+@-]{1,200}(?<![./])\Z")
# What the configuration lets a suite and a benchmark be called (config.options.Name).
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,79}\Z")
_HINT = "rocm-ci runs on pull_request, push, merge_group and workflow_dispatch; or use --local --base REF"


def parse(environment: Mapping[str, str], payload: bytes) -> Event:
    """The event of a GitHub workflow run.

    Reads GITHUB_EVENT_NAME, GITHUB_SHA, GITHUB_REPOSITORY, GITHUB_REF, GITHUB_RUN_ID and
    GITHUB_RUN_ATTEMPT from `environment`; `payload` is the content of GITHUB_EVENT_PATH.
    `merge_base` stays None: only git knows it.
    """
    name = environment.get("GITHUB_EVENT_NAME", "")
    try:
        kind = EventKind(name)
    except ValueError:
        kind = EventKind.LOCAL
    if kind is EventKind.LOCAL:
        message = f"cannot run on the event {name!r}" if name else "GITHUB_EVENT_NAME is not set"
        raise EventError(message, hint=_HINT)
    body = _decoded(payload)
    common: dict[str, Any] = {
        "kind": kind,
        "repository": environment.get("GITHUB_REPOSITORY") or _text(body, "repository", "full_name"),
        "run_id": _number(environment.get("GITHUB_RUN_ID")),
        "run_attempt": _number(environment.get("GITHUB_RUN_ATTEMPT")),
    }
    match kind:
        case EventKind.PULL_REQUEST:
            return _pull_request(body, common)
        case EventKind.PUSH:
            before = _text(body, "before")
            if _text(body, "after") == ZERO:
                message = f"the push deletes {_text(body, 'ref')}: there is no commit to check"
                raise EventError(message, hint="give the job `if: ${{ !github.event.deleted }}`")
            return Event(
                head=_commit(body, "after"),
                base=None if before in (None, ZERO) else _commit(body, "before"),
                head_ref=_text(body, "ref"),
                **common,
            )
        case EventKind.MERGE_GROUP:
            return Event(
                head=_commit(body, "merge_group", "head_sha"),
                base=_commit(body, "merge_group", "base_sha"),
                head_ref=_text(body, "merge_group", "head_ref"),
                base_ref=_text(body, "merge_group", "base_ref"),
                **common,
            )
        case EventKind.WORKFLOW_DISPATCH:
            tip = environment.get("GITHUB_SHA", "")
            if not _COMMIT.match(tip):
                raise EventError("GITHUB_SHA holds no commit", hint=_HINT)
            if _input(body, "number") or _input(body, "head"):
                return _for_pull_request(body, tip, common)
            return Event(head=tip, head_ref=environment.get("GITHUB_REF"), **_part(body), **common)


def _for_pull_request(body: dict[str, Any], tip: str, common: dict[str, Any]) -> Event:
    """A run that the bot, or a maintainer by hand, started for the head of a pull request.

    `tip` is the commit of the default branch the workflow comes from. Nothing here knows whose code it is,
    so it counts as a stranger's: what guards the branch then comes from the merge base.
    """
    number, head, base = (_input(body, name) for name in ("number", "head", "base"))
    if not number.isdecimal() or not 0 < int(number) < 2**53:
        message = f"the input `number` is {number[:40]!a}, which is no pull request"
        raise EventError(message, hint="start the workflow with both `number` and `head`")
    if not _COMMIT.match(head):
        message = f"the input `head` is {head[:80]!a}, which is no full commit name"
        raise EventError(message, hint="start the workflow with both `number` and `head`, 40 digits")
    if base and not _COMMIT.match(base) and not _REF.match(base):
        message = f"the input `base` is {base[:80]!a}, which is no commit and no branch"
        raise EventError(message, hint="leave it out for the default branch")
    is_branch = bool(base) and not _COMMIT.match(base)
    return Event(
        head=head,
        base=None if is_branch else base or tip,
        base_ref=base if is_branch else _text(body, "repository", "default_branch") if not base else None,
        number=int(number),
        is_fork=True,
        **_part(body),
        **common,
    )


def _part(body: dict[str, Any]) -> dict[str, Any]:
    """Which suite and which benchmark the inputs of a dispatch ask for."""
    asked: dict[str, Any] = {}
    for name in ("suite", "bench"):
        text = _input(body, name)
        if text and text != "*" and not _NAME.match(text):
            message = f"the input `{name}` is {text[:80]!a}, which no suite or benchmark can be called"
            raise EventError(message, hint="write it as in the configuration, or `*` for all of them")
        asked[name] = text or None
    return asked


def _input(body: dict[str, Any], name: str) -> str:
    """An input of a dispatch; GitHub gives numbers as texts, other senders need not."""
    value = _at(body, "inputs", name)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value).strip()


def _pull_request(body: dict[str, Any], common: dict[str, Any]) -> Event:
    head_repository = _text(body, "pull_request", "head", "repo", "full_name")
    base_repository = _text(body, "pull_request", "base", "repo", "full_name")
    labels = _at(body, "pull_request", "labels")
    return Event(
        head=_commit(body, "pull_request", "head", "sha"),
        base=_commit(body, "pull_request", "base", "sha"),
        head_ref=_text(body, "pull_request", "head", "ref"),
        base_ref=_text(body, "pull_request", "base", "ref"),
        number=_number(_at(body, "pull_request", "number")),
        title=_text(body, "pull_request", "title"),
        # A deleted fork has no repository any more: that is still not ours.
        is_fork=head_repository is None or head_repository != base_repository,
        labels=tuple(
            label["name"]
            for label in (labels if isinstance(labels, list) else [])
            if isinstance(label, dict) and isinstance(label.get("name"), str)
        ),
        **common,
    )


def _decoded(payload: bytes) -> dict[str, Any]:
    if len(payload) > MAX_BYTES:
        message = f"the event file has {len(payload)} bytes; GitHub never sends more than 25 MB"
        raise EventError(message, hint="check that GITHUB_EVENT_PATH names the event file")
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError) as error:
        message = f"the event file is not valid JSON ({error}); it may be cut off"
        raise EventError(message, hint="check that GITHUB_EVENT_PATH names a complete event file") from error
    if not isinstance(body, dict):
        message = f"the event file holds a {type(body).__name__}, not an object"
        raise EventError(message, hint="check that GITHUB_EVENT_PATH names the event file")
    return body


def _at(body: object, *path: str) -> object:
    for key in path:
        body = body.get(key) if isinstance(body, dict) else None
    return body


def _text(body: object, *path: str) -> str | None:
    value = _at(body, *path)
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _commit(body: object, *path: str) -> str:
    value = _text(body, *path)
    if value is None or not _COMMIT.match(value):
        message = f"the event file has no commit at {'.'.join(path)}"
        raise EventError(message, hint="it may belong to another event: " + _HINT)
    return value
