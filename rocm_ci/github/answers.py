"""The parts of GitHub's answers that we read; all else in them is passed over."""

from __future__ import annotations

from typing import Literal

import msgspec

from rocm_ci.github import client, review, run


class User(msgspec.Struct, frozen=True):
    """An account."""

    login: str


class Made(msgspec.Struct, frozen=True):
    """Something that was made, of which only the number is wanted."""

    id: int


class Upload(msgspec.Struct, frozen=True):
    """A code scanning log that was taken in."""

    id: str = ""


class PermissionOf(msgspec.Struct, frozen=True):
    """What an account may do in a repository."""

    permission: Literal["admin", "write", "read", "none"]


class Repository(msgspec.Struct, frozen=True):
    """A repository."""

    full_name: str


class WholeRepository(msgspec.Struct, frozen=True):
    """A repository, asked for by its name."""

    default_branch: str


class Ref(msgspec.Struct, frozen=True):
    """One side of a pull request. `repo` is null once a fork is deleted."""

    ref: str
    sha: str
    repo: Repository | None


class Pull(msgspec.Struct, frozen=True):
    """A pull request, in full or in a list."""

    number: int
    state: str
    head: Ref
    base: Ref
    created_at: str = ""

    def pull(self) -> client.Pull:
        """As the rest of the program sees it."""
        return client.Pull(
            number=self.number,
            head=self.head.sha,
            head_repository=self.head.repo.full_name if self.head.repo else None,
            base_repository=self.base.repo.full_name if self.base.repo else "",
            is_open=self.state == "open",
            base_ref=self.base.ref,
            head_ref=self.head.ref,
            created=self.created_at,
        )


class Happened(msgspec.Struct, frozen=True):
    """Something that happened to a pull request beside what was said."""

    event: str
    created_at: str


class Comment(msgspec.Struct, frozen=True):
    """A comment. `user` is null for a deleted account."""

    id: int
    html_url: str
    user: User | None
    body: str | None = None
    created_at: str = ""

    def comment(self) -> client.Comment:
        """As the rest of the program sees it."""
        return client.Comment(
            id=self.id,
            author=self.user.login if self.user else "",
            body=self.body or "",
            url=self.html_url,
            created=self.created_at,
        )


class Reaction(msgspec.Struct, frozen=True):
    """A reaction. `user` is null for a deleted account."""

    id: int
    content: str
    user: User | None = None

    def reacted(self) -> client.Reacted:
        """As the rest of the program sees it."""
        author = self.user.login if self.user else ""
        return client.Reacted(id=self.id, author=author, content=self.content)


class Status(msgspec.Struct, frozen=True):
    """A commit status. `creator` is null for a deleted account."""

    context: str
    state: Literal["error", "failure", "pending", "success"]
    description: str | None = None
    target_url: str | None = None
    creator: User | None = None

    def status(self) -> client.Status:
        """As the rest of the program sees it."""
        return client.Status(
            context=self.context,
            state=self.state,
            description=self.description or "",
            creator=self.creator.login if self.creator else "",
            url=self.target_url or "",
        )


class CheckOutput(msgspec.Struct, frozen=True):
    """What a check run shows."""

    annotations_count: int = 0


class Check(msgspec.Struct, frozen=True):
    """A check run."""

    id: int
    external_id: str | None = None
    html_url: str | None = None
    conclusion: str | None = None
    output: CheckOutput = CheckOutput()

    def posted(self) -> client.PostedCheck:
        """As the rest of the program sees it."""
        return client.PostedCheck(
            id=self.id,
            external_id=self.external_id or "",
            url=self.html_url or "",
            annotations=self.output.annotations_count,
            conclusion=self.conclusion,
        )


class Checks(msgspec.Struct, frozen=True):
    """A page of check runs."""

    check_runs: tuple[Check, ...]


class Run(msgspec.Struct, frozen=True):
    """A workflow run."""

    id: int
    event: str
    head_sha: str
    workflow_id: int
    created_at: str
    html_url: str
    path: str = ""
    run_attempt: int = 1
    head_branch: str | None = None
    head_repository: Repository | None = None
    status: str | None = None
    conclusion: str | None = None
    display_title: str = ""

    def run(self) -> run.Run:
        """As the rest of the program sees it."""
        return run.Run(
            id=self.id,
            attempt=self.run_attempt,
            event=self.event,
            head=self.head_sha,
            branch=self.head_branch,
            head_repository=self.head_repository.full_name if self.head_repository else None,
            status=self.status or "",
            conclusion=self.conclusion,
            created=self.created_at,
            title=self.display_title,
            path=self.path,
            workflow=self.workflow_id,
            url=self.html_url,
        )


class Runs(msgspec.Struct, frozen=True):
    """A page of workflow runs."""

    workflow_runs: tuple[Run, ...]


class Job(msgspec.Struct, frozen=True):
    """A job of a workflow run."""

    name: str
    conclusion: str | None = None

    def job(self) -> run.Job:
        """As the rest of the program sees it."""
        return run.Job(name=self.name, conclusion=self.conclusion)


class Artifact(msgspec.Struct, frozen=True):
    """An artifact."""

    id: int
    name: str
    size_in_bytes: int
    expired: bool
    created_at: str | None = None

    def stored(self) -> run.StoredArtifact:
        """As the rest of the program sees it."""
        return run.StoredArtifact(
            id=self.id,
            name=self.name,
            size=self.size_in_bytes,
            expired=self.expired,
            created=self.created_at or "",
        )


class File(msgspec.Struct, frozen=True):
    """A changed file of a pull request; `patch` is left out for a large or binary one."""

    filename: str
    status: str
    patch: str | None = None

    def changed(self) -> review.ChangedFile:
        """As the rest of the program sees it."""
        return review.ChangedFile(path=self.filename, status=self.status, patch=self.patch)
