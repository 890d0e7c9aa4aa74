"""What a sink is: it shows a finished report somewhere and never changes a result.

A module of this package ends in `SINK: Sink = …` and is found by the directory listing
(`rocm_ci.registry.load(rocm_ci.sinks, "SINK", Sink)`). A failing sink raises a `RocmCiError`;
whoever runs it (`emit_all`) reports the failure and goes on with the next one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from rocm_ci.errors import MachineError, RocmCiError, UsageError
from rocm_ci.report.links import Links

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rocm_ci.github.port import GitHub
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

    @property
    def context(self) -> str:
        """What the status and the check run are called."""
        return "rocm-ci" if self.key == "default" else f"rocm-ci/{self.key}"


@dataclass(frozen=True, kw_only=True)
class Destination:
    """What the sinks may write to. None (or False) means: not here, the sink then posts nothing.

    `out` is the output folder with the logs; `summary` and `outputs` are the step files of GitHub
    Actions; `annotations` is true inside a workflow; `target` is there on the trusted plane only.
    `delta` compares with the base's last report; `accepted` are the regressions that maintainers let pass,
    already applied to the report. `suggested` is what our comment remembers of review suggestions; None
    when it was not asked.
    """

    log: Log
    out: Path | None = None
    summary: Path | None = None
    outputs: Path | None = None
    annotations: bool = False
    links: Links = field(default_factory=Links)
    target: Target | None = None
    delta: Delta | None = None
    accepted: tuple[Acceptance, ...] = ()
    suggested: bool | None = None


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


@dataclass(frozen=True, kw_only=True)
class Emitted:
    """What several sinks did: `posted` and `refused` lines begin with the sink's name."""

    posted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    errors: tuple[RocmCiError, ...] = ()


def emit_all(report: Report, where: Destination, sinks: Sequence[Sink]) -> Emitted:
    """Run the sinks in turn. One that fails is told in the log and in `refused`; the rest still run."""
    posted: list[str] = []
    refused: list[str] = []
    errors: list[RocmCiError] = []
    for sink in sinks:
        outcome = _attempt(sink, report, where)
        if isinstance(outcome, RocmCiError):
            message = f"{sink.name}: {outcome}"
            where.log.error(message, outcome.hint)
            refused.append(message)
            errors.append(outcome)
        else:
            posted += [f"{sink.name}: {line}" for line in outcome]
    return Emitted(posted=tuple(posted), refused=tuple(refused), errors=tuple(errors))


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
