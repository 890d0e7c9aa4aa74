"""Problems as annotations on the changed files, by workflow commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github import commands
from rocm_ci.model.finding import Severity
from rocm_ci.report import inert, words
from rocm_ci.report.problems import advice, problems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.diagnostic import Diagnosis
    from rocm_ci.model.report import Report
    from rocm_ci.report.problem import Problem
    from rocm_ci.sinks.base import Destination, Sink

PER_LEVEL = 10  # actions/runner shows 10 errors, 10 warnings and 10 notices of a step, and drops the rest
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


class Annotations:
    """Speaks only inside a workflow."""

    name = "annotations"
    needs_token = False

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """At most ten of a level, the most important first; the last says how many more there are."""
        if not (where.annotations and where.log.actions):
            return ()
        listed = lines((*problems(report), *advice(report)))
        for line in listed:
            where.log.command(line)
        return (words.count(len(listed), "annotation"),) if listed else ()


def lines(listed: Sequence[Problem]) -> tuple[str, ...]:
    """The workflow commands for some problems, in their order within each level."""
    made: list[str] = []
    for severity, level in _LEVELS.items():
        of_level = [p for p in listed if p.severity is severity]
        for number, p in enumerate(of_level[:PER_LEVEL], 1):
            more = len(of_level) - PER_LEVEL if number == PER_LEVEL else 0
            made.append(_line(level, p, more))
    return tuple(made)


def _line(level: str, p: Problem, more: int) -> str:
    said = inert.line(p.message, limit=1000)
    if p.subject:
        said = f"{inert.line(p.subject, limit=200)}: {said}"
    if p.advice:
        said += f"\n{inert.line(p.advice, limit=600)}"
    if p.cause:
        said += f"\n{_cause(p.cause)}"
    if p.command and p.kind == "test":
        said += f"\nRun it: {inert.line(p.command, limit=600)}"
    if more > 0:
        said += f"\n… and {words.count(more, f'more {level}')}: see the report."
    is_place = bool(p.path) and not (p.path or "").startswith("/")
    return commands.command(
        level,
        said,
        file=inert.line(p.path, limit=1000) if p.path and is_place else None,
        line=p.line if is_place else None,
        col=p.column if is_place and p.line else None,
        title=f"ROCm CI: {inert.line(p.rule or p.kind, limit=80)}",
    )


def _cause(cause: Diagnosis) -> str:
    """What it is and what to do, in two lines; the comment says why."""
    said = f"Likely cause: {inert.line(cause.title, limit=200)}"
    return f"{said}\nDo this: {inert.line(cause.fixes[0], limit=400)}" if cause.fixes else said


SINK: Sink = Annotations()
