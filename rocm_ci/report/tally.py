"""What a report holds, picked together over its stages: findings, cases, comparisons, counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus, Ending
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
    TestResult,
)
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import words
from rocm_ci.report.united import united

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.model.case import Case
    from rocm_ci.model.diagnostic import Diagnostic
    from rocm_ci.model.finding import Finding
    from rocm_ci.model.kernel import KernelChange
    from rocm_ci.model.perf import Comparison
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Bench, BuildStep, Check, Suite

RED = (CaseStatus.FAILED, CaseStatus.ERRORED)
_ENDED = ("failed", "errored", "passed", "flaky", "skipped")


@dataclass(frozen=True, kw_only=True)
class Cases:
    """How many tests ended how."""

    passed: int = 0
    failed: int = 0
    errored: int = 0
    skipped: int = 0
    flaky: int = 0

    @property
    def red(self) -> int:
        """Failed, whether by an assertion or by anything else."""
        return self.failed + self.errored

    @property
    def green(self) -> int:
        """Passed, at the first try or at a later one."""
        return self.passed + self.flaky

    @property
    def in_words(self) -> str:
        """`1 failed, 211 passed, 3 skipped`; what is zero is left out."""
        return in_range([self])


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Everything of a report in flat tuples, in the order of the report."""

    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    steps: tuple[BuildStep, ...]
    archs: tuple[str, ...]
    kernel_changes: tuple[KernelChange, ...]
    suites: tuple[Suite, ...]
    benches: tuple[Bench, ...]
    comparisons: tuple[Comparison, ...]
    skipped: tuple[Skipped, ...]
    crashed: tuple[Crashed, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What compilers and CMake said, over all build steps."""
        return tuple(d for step in self.steps for d in step.diagnostics)

    @property
    def changed(self) -> tuple[Comparison, ...]:
        """The comparisons that a reader should see: everything but «unchanged», the worst first."""
        order = list(PerfVerdict)
        seen = [c for c in self.comparisons if c.verdict is not PerfVerdict.UNCHANGED]
        return tuple(sorted(seen, key=lambda c: (order.index(c.verdict), -abs(c.effect_pct or 0.0))))

    @property
    def detects_pct(self) -> float | None:
        """The smallest change that every decided comparison could have shown."""
        floors = [
            c.detects_pct
            for c in self.comparisons
            if c.detects_pct is not None and c.verdict is not PerfVerdict.INCONCLUSIVE
        ]
        return max(floors, default=None)

    def perf(self, verdict: PerfVerdict) -> tuple[Comparison, ...]:
        """The comparisons with a verdict, but for the regressions that somebody let pass."""
        return tuple(c for c in self.comparisons if c.verdict is verdict and not c.accepted)

    @property
    def accepted(self) -> tuple[Comparison, ...]:
        """The regressions that a maintainer let pass."""
        return tuple(c for c in self.comparisons if c.accepted)


def tally(report: Report) -> Tally:
    """Go through a report once. What several legs of a matrix found alike counts once."""
    found = united(report.results) if report.legs else report.results
    scans = [r for r in found if isinstance(r, ScanResult)]
    builds = [r for r in found if isinstance(r, BuildResult)]
    return Tally(
        checks=tuple(c for r in found if isinstance(r, PreflightResult) for c in r.checks),
        findings=tuple(f for r in scans for f in r.findings),
        steps=tuple(s for r in builds for s in r.steps),
        archs=tuple(dict.fromkeys(a for r in builds for a in r.archs)),
        kernel_changes=tuple(c for r in found if isinstance(r, KernelsResult) for c in r.changes),
        suites=tuple(s for r in found if isinstance(r, TestResult) for s in r.suites),
        benches=tuple(b for r in found if isinstance(r, PerfResult) for b in r.benches),
        comparisons=tuple(
            c for r in found if isinstance(r, PerfResult) for b in r.benches for c in b.comparisons
        ),
        skipped=tuple(r for r in found if isinstance(r, Skipped)),
        crashed=tuple(r for r in found if isinstance(r, Crashed)),
    )


def cases(suites: Iterable[Suite]) -> Cases:
    """Count the tests of some suites."""
    seen: Counter[str] = Counter()
    for suite in suites:
        seen.update(case.status.value for case in suite.cases)
        seen[CaseStatus.PASSED.value] += suite.unlisted
    return Cases(**{status.value: seen[status.value] for status in CaseStatus})


def is_blamed(suite: Suite, case: Case) -> bool:
    """Whether a red test counts against the change: not when the machine or the end of the run came first."""
    return case.status in RED and suite.verdict is not Verdict.ERROR and case.ending is not Ending.MACHINE


def blamed(suites: Iterable[Suite]) -> int:
    """How many tests count against the change."""
    return sum(is_blamed(suite, case) for suite in suites for case in suite.cases)


def in_range(counts: Iterable[Cases]) -> str:
    """Several counts as one: `210–212 passed, 0–2 skipped`."""
    seen = [(c.failed, c.errored, c.passed, c.flaky, c.skipped) for c in counts]
    parts = []
    for numbers, word in zip(zip(*seen, strict=True), _ENDED, strict=True):
        low, high = min(numbers), max(numbers)
        if high:
            parts.append(f"{low:,} {word}" if low == high else f"{low:,}–{high:,} {word}")
    return ", ".join(parts)


def label(case: Case) -> str:
    """What to call a test: its id, without a class that only repeats the name (as CTest's does)."""
    return case.name if case.id == f"{case.name}::{case.name}" else case.id


def of_status(suites: Iterable[Suite], *statuses: CaseStatus) -> tuple[Case, ...]:
    """The tests of some suites that ended in one of the given ways."""
    return tuple(case for suite in suites for case in suite.cases if case.status in statuses)


def severities(findings: Iterable[Finding]) -> str:
    """`2 errors, 1 warning`; empty when there is none."""
    seen = Counter(f.severity for f in findings)
    return ", ".join(words.count(seen[s], s.value) for s in reversed(Severity) if seen[s])
