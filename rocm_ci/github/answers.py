"""The parts of GitHub's answers that we read; all else in them is passed over."""

from __future__ import annotations

import msgspec

from rocm_ci.github import client


class User(msgspec.Struct, frozen=True):
    """An account."""

    login: str


class ViewerOf(msgspec.Struct, frozen=True):
    """The `data` of the GraphQL answer."""

    viewer: User


class Viewer(msgspec.Struct, frozen=True):
    """The answer to `query { viewer { login } }`."""

    data: ViewerOf


class Repository(msgspec.Struct, frozen=True):
    """A repository."""

    full_name: str


class Ref(msgspec.Struct, frozen=True):
    """One side of a pull request. `repo` is null once a fork is deleted."""

    sha: str
    repo: Repository | None


class Pull(msgspec.Struct, frozen=True):
    """A pull request, in full or in a list."""

    number: int
    state: str
    head: Ref
    base: Ref

    def pull(self) -> client.Pull:
        """As the rest of the program sees it."""
        return client.Pull(
            number=self.number,
            head=self.head.sha,
            head_repository=self.head.repo.full_name if self.head.repo else None,
            base_repository=self.base.repo.full_name if self.base.repo else "",
            is_open=self.state == "open",
        )


class Comment(msgspec.Struct, frozen=True):
    """A comment. `user` is null for a deleted account."""

    id: int
    html_url: str
    user: User | None
    body: str | None = None

    def comment(self) -> client.Comment:
        """As the rest of the program sees it."""
        return client.Comment(
            id=self.id,
            author=self.user.login if self.user else "",
            body=self.body or "",
            url=self.html_url,
        )


class CheckOutput(msgspec.Struct, frozen=True):
    """What a check run shows."""

    annotations_count: int = 0


class Check(msgspec.Struct, frozen=True):
    """A check run."""

    id: int
    external_id: str | None = None
    html_url: str | None = None
    output: CheckOutput = CheckOutput()

    def posted(self) -> client.PostedCheck:
        """As the rest of the program sees it."""
        return client.PostedCheck(
            id=self.id,
            external_id=self.external_id or "",
            url=self.html_url or "",
            annotations=self.output.annotations_count,
        )


class Checks(msgspec.Struct, frozen=True):
    """A page of check runs."""

    check_runs: tuple[Check, ...]
