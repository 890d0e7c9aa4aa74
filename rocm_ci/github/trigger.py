"""The `workflow_run` event that starts the trusted plane, and the pull request behind it.

GitHub leaves `workflow_run.pull_requests` empty for forks (actions/runner issue 3444), and a
commit of a fork belongs to no pull request in «list pull requests associated with a commit»: so the
pull request is looked up by `owner:branch` and must have exactly the commit that ran as its head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.errors import EventError
from rocm_ci.github.client import DeclinedError, Pull, checked_commit, checked_repository

if TYPE_CHECKING:
    from rocm_ci.github.port import GitHub

_HINT = "run `rocm-ci report` from a workflow on: workflow_run, or name --repository, --commit and --number"


class _Repository(msgspec.Struct):
    full_name: str


class _Run(msgspec.Struct):
    id: int
    event: str
    head_sha: str
    head_branch: str | None = None
    head_repository: _Repository | None = None
    run_attempt: int | None = None


class _Payload(msgspec.Struct):
    workflow_run: _Run
    repository: _Repository


@dataclass(frozen=True, kw_only=True)
class FinishedRun:
    """The run that made the report. `event` is what had triggered it.

    `branch` is `owner:branch` of the head, None once the fork is deleted.
    """

    repository: str
    head: str
    head_repository: str | None
    branch: str | None
    event: str
    run_id: int | None = None
    run_attempt: int | None = None

    @property
    def is_for_pull_request(self) -> bool:
        """Whether a pull request waits for the report."""
        return self.event in ("pull_request", "pull_request_target")


def finished_run(payload: bytes) -> FinishedRun:
    """Read the payload of a `workflow_run` event. Raises `EventError` when it is none."""
    try:
        body = msgspec.json.decode(payload, type=_Payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        message = f"the event file is no workflow_run event: {str(error)[:200]}"
        raise EventError(message, hint=_HINT) from error
    run = body.workflow_run
    head_repository = run.head_repository.full_name if run.head_repository else None
    owner = head_repository.partition("/")[0] if head_repository else None
    return FinishedRun(
        repository=checked_repository(body.repository.full_name),
        head=checked_commit(run.head_sha),
        head_repository=head_repository,
        branch=f"{owner}:{run.head_branch}" if owner and run.head_branch else None,
        event=run.event,
        run_id=run.id,
        run_attempt=run.run_attempt,
    )


def pull_of(github: GitHub, run: FinishedRun) -> Pull:
    """The one open pull request of this repository whose head is the commit that ran.

    Raises `DeclinedError` when there is none any more, or more than one.
    """
    found = (
        github.open_pulls(run.repository, run.branch)
        if run.branch
        else github.pulls_of_commit(run.repository, run.head)
    )
    ours = [
        pull
        for pull in found
        if pull.is_open
        and pull.base_repository.casefold() == run.repository.casefold()
        and (run.head_repository is None or pull.head_repository == run.head_repository)
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


def moved_on(pull: Pull, head: str) -> DeclinedError:
    """Said when a report is about an older commit than the pull request's head."""
    message = f"pull request #{pull.number} has moved on from {head[:12]} to {pull.head[:12]}"
    return DeclinedError(message, hint="nothing to do: the run for the newer commit reports")


def current(github: GitHub, repository: str, number: int, head: str) -> Pull:
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
