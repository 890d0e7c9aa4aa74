"""What a sink is: it shows a finished report somewhere and never changes a result.

A module of this package ends in `SINK: Sink = …` and is found by the directory listing
(`rocm_ci.registry.load(rocm_ci.sinks, "SINK", Sink)`). A failing sink raises a `RocmCiError`;
whoever runs it (`emit_all`) reports the failure and goes on with the next one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rocm_ci.errors import GitHubError, MachineError, RocmCiError, UsageError
from rocm_ci.github.client import DeclinedError, PermissionRefusedError
from rocm_ci.github.sticky import NewerFormatError
from rocm_ci.report import inert
from rocm_ci.report.links import Links

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rocm_ci.github.port import GitHub
    from rocm_ci.github.sticky import Look
    from rocm_ci.log import Log
    from rocm_ci.model.past import Acceptance
    from rocm_ci.model.report import Report
    from rocm_ci.report.delta import Delta
    from rocm_ci.sinks.mode import CommentMode


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where on GitHub a report goes. Every field comes from the trusted event, never from the report.

    `number` is the pull request, None for a push. `head` is the commit that gets the status.
    `key` tells several reporters of one repository apart: each has its own comment and status.
    `comment_mode` says when there is a comment at all. `ref` is the branch or tag of a push, in full.
    `look` is the conversation, if it was read already; `settle` waits a moment before the comment is
    read back, so that somebody who wrote at the same time is seen.
    """

    github: GitHub
    repository: str
    head: str
    number: int | None = None
    run_id: int | None = None
    run_attempt: int | None = None
    key: str = "default"
    comment_mode: CommentMode = "always"
    ref: str | None = None
    look: Look | None = None
    settle: Callable[[], None] = lambda: None

    @property
    def order(self) -> tuple[int, int]:
        """Later runs and attempts are greater."""
        return (self.run_id or 0, self.run_attempt or 0)

    @property
    def context(self) -> str:
        """What the status and the check run are called."""
        return "rocm-ci" if self.key == "default" else f"rocm-ci/{self.key}"


@dataclass(frozen=True, kw_only=True)
class Destination:
    """What the sinks may write to. None (or False) means: not here, the sink then posts nothing.

    `out` is the output folder with the logs; `summary` and `outputs` are the step files of GitHub
    Actions; `annotations` is true inside a workflow; `target` is there on the trusted plane only.
    `delta` compares with the base's last report, or `lack` says why there is none; `accepted` are the
    regressions that maintainers let pass, already applied to the report.
    """

    log: Log
    out: Path | None = None
    summary: Path | None = None
    outputs: Path | None = None
    annotations: bool = False
    links: Links = field(default_factory=Links)
    target: Target | None = None
    delta: Delta | None = None
    lack: str = ""
    accepted: tuple[Acceptance, ...] = ()


class Sink(Protocol):
    """One place where a report is shown."""

    @property
    def name(self) -> str:
        """What `--to` calls it."""
        ...

    @property
    def needs_token(self) -> bool:
        """Whether it may run on the trusted plane only."""
        ...

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Show the report and say, a line each, what was posted; empty when there was no place to."""
        ...


@runtime_checkable
class Keeps(Protocol):
    """A sink that can say what would be lost when GitHub does not take it."""

    def kept(self, report: Report, where: Destination) -> str:
        """What it would have posted, as inert Markdown; empty when nothing is lost."""
        ...


@dataclass(frozen=True, kw_only=True)
class Unposted:
    """What GitHub did not take: for the step summary, so that nothing is lost.

    `reason` and `hint` are plain text, `text` is inert Markdown.
    """

    sink: str
    reason: str
    hint: str = ""
    text: str = ""

    @property
    def short(self) -> str:
        """Why it was not posted and what to do, as one line of Markdown."""
        hint = f" To change that: {inert.prose(self.hint, limit=600)}" if self.hint else ""
        return f"> ⚠️ Not posted: **{inert.text(self.sink)}** — {inert.prose(self.reason, limit=600)}.{hint}"

    @property
    def markdown(self) -> str:
        """The same, and what would have been posted."""
        return f"{self.short}\n\n{self.text}".strip() + "\n"


@dataclass(frozen=True, kw_only=True)
class Emitted:
    """What several sinks did: `posted` and `refused` lines begin with the sink's name.

    `errors` are the failures that fail the job: a token without rights and a deliberate «not now» are
    none. What GitHub did not take is in `unposted`, whatever the reason.
    """

    posted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    errors: tuple[RocmCiError, ...] = ()
    unposted: tuple[Unposted, ...] = ()


def emit_all(report: Report, where: Destination, sinks: Sequence[Sink]) -> Emitted:
    """Run the sinks in turn. One that fails is told in the log and in `refused`; the rest still run.

    The comment comes first: the longer ago its conversation was read, the more may have happened in it.
    """
    posted: list[str] = []
    refused: list[str] = []
    errors: list[RocmCiError] = []
    unposted: list[Unposted] = []
    for sink in sorted(sinks, key=lambda sink: sink.name != "comment"):
        outcome = _attempt(sink, report, where)
        if not isinstance(outcome, RocmCiError):
            posted += [f"{sink.name}: {line}" for line in outcome]
            continue
        refused.append(f"{sink.name}: {outcome}")
        _tell(where.log, refused[-1], outcome)
        if not isinstance(outcome, (PermissionRefusedError, DeclinedError)):
            errors.append(outcome)
        if isinstance(outcome, (GitHubError, NewerFormatError)):
            unposted.append(_unposted(sink, outcome, report, where))
    return Emitted(
        posted=tuple(posted), refused=tuple(refused), errors=tuple(errors), unposted=tuple(unposted)
    )


def _tell(log: Log, message: str, error: RocmCiError) -> None:
    if isinstance(error, (PermissionRefusedError, DeclinedError)):
        log.warning(f"{message}; {error.hint}" if error.hint else message)
    else:
        log.error(message, error.hint)


def _unposted(sink: Sink, error: RocmCiError, report: Report, where: Destination) -> Unposted:
    text = sink.kept(report, where) if isinstance(sink, Keeps) else ""
    return Unposted(sink=sink.name, reason=str(error), hint=error.hint, text=text)


def _attempt(sink: Sink, report: Report, where: Destination) -> tuple[str, ...] | RocmCiError:
    if sink.needs_token and where.target is None:
        return UsageError(
            "needs a token, and there is none here",
            hint="run it as `rocm-ci report` on the trusted plane",
        )
    try:
        return sink.emit(report, where)
    except RocmCiError as error:
        return error
    except OSError as error:
        return MachineError(f"cannot write: {error}", hint="check the path, its permissions and free space")
