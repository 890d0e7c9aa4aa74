"""What went wrong on the machine: nobody's fault but the runner's, the network's or our own. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.finding import Severity
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import (
    BuildResult,
    Crashed,
    PerfResult,
    PreflightResult,
    StageResult,
    TestResult,
)
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.problem import Problem, most_likely
from rocm_ci.report.test_problems import beside, undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.result import Bench, BuildStep, Check, Suite


def of_machine(result: StageResult) -> Iterator[Problem]:
    """The machine's faults in one stage."""
    match result:
        case Crashed():
            yield _of_crash(result)
        case PreflightResult():
            yield from (_of_check(c) for c in result.checks if c.status in (Verdict.ERROR, Verdict.FAIL))
        case PerfResult():
            yield from (_of_command(b, b.reason) for b in result.benches if b.verdict is Verdict.ERROR)
        case BuildResult():
            yield from (_of_command(s, s.reason) for s in result.steps if s.verdict is Verdict.ERROR)
        case TestResult():
            for suite in result.suites:
                if suite.verdict is Verdict.ERROR:
                    yield _of_command(suite, beside(suite) or suite.reason)
                yield from undecided(suite)
        case _:
            pass


def _of_crash(result: Crashed) -> Problem:
    subject, message = f"stage {result.stage.value}", result.reason
    if result.leg and result.stage is StageName.PREFLIGHT:
        # It is all there is of the leg, and names it already.
        subject = f"leg {result.leg}"
        message = message.removeprefix(f"{subject} ")
    return Problem(kind="machine", severity=Severity.ERROR, message=message, subject=subject)


def _of_check(check: Check) -> Problem:
    return Problem(
        kind="machine",
        severity=Severity.ERROR,
        message=f"{check.seen}; needed: {check.needed}",
        subject=check.id,
        advice=check.fix,
        cause=most_likely(check.diagnoses),
    )


def _of_command(part: Bench | BuildStep | Suite, reason: str) -> Problem:
    return Problem(
        kind="machine",
        severity=Severity.ERROR,
        message=reason or "could not be run",
        subject=part.name,
        command=part.command,
        cause=most_likely(part.diagnoses),
    )
