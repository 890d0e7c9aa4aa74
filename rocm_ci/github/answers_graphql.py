"""The parts of GitHub's GraphQL answers that we read: who we are, and review conversations."""

from __future__ import annotations

import msgspec

from rocm_ci.github import review
from rocm_ci.github.answers import User


class Viewer(msgspec.Struct, frozen=True):
    """The answer to `query { viewer { login } }`."""

    viewer: User


class Camel(msgspec.Struct, frozen=True, rename="camel"):
    """An object of a GraphQL answer."""


class Actor(msgspec.Struct, frozen=True):
    """An account. GraphQL leaves the `[bot]` away that REST has behind the login of an app.

    Seen in fullsend-ai/fullsend#6205 and DataDog/rshell#227; a `viewer` keeps it (fullsend-ai/fullsend#1953).
    """

    login: str
    kind: str = msgspec.field(name="__typename", default="User")

    @property
    def rest_login(self) -> str:
        """The login as REST writes it."""
        is_bare = self.kind == "Bot" and not self.login.endswith("[bot]")
        return f"{self.login}[bot]" if is_bare else self.login


class ThreadComment(Camel, frozen=True):
    """The first comment of a thread."""

    database_id: int | None
    author: Actor | None
    body: str


class ThreadComments(Camel, frozen=True):
    """The comments of a thread, of which the first was asked for."""

    total_count: int
    nodes: tuple[ThreadComment, ...]


class Thread(Camel, frozen=True):
    """A review conversation."""

    id: str
    is_resolved: bool
    is_outdated: bool
    path: str
    line: int | None
    comments: ThreadComments

    def thread(self) -> review.Thread:
        """As the rest of the program sees it."""
        first = next(iter(self.comments.nodes), None)
        return review.Thread(
            id=self.id,
            comment=(first.database_id or 0) if first else 0,
            author=first.author.rest_login if first and first.author else "",
            body=first.body if first else "",
            path=self.path,
            line=self.line,
            is_resolved=self.is_resolved,
            is_outdated=self.is_outdated,
            replies=max(self.comments.total_count - 1, 0),
        )


class PageInfo(Camel, frozen=True):
    """Whether and where it goes on."""

    has_next_page: bool
    end_cursor: str | None


class ThreadPage(Camel, frozen=True):
    """A page of review conversations."""

    page_info: PageInfo
    nodes: tuple[Thread, ...]


class ThreadsOfPull(Camel, frozen=True):
    """A pull request with its conversations."""

    review_threads: ThreadPage


class ThreadsOfRepository(Camel, frozen=True):
    """A repository with one pull request."""

    pull_request: ThreadsOfPull


class Threads(Camel, frozen=True):
    """The answer to the query for review conversations."""

    repository: ThreadsOfRepository
