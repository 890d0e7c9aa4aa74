"""The commit status: one line, and what branch protection looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github.client import MAX_DESCRIPTION
from rocm_ci.report import inert
from rocm_ci.sinks import outcome

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink, Target


class StatusSink:
    """Sets the status on the trusted head commit."""

    name = "status"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Set it; it links to the run."""
        target = where.target
        if target is None:
            return ()
        state = outcome.state(report)
        target.github.set_status(
            target.repository,
            target.head,
            state=state,
            context=target.context,
            description=outcome.in_short(report, MAX_DESCRIPTION),
            url=where.links.run,
        )
        return (f"{state} on {target.head}",)


def post_unreadable(target: Target, reason: str, url: str | None) -> str:
    """Fail the commit that has no readable report, so that no old green status stays in force."""
    target.github.set_status(
        target.repository,
        target.head,
        state="failure",
        context=target.context,
        description=inert.line(f"no report — {reason}", limit=MAX_DESCRIPTION),
        url=url,
    )
    return f"status: failure on {target.head}"


SINK: Sink = StatusSink()
