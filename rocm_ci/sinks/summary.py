"""The comment as the step's summary page, which needs no token and thus works in forks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.report.markdown import render_comment
from rocm_ci.report.past import Past

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink

LIMIT = 1024 * 1024  # docs.github.com: a step's summary may have 1 MiB; above, all of it is refused


class Summary:
    """Appends to `$GITHUB_STEP_SUMMARY`."""

    name = "summary"
    needs_token = False

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """One page, within what the step has left."""
        if where.summary is None:
            return ()
        there = where.summary.stat().st_size if where.summary.exists() else 0
        budget = LIMIT - there - 2
        if budget <= 0:
            where.log.warning("the step summary is full; the report was not added to it")
            return ()
        past = Past(delta=where.delta, accepted=where.accepted)
        text = render_comment(report, links=where.links, budget=budget, past=past)
        lead = "\n" if there else ""
        with where.summary.open("a", encoding="utf-8") as file:
            file.write(lead + text)
        return (f"{len(text.encode()):,} bytes",)


SINK: Sink = Summary()
