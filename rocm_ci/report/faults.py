"""What a change does wrong in one stage, as a verb and its object, and why a stage ended as it did."""

from __future__ import annotations

from rocm_ci.model.finding import Severity
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.result import (
    BuildResult,
    Crashed,
    KernelsResult,
    PerfResult,
    PreflightResult,
    ScanResult,
    Skipped,
    StageResult,
    TestResult,
    stage_of,
)
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import words
from rocm_ci.report.tally import Tally, blamed


def of(result: StageResult, found: Tally, on_base: int = 0) -> str:
    """What the change does wrong in one failed stage, as a verb and its object.

    Empty when all there is are failed tests, and as many of them as `on_base` fail on the base too.
    """
    match result:
        case BuildResult():
            return _build_fault(result)
        case ScanResult():
            return _scan_fault(result)
        case TestResult():
            return _test_fault(result, on_base)
        case KernelsResult():
            heavier = {(c.name, c.arch) for c in result.changes if c.is_regression}
            return f"makes {words.count(len(heavier), 'kernel')} costlier"
        case PerfResult():
            slower = found.perf(PerfVerdict.REGRESSION)
            if len(slower) == 1 and slower[0].effect_pct is not None:
                return f"slows 1 benchmark by {words.percent(slower[0].effect_pct)}"
            return f"slows {words.count(len(slower), 'benchmark')}" if slower else "fails a benchmark"
        case PreflightResult() | Skipped() | Crashed():
            return f"fails {stage_of(result).value}"


def _test_fault(result: TestResult, on_base: int) -> str:
    """Failed tests, and suites that are red without any: a crash, a timeout, a missing report."""
    red = max(blamed(result.suites) - on_base, 0)
    bad = [f"suite {s.name}" for s in result.suites if s.verdict is Verdict.FAIL and not blamed((s,))]
    tests = [words.count(red, "test")] if red else []
    suites = bad if len(bad) < 3 else [words.count(len(bad), "suite")]
    if red or bad:
        return f"fails {words.joined([*tests, *suites])}"
    return "" if on_base else "fails the tests"


def _build_fault(result: BuildResult) -> str:
    missing = {arch for step in result.steps for a in step.artifacts for arch in a.missing}
    bad = [step for step in result.steps if step.verdict is Verdict.FAIL]
    if missing and all(step.exit_code == 0 for step in bad):
        return f"builds no code for {words.joined(sorted(missing))}"
    return f"does not build for {words.joined(result.archs)}" if result.archs else "does not build"


def _scan_fault(result: ScanResult) -> str:
    blocking = [f for f in result.findings if f.severity is Severity.ERROR] or list(result.findings)
    cuda = sum(f.topic.value.startswith("cuda") for f in blocking)
    if not blocking:
        return "fails the scan"
    if cuda == len(blocking):
        return f"brings CUDA back in {words.count(cuda, 'place')}"
    verb = "does" if len(blocking) == 1 else "do"
    return f"has {words.count(len(blocking), 'place')} that {verb} not work on AMD GPUs"


def reason(result: StageResult) -> str:
    """Why a stage ended as it did: its own word, else that of its first bad part."""
    if result.reason:
        return result.reason
    parts: tuple[tuple[Verdict, str], ...] = ()
    match result:
        case TestResult():
            parts = tuple((s.verdict, f"suite {s.name}: {s.reason}") for s in result.suites)
        case BuildResult():
            parts = tuple((s.verdict, f"{s.name}: {s.reason}") for s in result.steps)
        case PerfResult():
            parts = tuple((b.verdict, f"benchmark {b.name}: {b.reason}") for b in result.benches)
        case PreflightResult():
            parts = tuple((c.status, c.seen) for c in result.checks)
        case _:
            pass
    return next((why for verdict, why in parts if verdict is result.verdict), "")
