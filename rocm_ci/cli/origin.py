"""Who a report is for: what this job's own event and the workflow's flags say, never the report file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci import event as events
from rocm_ci.cli import wiring
from rocm_ci.errors import EventError, UsageError
from rocm_ci.github import trigger
from rocm_ci.github.client import checked_commit, checked_repository
from rocm_ci.github.trigger import FinishedRun

if TYPE_CHECKING:
    from collections.abc import Mapping

_PULL_REF = re.compile(r"refs/pull/([0-9]+)/")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What this job's event and flags say a report must be about. `head` None: the pull request's head.

    `finished` is set when the pull request has yet to be looked up; `read_only` when GitHub gives
    this workflow a token that cannot post.
    """

    repository: str
    head: str | None = None
    number: int | None = None
    run_id: int | None = None
    run_attempt: int | None = None
    finished: FinishedRun | None = None
    read_only: bool = False


@dataclass(frozen=True, kw_only=True)
class Flags:
    """What the workflow gave on the command line; it wins over the event."""

    repository: str | None
    commit: str | None
    number: int | None
    event_name: str | None
    event_path: Path | None


def origin_of(env: Mapping[str, str], flags: Flags) -> Origin:
    """Who we report for. Flags win; what they leave open comes from this job's event."""
    if flags.commit is None and flags.number is None:
        origin = _origin_of_event(env, flags)
        if flags.repository and flags.repository.casefold() != origin.repository.casefold():
            message = f"--repository {flags.repository} is not the event's ({origin.repository})"
            raise UsageError(message, hint="name --commit or --number too")
        return origin
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
        run = trigger.finished_run(payload)
        _same_repository(env, run.repository)
        return Origin(
            repository=run.repository,
            head=run.head,
            run_id=run.run_id,
            run_attempt=run.run_attempt,
            finished=run,
        )
    event = events.parse({**env, "GITHUB_EVENT_NAME": name}, payload)
    # The runner itself sets GITHUB_REF; the event file lies where an earlier step could write.
    ref = _PULL_REF.match(env.get("GITHUB_REF", ""))
    if ref and event.number is not None and int(ref[1]) != event.number:
        message = f"the event file is about pull request {event.number}, GITHUB_REF about {ref[1]}"
        raise EventError(message, hint="an earlier step of this job may have changed the event file")
    return Origin(
        repository=checked_repository(event.repository or ""),
        head=event.head,
        number=event.number,
        run_id=event.run_id,
        run_attempt=event.run_attempt,
        read_only=event.is_fork,
    )


def _same_repository(env: Mapping[str, str], repository: str) -> None:
    ours = env.get("GITHUB_REPOSITORY")
    if ours and ours.casefold() != repository.casefold():
        message = f"the event file is about {repository}, but this job belongs to {ours}"
        raise EventError(message, hint="check that GITHUB_EVENT_PATH names this job's own event file")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None
