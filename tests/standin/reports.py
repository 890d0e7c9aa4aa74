"""Small real reports, as the other plane would write them."""

from __future__ import annotations

from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.finding import Finding, Severity, Topic
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.report import Report
from rocm_ci.model.result import Crashed, ScanResult, StageResult
from rocm_ci.model.verdict import Verdict


def finding(line: int) -> Finding:
    return Finding(
        rule="cuda-api-call",
        topic=Topic.CUDA_API,
        severity=Severity.ERROR,
        path="src/reduce.hip",
        line=line,
        column=3,
        end=13,
        message="cudaMalloc is CUDA",
        fix="use hipMalloc",
    )


def report(
    head: str,
    verdict: Verdict = Verdict.PASS,
    *,
    number: int | None = 5,
    findings: int = 1,
    repository: str = "o/r",
) -> Report:
    """PASS, FAIL (with findings) or ERROR (a crashed stage) about one commit."""
    result: StageResult
    match verdict:
        case Verdict.FAIL:
            found = tuple(finding(line) for line in range(1, findings + 1))
            result = ScanResult(verdict=verdict, duration_s=0.2, findings=found, files=3)
        case Verdict.ERROR:
            result = Crashed(stage=StageName.SCAN, reason="the disk is full")
        case _:
            result = ScanResult(verdict=verdict, duration_s=0.2, files=3)
    return Report(
        tool="rocm-ci 0.1",
        event=Event(
            kind=EventKind.PULL_REQUEST,
            repository=repository,
            head=head,
            base="b" * 40,
            number=number,
            run_id=7,
            run_attempt=1,
        ),
        plan=Plan(steps=(Step(stage=StageName.SCAN, run=True, reason="configured"),)),
        facts=Facts(),
        results=(result,),
        verdict=verdict,
        started="2026-11-30T12:00:00Z",
        duration_s=1.0,
    )
