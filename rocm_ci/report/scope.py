"""How much of the check a run was: a part, because a part was asked for, or nothing. Plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.report import words

if TYPE_CHECKING:
    from rocm_ci.model.event import Event
    from rocm_ci.model.report import Report

NOTHING_RAN = "nothing ran, so nothing is known"


def asked_for(event: Event) -> str:
    """`suite unit and benchmark saxpy`; empty when all of it was."""
    parts = [
        f"all {kind}s" if name == "*" else f"{kind} {name}"
        for kind, name in (("suite", event.suite), ("benchmark", event.bench))
        if name
    ]
    return words.joined(parts)


def sentence(event: Event) -> str:
    """What a reader must know of a run that was asked to do a part only."""
    part = asked_for(event)
    return f"Only {part} was asked for: of the other tests and benchmarks nothing is said." if part else ""


def why_nothing(report: Report) -> str:
    """Why nothing ran, where it was asked for something that is not there; else the general word."""
    reasons = {step.reason for step in report.plan.steps if not step.run}
    if report.event.is_partial and len(reasons) == 1:
        return f"nothing ran: {reasons.pop()}"
    return f"{NOTHING_RAN} — no stage was allowed to run"
