"""What a review of a pull request is made of: changed files, remarks, threads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ChangedFile:
    """A file of the pull request. `patch` holds its hunks, None for a large or binary one."""

    path: str
    status: str
    patch: str | None


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A review comment on lines of the head. `start_line` only where it is less than `line`."""

    path: str
    line: int
    body: str
    start_line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Thread:
    """A conversation on lines of the diff; `author` and `body` are those of its first comment.

    `id` is the GraphQL node, `comment` the REST id of the first comment, `replies` how many follow it.
    """

    id: str
    comment: int
    author: str
    body: str
    path: str
    line: int | None
    is_resolved: bool
    is_outdated: bool
    replies: int
