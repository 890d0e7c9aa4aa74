"""Where a command acts: the pull request as it is now, its runs, and who asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rocm_ci.errors import GitHubError, UsageError
from rocm_ci.github.client import DeclinedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.github.client import Pull
    from rocm_ci.github.port import GitHub
    from rocm_ci.github.run import Run

DEFAULT_WORKFLOW = "rocm-ci-run.yml"
_WORKFLOW = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.ya?ml\Z")


class Accept(Protocol):
    """Takes a regression as accepted and shows the stored report of a run anew; says how far it goes."""

    def __call__(self, name: str, reason: str, *, by: str, pull: Pull, run: Run, is_part: bool) -> str:
        """`is_part`: the run was not about everything. Raises `UsageError` for a name it does not have."""
        ...


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the workflow of the bot fixes. `workflow` is the file that runs on the GPUs."""

    workflow: str = DEFAULT_WORKFLOW


@dataclass(frozen=True, kw_only=True)
class Done:
    """A command was carried out. `answer` is Markdown for people; empty: the rocket says it all."""

    reason: str
    answer: str = ""


@dataclass(kw_only=True)
class Scene:
    """One event's surroundings.

    `created` is when the command was given (UTC, ISO 8601), `url` its comment. `is_resumed` says that an
    earlier attempt at this event left a trace, so that part of it may be done. `dispatched` counts the
    runs this event has started.
    """

    github: GitHub
    settings: Settings
    accept: Accept
    wait: Callable[[float], None]
    repository: str
    pull: Pull
    login: str
    created: str
    url: str = ""
    is_resumed: bool = False
    dispatched: int = 0
    default_branch: str = ""

    def own(self) -> tuple[Run, ...]:
        """The runs that this very commit started as this repository's pull request, the newest first.

        Somebody else's fork may have a pull request with the same commit, onto another branch.
        """
        pull = self.pull
        found = self._runs(head=pull.head, event="pull_request")
        fits = ("pull_request", pull.head, pull.head_repository)
        return tuple(run for run in found if (run.event, run.head, run.head_repository) == fits)

    def main_branch(self) -> str:
        """The branch whose workflows are started: as the event said, else as GitHub says."""
        self.default_branch = self.default_branch or self.github.default_branch(self.repository)
        return self.default_branch

    def ours(self) -> tuple[Run, ...]:
        """The runs that the bot started for this commit, the newest first.

        Only a run by `workflow_dispatch` has its title from our workflow; a pull request chooses its own.
        """
        found = self._runs(event="workflow_dispatch")
        return tuple(run for run in found if self._title(run) is not None)

    def is_part(self, run: Run) -> bool:
        """Whether a run of ours was asked for one suite or benchmark only: its title then goes on."""
        return bool(self._title(run))

    def _title(self, run: Run) -> str | None:
        """What follows in the title of a run of ours for this commit; None for any other run."""
        start = f"rocm-ci #{self.pull.number} {self.pull.head}"
        if run.event != "workflow_dispatch" or not f"{run.title} ".startswith(f"{start} "):
            return None
        return run.title[len(start) :].strip()

    def _runs(self, *, event: str, head: str | None = None) -> tuple[Run, ...]:
        workflow = self.settings.workflow
        try:
            return self.github.runs(self.repository, workflow=workflow, head=head, event=event, limit=100)
        except GitHubError as error:
            if "404" not in str(error):
                raise
            hint = f"is there a .github/workflows/{workflow}? Else give the bot `with: {{workflow: FILE}}`"
            raise GitHubError(str(error), hint=hint) from error

    def last(self) -> tuple[Run, ...]:
        """All runs for this commit, the newest first."""
        return tuple(sorted((*self.own(), *self.ours()), key=lambda run: (run.created, run.id), reverse=True))


def checked_workflow(name: str) -> str:
    """`name`, if it is the file name of a workflow."""
    if not _WORKFLOW.match(name):
        message = f"{name[:80]!r} is not the file name of a workflow"
        raise UsageError(message, hint=f"name the file alone, such as {DEFAULT_WORKFLOW}")
    return name


def is_waiting(run: Run) -> bool:
    """Whether a run of a fork waits for a maintainer's approval."""
    return "action_required" in (run.status, run.conclusion)


def is_running(run: Run) -> bool:
    """Whether a run has begun, or will by itself."""
    return run.status != "completed" and not is_waiting(run)


def has_run(run: Run) -> bool:
    """Whether a run got to execute something: one that was cancelled may never have been approved."""
    return run.conclusion in ("success", "failure", "timed_out", "neutral")


def declined(message: str, hint: str = "") -> DeclinedError:
    """A polite no: nothing failed, nothing was done."""
    return DeclinedError(message, hint=hint)
