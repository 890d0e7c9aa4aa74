"""The shapes that the calls of `port.GitHub` take and give, and what can go wrong in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rocm_ci.errors import GitHubError, RocmCiError, UsageError

# https://docs.github.com/rest: what the API takes, in characters.
MAX_BODY = 65_536
MAX_DESCRIPTION = 140
MAX_ANNOTATIONS_PER_REQUEST = 50

StatusState = Literal["error", "failure", "pending", "success"]
Conclusion = Literal["success", "failure", "neutral", "cancelled"]
AnnotationLevel = Literal["notice", "warning", "failure"]

_REPOSITORY = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,100}/(?!\.\.?\Z)[A-Za-z0-9_.-]{1,100}\Z")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")


class UnknownOutcomeError(GitHubError):
    """A write was cut off: it may have happened or not. Look before repeating it."""


class PermissionRefusedError(GitHubError):
    """The token is valid but may not do this. In a fork's own workflow that is always so."""


class RejectedError(GitHubError):
    """What was sent breaks a rule of GitHub (422): sent again, it is refused again."""


class DeclinedError(RocmCiError):
    """We chose not to post, because it would be wrong now: the pull request moved on or was closed.

    Nothing failed: a newer run reports, or nobody waits for one.
    """

    exit_code = 0


@dataclass(frozen=True, kw_only=True)
class Pull:
    """A pull request. `head_repository` is None when its fork was deleted; both `_ref` are branches.

    `created` is when it was opened, UTC in ISO 8601.
    """

    number: int
    head: str
    head_repository: str | None
    base_repository: str
    is_open: bool
    base_ref: str = ""
    head_ref: str = ""
    created: str = ""

    @property
    def is_fork(self) -> bool:
        """Whether the head lives in another repository."""
        return self.head_repository != self.base_repository


@dataclass(frozen=True, kw_only=True)
class Comment:
    """A comment of the conversation. `author` is the login, empty for a deleted account.

    `created` is when, UTC in ISO 8601 to the second.
    """

    id: int
    author: str
    body: str
    url: str
    created: str = ""


@dataclass(frozen=True, kw_only=True)
class Reacted:
    """A reaction under a comment. `content` is such as `eyes`; `author` as in `Comment`."""

    id: int
    author: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """A remark on lines of a file in a check run; columns only within one line. 1-based."""

    path: str
    start_line: int
    end_line: int
    level: AnnotationLevel
    message: str
    title: str
    start_column: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, kw_only=True)
class CheckAction:
    """A button on a check run: at most 20, 40 and 20 characters."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, kw_only=True)
class Status:
    """A commit status. `creator` is the login that set it, `url` what it links to."""

    context: str
    state: StatusState
    description: str
    creator: str
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check run as we send it; without a conclusion it is in progress. `external_id` is our name for it.

    At most three `actions`.
    """

    name: str
    commit: str
    conclusion: Conclusion | None
    title: str
    summary: str
    external_id: str
    details_url: str | None = None
    actions: tuple[CheckAction, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PostedCheck:
    """A check run as GitHub keeps it; `annotations` is how many it holds.

    Without a `conclusion` it is in progress.
    """

    id: int
    external_id: str
    url: str
    annotations: int
    conclusion: str | None = None


def checked_repository(text: str) -> str:
    """`text`, if it is an `owner/name` that can stand in an address."""
    if not _REPOSITORY.match(text):
        message = f"{text[:120]!r} is not a repository"
        raise UsageError(message, hint="write it as owner/name")
    return text


def checked_commit(text: str) -> str:
    """`text`, if it is a full commit name."""
    if not _COMMIT.match(text):
        message = f"{text[:80]!r} is not a full commit name"
        raise UsageError(message, hint="give all 40 hexadecimal digits (git rev-parse HEAD)")
    return text
