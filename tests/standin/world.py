"""What the stand-in GitHub remembers: accounts, repositories, pull requests and all that hangs on them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

WRITE = frozenset({"issues", "pull_requests", "statuses", "checks"})
ACTIONS_APP = 15368  # the id of GitHub's own Actions app


@dataclass(kw_only=True)
class Identity:
    """Who a token speaks for. A workflow's token is an app's: it may not ask `/user`."""

    login: str
    is_app: bool = False
    writes: frozenset[str] = WRITE


@dataclass(kw_only=True)
class Pull:
    number: int
    head: str
    branch: str
    base_branch: str = "main"
    head_repository: str | None
    head_owner: str
    state: str = "open"
    locked: bool = False


@dataclass(kw_only=True)
class Comment:
    id: int
    number: int
    author: str
    body: str
    by_app: bool = False
    edits: int = 0


@dataclass(kw_only=True)
class Status:
    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: str


@dataclass(kw_only=True)
class Check:
    id: int
    sha: str
    name: str
    status: str
    conclusion: str | None
    external_id: str
    details_url: str | None
    title: str | None
    summary: str | None
    annotations: list[dict[str, object]] = field(default_factory=list)


@dataclass(kw_only=True)
class Repository:
    full_name: str
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    commits: set[str] = field(default_factory=set)


@dataclass(kw_only=True)
class World:
    """All state, and the verbs by which a test (not the API) changes it."""

    tokens: dict[str, Identity] = field(default_factory=dict)
    repositories: dict[str, Repository] = field(default_factory=dict)
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1001))

    def repository(self, full_name: str) -> Repository:
        return self.repositories.setdefault(full_name, Repository(full_name=full_name))

    def open_pull(
        self, full_name: str, number: int, head: str, *, branch: str = "feature", fork: str | None = None
    ) -> Pull:
        """A pull request in `full_name`; `fork` names the repository of its head."""
        repository = self.repository(full_name)
        pull = Pull(
            number=number,
            head=head,
            branch=branch,
            head_repository=fork or full_name,
            head_owner=(fork or full_name).split("/")[0],
        )
        repository.pulls[number] = pull
        repository.commits.add(head)
        return pull

    def push(self, full_name: str, number: int, head: str) -> None:
        """The pull request's branch moves on."""
        repository = self.repositories[full_name]
        repository.pulls[number].head = head
        repository.commits.add(head)

    def say(self, full_name: str, number: int, author: str, body: str) -> Comment:
        """Somebody comments."""
        comment = Comment(id=next(self.ids), number=number, author=author, body=body)
        self.repositories[full_name].comments.append(comment)
        return comment
