"""What we ask of GitHub: the few calls as a Protocol, and the shapes they take and give."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from rocm_ci.errors import GitHubError, RocmCiError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

# https://docs.github.com/rest: what the API takes, in characters.
MAX_BODY = 65_536
MAX_DESCRIPTION = 140
MAX_ANNOTATIONS_PER_REQUEST = 50

StatusState = Literal["error", "failure", "pending", "success"]
Conclusion = Literal["success", "failure", "neutral"]
AnnotationLevel = Literal["notice", "warning", "failure"]

_REPOSITORY = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,100}/(?!\.\.?\Z)[A-Za-z0-9_.-]{1,100}\Z")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")


class UnknownOutcomeError(GitHubError):
    """A write was cut off: it may have happened or not. Look before repeating it."""


class PermissionRefusedError(GitHubError):
    """The token is valid but may not do this. In a fork's own workflow that is always so."""


class DeclinedError(RocmCiError):
    """We chose not to post, because it would be wrong now: the pull request moved on or was closed.

    Nothing failed: a newer run reports, or nobody waits for one.
    """

    exit_code = 0


@dataclass(frozen=True, kw_only=True)
class Pull:
    """A pull request. `head_repository` is None when its fork was deleted."""

    number: int
    head: str
    head_repository: str | None
    base_repository: str
    is_open: bool

    @property
    def is_fork(self) -> bool:
        """Whether the head lives in another repository."""
        return self.head_repository != self.base_repository


@dataclass(frozen=True, kw_only=True)
class Comment:
    """A comment of the conversation. `author` is the login, empty for a deleted account."""

    id: int
    author: str
    body: str
    url: str


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
class Check:
    """A finished check run as we send it. `external_id` is our own name for it."""

    name: str
    commit: str
    conclusion: Conclusion
    title: str
    summary: str
    external_id: str
    details_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class PostedCheck:
    """A check run as GitHub keeps it; `annotations` is how many it holds."""

    id: int
    external_id: str
    url: str
    annotations: int


class GitHub(Protocol):
    """The calls that posting a report needs. Each raises `GitHubError` when GitHub refuses.

    `repository` is `owner/name`; `commit` a full object name.
    """

    def identity(self) -> str:
        """The login under which this token writes, e.g. `github-actions[bot]`."""
        ...

    def pull(self, repository: str, number: int) -> Pull:
        """One pull request."""
        ...

    def open_pulls(self, repository: str, head: str) -> tuple[Pull, ...]:
        """The open pull requests whose head is `owner:branch`."""
        ...

    def pulls_of_commit(self, repository: str, commit: str) -> tuple[Pull, ...]:
        """The pull requests a commit belongs to; empty for a commit that is only in a fork."""
        ...

    def comments(self, repository: str, number: int) -> tuple[Comment, ...]:
        """All comments of a pull request's conversation, oldest first."""
        ...

    def create_comment(self, repository: str, number: int, body: str) -> Comment:
        """A new comment. `UnknownOutcomeError` when the answer was lost."""
        ...

    def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
        """Replace the text of a comment."""
        ...

    def delete_comment(self, repository: str, comment: int) -> None:
        """Remove a comment; one that is gone already is fine."""
        ...

    def set_status(
        self,
        repository: str,
        commit: str,
        *,
        state: StatusState,
        context: str,
        description: str,
        url: str | None,
    ) -> None:
        """The commit status `context`; the newest one of a context counts."""
        ...

    def checks(self, repository: str, commit: str, name: str) -> tuple[PostedCheck, ...]:
        """The check runs called `name` on a commit."""
        ...

    def create_check(self, repository: str, check: Check, annotations: Sequence[Annotation]) -> PostedCheck:
        """A new check run with up to 50 annotations. `UnknownOutcomeError` when the answer was lost."""
        ...

    def annotate_check(
        self, repository: str, posted: int, check: Check, annotations: Sequence[Annotation]
    ) -> PostedCheck:
        """Append up to 50 annotations to a check run."""
        ...


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
