"""The one comment in the pull request's conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github import sticky, trigger
from rocm_ci.github.client import DeclinedError
from rocm_ci.github.marker import Stamp
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.report.tally import cases, tally

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink, Target


class CommentSink:
    """Creates the comment, and from then on edits it in place."""

    name = "comment"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Post it, unless the pull request is closed or has moved on."""
        from rocm_ci.report.markdown import render_comment  # noqa: PLC0415 - templates, only to post

        target = where.target
        if target is None:
            return ()
        if target.number is None:
            message = "no pull request belongs to this run"
            raise DeclinedError(message, hint="the verdict is in the status and in the step summary")
        trigger.current(target.github, target.repository, target.number, target.head)
        posted = sticky.post(
            target.github,
            target.repository,
            target.number,
            text=render_comment(report, links=where.links),
            key=target.key,
            stamp=stamp(report, target),
        )
        doubles = f", {posted.doubles_removed} doubled removed" if posted.doubles_removed else ""
        reason = " (a newer run of this commit is shown)" if posted.action == "kept" else ""
        return (f"{posted.action} {posted.url}{reason}{doubles}",)


def stamp(report: Report, target: Target) -> Stamp:
    """What the comment remembers. Where it stands comes from the trusted event."""
    found = tally(report)
    return Stamp(
        head=target.head,
        verdict=report.verdict,
        run=target.run_id,
        attempt=target.run_attempt,
        counts={
            "findings": len(found.findings),
            "failed": cases(found.suites).red,
            "regressions": len(found.perf(PerfVerdict.REGRESSION)),
        },
    )


SINK: Sink = CommentSink()
