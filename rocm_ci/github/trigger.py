"""The event that starts the trusted plane, and the pull request behind it.

GitHub leaves `workflow_run.pull_requests` empty for forks (actions/runner issue 3444), and a
commit of a fork belongs to no pull request in «list pull requests associated with a commit»: so the
pull request is looked up by `owner:branch` and must have exactly the commit that ran as its head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from rocm_ci.errors import EventError, GitHubError
from rocm_ci.github.client import DeclinedError, Pull, checked_commit, checked_repository

if TYPE_CHECKING:
    from rocm_ci.github.port import Conversation, GitHub

T = TypeVar("T")
_HINT = "run `rocm-ci report` from a workflow on: workflow_run, or name --repository, --commit and --number"
_WORKFLOW_FOLDERS = (".github/workflows/", ".github/actions/")
_MAX_FILES = 3_000  # as many as GitHub lists
Action = Literal["requested", "in_progress", "completed"]


class _Id(msgspec.Struct):
    id: int


class _Repository(msgspec.Struct):
    full_name: str
    id: int = 0
    default_branch: str = ""


class _Side(msgspec.Struct):
    ref: str
    sha: str
    repo: _Id | None = None


class _Pull(msgspec.Struct):
    number: int
    head: _Side
    base: _Side


class _Run(msgspec.Struct):
    id: int
    event: str
    head_sha: str
    head_branch: str | None = None
    head_repository: _Repository | None = None
    run_attempt: int | None = None
    conclusion: str | None = None
    workflow_id: int | None = None
    pull_requests: tuple[_Pull, ...] | None = None


class _Payload(msgspec.Struct):
    workflow_run: _Run
    repository: _Repository
    action: Action = "completed"


class _Dispatch(msgspec.Struct):
    repository: _Repository
    ref: str = ""


@dataclass(frozen=True, kw_only=True)
class FinishedRun:
    """The run that makes the report, or has made it. `event` is what had triggered it.

    `branch` is `owner:branch` of the head, None once the fork is deleted; `ref` its bare name. `pulls` are
    the pull requests that GitHub's own event names for exactly this head: none for a fork's.
    """

    repository: str
    head: str
    head_repository: str | None
    branch: str | None
    event: str
    run_id: int | None = None
    run_attempt: int | None = None
    ref: str | None = None
    action: Action = "completed"
    conclusion: str | None = None
    workflow: int | None = None
    pulls: tuple[Pull, ...] = ()

    @property
    def is_for_pull_request(self) -> bool:
        """Whether a pull request waits for the report."""
        return self.event in ("pull_request", "pull_request_target")

    @property
    def is_of_fork(self) -> bool:
        """Whether somebody else's repository chose the commit, and with it the workflow that ran."""
        return (self.head_repository or "").casefold() != self.repository.casefold()


def finished_run(payload: bytes) -> FinishedRun:
    """Read the payload of a `workflow_run` event. Raises `EventError` when it is none."""
    body = _read(payload, _Payload, "workflow_run")
    run = body.workflow_run
    repository = checked_repository(body.repository.full_name)
    head_repository = run.head_repository.full_name if run.head_repository else None
    owner = head_repository.partition("/")[0] if head_repository else None
    return FinishedRun(
        repository=repository,
        head=checked_commit(run.head_sha),
        head_repository=head_repository,
        branch=f"{owner}:{run.head_branch}" if owner and run.head_branch else None,
        event=run.event,
        run_id=run.id,
        run_attempt=run.run_attempt,
        ref=run.head_branch,
        action=body.action,
        conclusion=run.conclusion,
        workflow=run.workflow_id,
        pulls=tuple(
            Pull(
                number=pull.number,
                head=run.head_sha,
                head_repository=head_repository,
                base_repository=repository,
                is_open=True,
                base_ref=pull.base.ref,
            )
            for pull in run.pull_requests or ()
            # A branch may also be offered to another repository: its pull request is not ours. And what is
            # said of a fork's run would be about whoever has the same commit here.
            if pull.head.sha == run.head_sha
            and pull.base.repo
            and pull.base.repo.id == body.repository.id
            and (head_repository or "").casefold() == repository.casefold()
        ),
    )


def default_branch(payload: bytes) -> str:
    """The default branch of the repository of a `workflow_dispatch` event, if that is where it runs.

    Raises `EventError` for a dispatch on another branch: its workflow file can say anything.
    """
    body = _read(payload, _Dispatch, "workflow_dispatch")
    branch = body.repository.default_branch
    if not branch or body.ref != f"refs/heads/{branch}":
        message = f"the dispatched workflow runs on {body.ref[:120]!a}, not on the default branch"
        raise EventError(message, hint=f"start it on the branch {branch[:120]!a}")
    return branch


