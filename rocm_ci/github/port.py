"""All that we ask of GitHub, as Protocols: `GitHub` is their sum, `rest.RestClient` the real one.

In every call `repository` is `owner/name`, `commit` a full object name. Each raises `GitHubError` when
GitHub refuses; a write whose answer was lost and that must not be repeated, `UnknownOutcomeError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.github.client import (
        Annotation,
        Check,
        Comment,
        PostedCheck,
        Pull,
        Reacted,
        Status,
        StatusState,
    )
    from rocm_ci.github.review import ChangedFile, Remark, Thread
    from rocm_ci.github.run import Job, Run, StoredArtifact

Reaction = Literal["eyes", "rocket", "confused"]
Permission = Literal["admin", "write", "read", "none"]


class Conversation(Protocol):
    """Pull requests and what is said under them."""

    def identity(self) -> str:
        """The login under which this token writes, e.g. `github-actions[bot]`. Asked once."""
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

    def force_pushes(self, repository: str, number: int) -> tuple[str, ...]:
        """When the branch of an open pull request was moved otherwise than forward, UTC in ISO 8601."""
        ...

    def comments(self, repository: str, number: int, *, since: str | None = None) -> tuple[Comment, ...]:
        """All comments of a conversation (changed since an ISO 8601 moment), oldest first."""
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

    def react(self, repository: str, comment: int, reaction: Reaction) -> int:
        """Put our reaction under a comment (once, however often it is asked for): its id."""
        ...

    def reactions(self, repository: str, comment: int) -> tuple[Reacted, ...]:
        """The reactions under a comment."""
        ...

    def unreact(self, repository: str, comment: int, reaction: int) -> None:
        """Take a reaction away again; one that is gone already is fine."""
        ...


class Verdicts(Protocol):
    """Commit statuses, check runs and code scanning."""

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

    def statuses(self, repository: str, commit: str) -> tuple[Status, ...]:
        """The statuses of a commit, the newest of each context, in no order."""
        ...

    def checks(self, repository: str, commit: str, name: str) -> tuple[PostedCheck, ...]:
        """The check runs called `name` on a commit."""
        ...

    def create_check(self, repository: str, check: Check, annotations: Sequence[Annotation]) -> PostedCheck:
        """A new check run with up to 50 annotations. `UnknownOutcomeError` when the answer was lost."""
        ...

    def update_check(
        self, repository: str, posted: int, check: Check, annotations: Sequence[Annotation]
    ) -> PostedCheck:
        """Replace all of a check run but its annotations, to which up to 50 are appended."""
        ...

    def upload_sarif(self, repository: str, *, commit: str, ref: str, sarif: bytes) -> str:
        """Hand a SARIF log (plain JSON; packed on the way) to code scanning; the id of the upload."""
        ...


class Runs(Protocol):
    """Workflow runs: look at them, take what they left, steer them."""

    def run(self, repository: str, run: int) -> Run:
        """One run."""
        ...

    def runs(
        self,
        repository: str,
        *,
        workflow: int | str | None = None,
        head: str | None = None,
        branch: str | None = None,
        event: str | None = None,
        status: str | None = None,
        limit: int = 30,
    ) -> tuple[Run, ...]:
        """The newest runs that fit, the newest first. One request: at most 100."""
        ...

    def jobs(self, repository: str, run: int, attempt: int) -> tuple[Job, ...]:
        """The jobs of one attempt of a run."""
        ...

    def artifacts(self, repository: str, run: int) -> tuple[StoredArtifact, ...]:
        """What a run left, over all its attempts, the newest first."""
        ...

    def download_artifact(self, repository: str, artifact: int, *, limit: int) -> bytes:
        """The zip archive of an artifact; `GitHubError` when it has more than `limit` bytes.

        It lies on another host: the token does not go there.
        """
        ...

    def rerun(self, repository: str, run: int, *, failed_only: bool) -> None:
        """Run a finished run again, whole or its failed jobs."""
        ...

    def cancel(self, repository: str, run: int) -> None:
        """End a run; one that has ended already is fine."""
        ...

    def approve(self, repository: str, run: int) -> None:
        """Let a run of a fork begin that waits for a maintainer."""
        ...

    def dispatch(self, repository: str, *, workflow: str, ref: str, inputs: Mapping[str, str]) -> None:
        """Start a workflow by its file name, on a branch. `UnknownOutcomeError` when the answer was lost."""
        ...


class Reviews(Protocol):
    """The diff as GitHub sees it, and remarks on its lines."""

    def files(self, repository: str, number: int) -> tuple[ChangedFile, ...]:
        """The changed files of a pull request (GitHub lists at most 3,000)."""
        ...

    def threads(self, repository: str, number: int) -> tuple[Thread, ...]:
        """The review conversations of a pull request, oldest first."""
        ...

    def create_review(
        self, repository: str, number: int, *, commit: str, body: str, remarks: Sequence[Remark]
    ) -> None:
        """A review that comments. One remark that GitHub refuses loses all. `UnknownOutcomeError` too."""
        ...

    def resolve_thread(self, thread: str) -> None:
        """Mark a conversation as resolved."""
        ...

    def edit_review_comment(self, repository: str, comment: int, body: str) -> None:
        """Replace the text of a review comment."""
        ...


class People(Protocol):
    """Who may do what."""

    def permission(self, repository: str, login: str) -> Permission:
        """What an account may do, from the collaborator endpoint (maintain counts as write)."""
        ...

    def default_branch(self, repository: str) -> str:
        """The branch that workflows for comments and dispatches run from."""
        ...


class GitHub(Conversation, Verdicts, Runs, Reviews, People, Protocol):
    """Everything."""

    @property
    def requests_sent(self) -> int:
        """How many requests went out so far, repetitions included."""
        ...
