"""The things to fix, most important first: one list for the comment, the annotations and the terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import (
    BuildResult,
    KernelsResult,
    PerfResult,
    ScanResult,
    TestResult,
)
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import causes, incidents, legs, words
from rocm_ci.report.machine_problems import of_machine
from rocm_ci.report.problem import Problem, joined
from rocm_ci.report.tally import tally
from rocm_ci.report.test_problems import of_case, of_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.model.diagnostic import Diagnostic
    from rocm_ci.model.finding import Finding
    from rocm_ci.model.kernel import KernelChange
    from rocm_ci.model.perf import Comparison
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Bench, BuildStep, StageResult
    from rocm_ci.report.delta import Delta
    from rocm_ci.report.problem import Kind

METRICS = {
    "vgpr": "VGPRs",
    "agpr": "AGPRs",
    "sgpr": "SGPRs",
    "vgpr_spills": "spilled VGPRs",
    "sgpr_spills": "spilled SGPRs",
    "lds_bytes": "bytes of LDS",
    "scratch_bytes": "bytes of scratch",
    "occupancy": "waves per SIMD",
}


def problems(report: Report, delta: Delta | None = None) -> tuple[Problem, ...]:
    """What made the run red: the change's faults in the order to mend them, then the machine's.

    What several legs have in common is told once. With `delta`, tests that fail on the base too come
    last among the change's: they are not its doing.
    """
    listed = joined([replace(p, legs=_legs(result)) for result in report.results for p in _of(result, delta)])
    # A compile error explains most of what comes after it.
    order: tuple[Kind, ...] = ("build", "scan", "test", "kernels", "perf")
    listed.sort(key=lambda p: (p.on_base, order.index(p.kind)))
    machine = [replace(p, legs=_legs(result)) for result in report.results for p in of_machine(result)]
    return (*listed, *joined(machine))


def _legs(result: StageResult) -> tuple[str, ...]:
    return (result.leg,) if result.leg else ()


def _of(result: StageResult, delta: Delta | None) -> Iterator[Problem]:
    """The change's faults in one stage."""
    if isinstance(result, TestResult):
        for suite in result.suites:
            yield from of_suite(suite, result.leg, delta)
    elif result.verdict is not Verdict.FAIL:
        return
    elif isinstance(result, BuildResult):
        for step in result.steps:
            yield from _of_step(step)
    elif isinstance(result, ScanResult):
        yield from _blocking(result.findings)
    elif isinstance(result, KernelsResult):
        yield from _of_kernels(result.changes, Severity.ERROR)
    elif isinstance(result, PerfResult):
        for bench in result.benches:
            yield from _of_bench(bench)


def seen_on(p: Problem, report: Report) -> str:
    """On which legs of a matrix: `on mi210 only`. Empty where one leg alone could have said it."""
    if not p.legs or p.subject == f"leg {p.legs[0]}":
        return ""
    if p.kind == "machine":
        return f"on {words.first(p.legs, 3)}"
    return legs.on(p.legs, legs.that_did(report, StageName(p.kind)))


def advice(report: Report) -> tuple[Problem, ...]:
    """What does not make the run red, but is worth a look: warnings and notes."""
    red = set(problems(report))
    found = tally(report)
    findings = (_of_finding(f) for f in _by_severity(found.findings))
    costlier = _of_kernels(found.kernel_changes, Severity.WARNING)
    warnings = (_of_diagnostic(d) for d in found.diagnostics if d.severity is not Severity.NOTE)
    flaky = (
        of_case(case, Severity.WARNING, f"passed only at attempt {case.attempts}")
        for suite in found.suites
        for case in suite.cases
        if case.status is CaseStatus.FLAKY
    )
    machine = incidents.advice(found.suites)
    known = notes(report)
    return tuple(p for p in (*findings, *costlier, *warnings, *flaky, *machine, *known) if p not in red)


def notes(report: Report) -> tuple[Problem, ...]:
    """What the error library has to say of parts that are green, once for all legs."""
    return tuple(joined([replace(p, legs=_legs(r)) for r in report.results for p in causes.notes(r)]))


