"""Whether a report agrees with itself. A forged green verdict does not: it stands on red parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.report import verdict_of
from rocm_ci.model.result import (
    BuildResult,
    Crashed,
    PerfResult,
    ScanResult,
    Skipped,
    Suite,
    TestResult,
    stage_of,
)
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.report.legs import MAX_LEGS, NAME, verdicts

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import StageResult

_RED = (Verdict.FAIL, Verdict.ERROR)


def contradiction(report: Report) -> str:
    """What in the report denies another part of it; empty when it agrees with itself."""
    right = verdict_of(report.results, report.plan, interrupted=report.interrupted)
    if report.verdict is not right:
        return f"its verdict is {report.verdict.value}, but its results give {right.value}"
    present = {stage_of(result) for result in report.results}
    for step in report.plan.steps:
        if step.run and step.stage not in present:
            return f"stage {step.stage.value} was planned, but has no result"
    if report.plan.neutral_reason and any(step.run for step in report.plan.steps):
        return "the plan says that there is nothing to do, and plans stages"
    return _of_legs(report) or next((said for said in map(_of_result, report.results) if said), "")


def _of_legs(report: Report) -> str:
    """Every result belongs to a leg that is there, and a leg is no greener than its own results."""
    names = {leg.name for leg in report.legs}
    if len(names) < len(report.legs) or len(report.legs) > MAX_LEGS:
        return f"two of its {len(report.legs)} legs share a name, or they are too many"
    odd = next((leg for leg in report.legs if not NAME.match(leg.name)), None)
    if odd is not None:
        return f"{odd.name[:60]!a} is no name of a leg"
    for result in report.results:
        stage = stage_of(result).value
        if result.leg and result.leg not in names:
            return f"a result of stage {stage} is from a leg that it does not have"
        if names and not result.leg and not isinstance(result, (ScanResult, Skipped)):
            return f"a result of stage {stage} is from no leg"
    own = verdicts(report.results)
    for leg in report.legs:
        right = own.get(leg.name, Verdict.SKIPPED)
        if leg.verdict is not right:
            return f"leg {leg.name} is {leg.verdict.value}, but its results give {right.value}"
    return ""


def _of_result(result: StageResult) -> str:
    match result:
        case Skipped(verdict=Verdict.PASS):
            return f"stage {result.stage.value} was skipped and passed"
        case Crashed() if result.verdict not in _RED:
            return f"stage {result.stage.value} crashed and is {result.verdict.value}"
        case BuildResult():
            return _too_green("build", result.verdict, worst(step.verdict for step in result.steps))
        case PerfResult():
            return _too_green("perf", result.verdict, worst(bench.verdict for bench in result.benches))
        case TestResult():
            said = _too_green("test", result.verdict, worst(suite.verdict for suite in result.suites))
            return said or next((s for s in map(_of_suite, result.suites) if s), "")
        case _:
            return ""


def _too_green(stage: str, whole: Verdict, part: Verdict) -> str:
    if part in _RED and whole not in _RED:
        return f"stage {stage} is {whole.value}, but a part of it is {part.value}"
    return ""


def _of_suite(suite: Suite) -> str:
    if suite.unlisted < 0:
        return f"a suite leaves out {suite.unlisted} tests"
    if suite.verdict is not Verdict.PASS:
        return ""
    red = sum(case.status in (CaseStatus.FAILED, CaseStatus.ERRORED) for case in suite.cases)
    return f"a suite passed with {red} failed tests" if red else ""
