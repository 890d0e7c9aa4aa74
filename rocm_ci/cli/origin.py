"""Who a report is for: what this job's own event and the workflow's flags say, never the report file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci import event as events
from rocm_ci.cli import wiring
from rocm_ci.errors import EventError, UsageError
from rocm_ci.github import trigger
from rocm_ci.github.client import DeclinedError, checked_commit, checked_repository
from rocm_ci.github.trigger import Action, FinishedRun
from rocm_ci.model.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Mapping

_PULL_REF = re.compile(r"refs/pull/([0-9]{1,18})/")
_NAMED_REF = re.compile(r"refs/(?:heads|tags)/.")
# OWNER/NAME/.github/workflows/FILE@REF
_WORKFLOW = re.compile(r"[^/@]+/[^/@]+/\.github/workflows/([A-Za-z0-9._-]{1,120})@")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What this job's event and flags say a report must be about. `head` None: the pull request's head.

    `finished` is set when the pull request has yet to be looked up; `read_only` when GitHub gives
    this workflow a token that cannot post. `action` and `conclusion` are those of the run that makes the
    report; `workflow` its number or file name; `base_ref` the pull request's base branch, `ref` that of a
    push in full. `is_partial`: only some of the suites or benchmarks were asked for. `is_dispatched`: a pull
    request was named by inputs, as the bot does. `is_of_fork`: the run took its workflow from a fork.
    """

    repository: str
    head: str | None = None
    number: int | None = None
    run_id: int | None = None
    run_attempt: int | None = None
    finished: FinishedRun | None = None
    read_only: bool = False
    action: Action = "completed"
    conclusion: str | None = None
    workflow: int | str | None = None
    base_ref: str | None = None
    ref: str | None = None
    is_partial: bool = False
    is_dispatched: bool = False
    is_of_fork: bool = False


@dataclass(frozen=True, kw_only=True)
class Flags:
    """What the workflow gave on the command line; it wins over the event."""

    repository: str | None
    commit: str | None
    number: int | None
    event_name: str | None
    event_path: Path | None
    conclusion: str | None = None


def origin_of(env: Mapping[str, str], flags: Flags) -> Origin:
    """Who we report for. Flags win; what they leave open comes from this job's event."""
    if flags.commit is None and flags.number is None:
        origin = _origin_of_event(env, flags)
        if flags.repository and flags.repository.casefold() != origin.repository.casefold():
            message = f"--repository {flags.repository} is not the event's ({origin.repository})"
            raise UsageError(message, hint="name --commit or --number too")
        return replace(origin, conclusion=flags.conclusion or origin.conclusion)
    repository = checked_repository(
        flags.repository or env.get("GITHUB_REPOSITORY") or _origin_of_event(env, flags).repository
    )
    head = checked_commit(flags.commit) if flags.commit else None
    finished = None
    if head and flags.number is None:
        finished = FinishedRun(
            repository=repository, head=head, head_repository=None, branch=None, event="pull_request"
        )
    return Origin(
        repository=repository,
        head=head,
        number=flags.number,
        run_id=_number(env.get("GITHUB_RUN_ID")),
        run_attempt=_number(env.get("GITHUB_RUN_ATTEMPT")),
        finished=finished,
        conclusion=flags.conclusion,
        workflow=_workflow(env),
    )


def _origin_of_event(env: Mapping[str, str], flags: Flags) -> Origin:
    name = flags.event_name or env.get("GITHUB_EVENT_NAME", "")
    path = flags.event_path or (Path(env["GITHUB_EVENT_PATH"]) if env.get("GITHUB_EVENT_PATH") else None)
    if path is None:
        message = "there is no event to take the repository and the commit from"
        hint = "run it in GitHub Actions, or name --repository with --commit or --number"
        raise UsageError(message, hint=hint)
    payload = wiring.read_bytes(path, "the event file")
    if name == "workflow_run":
        return _origin_of_run(env, trigger.finished_run(payload))
    event = events.parse({**env, "GITHUB_EVENT_NAME": name}, payload)
    # The runner itself sets GITHUB_REF; the event file lies where an earlier step could write.
    ref = env.get("GITHUB_REF", "")
    found = _PULL_REF.match(ref)
    if found and event.number is not None and int(found[1]) != event.number:
        message = f"the event file is about pull request {event.number}, GITHUB_REF about {found[1]}"
        raise EventError(message, hint="an earlier step of this job may have changed the event file")
    is_dispatched = event.kind is EventKind.WORKFLOW_DISPATCH and event.number is not None
    if is_dispatched:
        branch = trigger.default_branch(payload)
        if ref and ref != f"refs/heads/{branch}":
            message = f"the dispatched workflow runs on {ref[:120]!a}, not on the default branch"
            raise EventError(message, hint=f"start it on the branch {branch[:120]!a}")
    repository = checked_repository(event.repository or "")
    _same_repository(env, repository)
    return Origin(
        repository=repository,
        head=event.head,
        number=event.number,
        run_id=event.run_id,
        run_attempt=event.run_attempt,
        read_only=event.is_fork and not is_dispatched,
        workflow=_workflow(env),
        base_ref=event.base_ref,
        ref=ref if event.number is None and _NAMED_REF.match(ref) else None,
        is_partial=event.is_partial,
        is_dispatched=is_dispatched,
    )


def _origin_of_run(env: Mapping[str, str], run: FinishedRun) -> Origin:
    _same_repository(env, run.repository)
    if run.event == "workflow_dispatch":
        message = f"run {run.run_id} was dispatched: it reports itself"
        raise DeclinedError(message, hint="nothing to do here")
    return Origin(
        repository=run.repository,
        head=run.head,
        run_id=run.run_id,
        run_attempt=run.run_attempt,
        finished=run,
        action=run.action,
        conclusion=run.conclusion,
        workflow=run.workflow,
        ref=f"refs/heads/{run.ref}" if run.event == "push" and run.ref else None,
    )


def _workflow(env: Mapping[str, str]) -> str | None:
    """The file name of the workflow that this job belongs to."""
    found = _WORKFLOW.match(env.get("GITHUB_WORKFLOW_REF", ""))
    return found[1] if found else None


def _same_repository(env: Mapping[str, str], repository: str) -> None:
    ours = env.get("GITHUB_REPOSITORY")
    if ours and ours.casefold() != repository.casefold():
        message = f"the event file is about {repository}, but this job belongs to {ours}"
        raise EventError(message, hint="check that GITHUB_EVENT_PATH names this job's own event file")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 20 else None