def _by_severity(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: f.severity, reverse=True)


def _blocking(findings: tuple[Finding, ...]) -> Iterator[Problem]:
    """The errors; all findings where the configuration fails on less."""
    errors = [f for f in findings if f.severity is Severity.ERROR]
    return (_of_finding(f) for f in errors or _by_severity(findings))


def _of_finding(finding: Finding) -> Problem:
    return Problem(
        kind="scan",
        severity=finding.severity,
        message=finding.message,
        path=finding.path,
        line=finding.line,
        column=finding.column,
        advice=finding.fix,
        replacement=finding.replacement,
        rule=finding.rule,
        docs=finding.docs,
    )


def _of_diagnostic(diagnostic: Diagnostic) -> Problem:
    arch = f" ({diagnostic.arch})" if diagnostic.arch else ""
    return Problem(
        kind="build",
        severity=diagnostic.severity,
        message=diagnostic.message + arch,
        path=diagnostic.path,
        line=diagnostic.line,
        column=diagnostic.column,
    )


def _of_step(step: BuildStep) -> list[Problem]:
    """The errors of a build command, one per place; the command itself where it named none."""
    if step.verdict is not Verdict.FAIL:
        return []
    once: dict[tuple[str | None, int | None, str], Problem] = {}
    for diagnostic in step.diagnostics:
        if diagnostic.severity is Severity.ERROR:
            # The same line is compiled once per arch, and complains once per arch.
            key = (diagnostic.path, diagnostic.line, diagnostic.message)
            once.setdefault(key, _of_diagnostic(diagnostic))
    found = list(once.values())
    for artifact in step.artifacts:
        if artifact.missing:
            message = f"holds no code for {words.joined(artifact.missing)}"
            found.append(
                Problem(kind="build", severity=Severity.ERROR, message=message, subject=artifact.path)
            )
    if not found:
        why = step.reason or f"ended with exit code {step.exit_code}"
        found.append(Problem(kind="build", severity=Severity.ERROR, message=why, subject=step.name))
    first, *others = causes.explained(found, step.diagnoses)
    return [replace(first, command=step.command), *others]


def _of_kernels(changes: tuple[KernelChange, ...], severity: Severity) -> list[Problem]:
    found = []
    for change in changes:
        if change.is_regression:
            metric = METRICS.get(change.metric, change.metric)
            message = f"{metric} on {change.arch}: {change.base:,} → {change.head:,}"
            found.append(Problem(kind="kernels", severity=severity, message=message, subject=change.name))
    return found


def _of_bench(bench: Bench) -> list[Problem]:
    """What it measured slower; the benchmark itself where it could not be measured."""
    slower = [
        _of_comparison(c) for c in bench.comparisons if c.verdict is PerfVerdict.REGRESSION and not c.accepted
    ]
    if not slower and bench.verdict is Verdict.FAIL:
        slower = [
            Problem(
                kind="perf",
                severity=Severity.ERROR,
                message=bench.reason or "failed",
                subject=f"benchmark {bench.name}",
                command=bench.command,
            )
        ]
    return causes.explained(slower, bench.diagnoses)


def _of_comparison(comparison: Comparison) -> Problem:
    return Problem(
        kind="perf",
        severity=Severity.ERROR,
        message=speed(comparison),
        subject=comparison.name,
        advice=comparison.reason or None,
        weight=abs(comparison.effect_pct or 0.0),
    )


def speed(comparison: Comparison) -> str:
    """`1.31 → 1.42 ms (+8.4 %, interval +7.6 … +9.1 %)`, as far as it is known."""
    c = comparison
    said = ""
    if c.base_median is not None and c.head_median is not None:
        said = f"{' → '.join(words.pair(c.base_median, c.head_median))} {c.unit}".strip()
    if c.effect_pct is None:
        return said or c.reason or c.verdict.value
    inside = words.signed_percent(c.effect_pct)
    if c.interval_pct and c.interval_pct[0] != c.interval_pct[1]:
        low, high = c.interval_pct
        inside += f", interval {words.signed_percent(low)} … {words.signed_percent(high)}"
    return f"{said} ({inside})" if said else inside
