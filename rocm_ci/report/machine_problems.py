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
from rocm_ci.report.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.diagnostic import Diagnosis


def most_likely(diagnoses: tuple[Diagnosis, ...]) -> Diagnosis | None:
    """What the error library is surest of."""
    return max(diagnoses, key=lambda d: d.confidence, default=None)


def of_machine(result: StageResult) -> Iterator[Problem]:
    """The machine's faults in one stage."""
    if isinstance(result, Crashed):
        subject, message = f"stage {result.stage.value}", result.reason
        if result.leg and result.stage is StageName.PREFLIGHT:
            # It is all there is of the leg, and names it already.
            subject = f"leg {result.leg}"
            message = message.removeprefix(f"{subject} ")
        yield Problem(kind="machine", severity=Severity.ERROR, message=message, subject=subject)
    elif isinstance(result, PreflightResult):
        for check in result.checks:
            if check.status in (Verdict.ERROR, Verdict.FAIL):
                yield Problem(
                    kind="machine",
                    severity=Severity.ERROR,
                    message=f"{check.seen}; needed: {check.needed}",
                    subject=check.id,
                    advice=check.fix,
                )
    elif isinstance(result, PerfResult):
        for bench in result.benches:
            if bench.verdict is Verdict.ERROR:
                yield Problem(
                    kind="machine",
                    severity=Severity.ERROR,
                    message=bench.reason or "could not be run",
                    subject=bench.name,
                    command=bench.command,
                )
    elif isinstance(result, (TestResult, BuildResult)):
        parts = result.suites if isinstance(result, TestResult) else result.steps
        for part in parts:
            if part.verdict is Verdict.ERROR:
                yield Problem(
                    kind="machine",
                    severity=Severity.ERROR,
                    message=part.reason or "could not be run",
                    subject=part.name,
                    command=part.command,
                    cause=most_likely(part.diagnoses),
                )