def _read(payload: bytes, shape: type[T], name: str) -> T:
    try:
        return msgspec.json.decode(payload, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        message = f"the event file is no {name} event: {str(error)[:200]}"
        raise EventError(message, hint=_HINT) from error


def pull_of(github: Conversation, run: FinishedRun) -> Pull:
    """The one open pull request of this repository whose head is the commit that ran.

    Raises `DeclinedError` when there is none any more, or more than one.
    """
    found = run.pulls or (
        github.open_pulls(run.repository, run.branch)
        if run.branch
        else github.pulls_of_commit(run.repository, run.head)
    )
    ours = [
        pull
        for pull in found
        if pull.is_open
        and pull.base_repository.casefold() == run.repository.casefold()
        # With its fork gone, a run must not pass for that of whoever has the same commit.
        and (pull.head_repository == run.head_repository or (run.head_repository is None and not run.run_id))
    ]
    exact = [pull for pull in ours if pull.head == run.head]
    if len(exact) == 1:
        return exact[0]
    if exact:
        numbers = ", ".join(f"#{pull.number}" for pull in exact)
        message = f"{len(exact)} open pull requests have {run.head[:12]} as their head: {numbers}"
        raise DeclinedError(message, hint="close the ones that are not needed, or name one with --number")
    if ours:
        moved = ours[0]
        raise moved_on(moved, run.head)
    message = f"no open pull request of {run.repository} has {run.head[:12]} as its head"
    raise DeclinedError(message, hint="it was closed or merged in the meantime")


def refuse_odd_event(run: FinishedRun) -> None:
    """Raise `DeclinedError` for a fork's run that something else than its pull request itself has started.

    A review or its comments run the fork's version of a workflow, too (GITHUB_REF is the pull request's
    merge commit), and nothing else of a fork runs here.
    https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request_review
    """
    if run.run_id is not None and run.is_of_fork and not run.is_for_pull_request:
        message = f"run {run.run_id} of a fork was started by {run.event[:40]!a}, which vouches for no commit"
        raise DeclinedError(message, hint="let the workflow that is reported on run on: pull_request")


def refuse_borrowed_head(github: Conversation, run: FinishedRun, pull: Pull) -> None:
    """Raise `DeclinedError` when a fork's run is about a commit that is somebody else's head too.

    A status belongs to a commit, not to a pull request. A fork chooses the workflow that runs for it: by a
    pull request with another one's commit it could turn that one green.
    """
    for other in github.pulls_of_commit(run.repository, run.head):
        is_theirs = (other.head_repository or "").casefold() != (run.head_repository or "").casefold()
        if other.is_open and other.number != pull.number and other.head == run.head and is_theirs:
            message = (
                f"{run.head[:12]} ran for the fork of #{pull.number}, but is the head of #{other.number} too"
            )
            raise DeclinedError(message, hint="a run of a fork says nothing about other people's commits")


def why_unproven(github: GitHub, repository: str, number: int, head: str) -> str:
    """Why a green result of a fork's own run proves nothing; empty when it does.

    Under `pull_request` the workflow files of the change itself run: one that it rewrote can upload a report
    of its own making. What cannot be looked at counts as rewritten.
    """
    try:
        paths = [file.path for file in github.files(repository, number)]
        # The list is about the head as it is now.
        is_same = github.pull(repository, number).head == head
    except GitHubError as error:
        return f"whether this change rewrites the workflow that tested it could not be seen: {error}"
    own = next((path for path in paths if path.casefold().startswith(_WORKFLOW_FOLDERS)), None)
    if own is not None:
        return f"this change rewrites {own}, so what its own run reports proves nothing"
    if len(paths) >= _MAX_FILES:
        return f"this change has {_MAX_FILES} files or more, so whether it rewrites a workflow cannot be seen"
    return "" if is_same else "the pull request moved on while its files were looked at"


def moved_on(pull: Pull, head: str) -> DeclinedError:
    """Said when a report is about an older commit than the pull request's head."""
    message = f"pull request #{pull.number} has moved on from {head[:12]} to {pull.head[:12]}"
    return DeclinedError(message, hint="nothing to do: the run for the newer commit reports")


def current(github: Conversation, repository: str, number: int, head: str) -> Pull:
    """Pull request `number`, if it is open, of this repository and still at `head`; else `DeclinedError`."""
    pull = github.pull(repository, number)
    if pull.base_repository.casefold() != repository.casefold():
        message = f"pull request #{number} belongs to {pull.base_repository}, not to {repository}"
        raise DeclinedError(message, hint="check --repository and --number")
    if not pull.is_open:
        message = f"pull request #{number} is closed"
        raise DeclinedError(message, hint="reopen it and run the check again if its result still matters")
    if pull.head != head:
        raise moved_on(pull, head)
    return pull
