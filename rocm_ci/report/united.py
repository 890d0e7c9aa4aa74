"""Results of several legs taken together, so that what happened on four GPUs counts once. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.result import (
    BuildResult,
    KernelsResult,
    PerfResult,
    PreflightResult,
    ScanResult,
    StageResult,
    TestResult,
)
from rocm_ci.model.verdict import worst

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.model.case import Case, Layer
    from rocm_ci.model.perf import Comparison
    from rocm_ci.model.result import Bench, BuildStep, Suite

# From the best to the worst. A test that ran on one GPU and was skipped on another did run.
_CASES = {
    status: rank
    for rank, status in enumerate(
        (CaseStatus.SKIPPED, CaseStatus.PASSED, CaseStatus.FLAKY, CaseStatus.ERRORED, CaseStatus.FAILED)
    )
}
_SPEEDS = {
    verdict: rank
    for rank, verdict in enumerate(
        (
            PerfVerdict.UNCHANGED,
            PerfVerdict.IMPROVED,
            PerfVerdict.INCONCLUSIVE,
            PerfVerdict.SUSPICIOUS,
            PerfVerdict.REGRESSION,
        )
    )
}


def united(results: Iterable[StageResult]) -> tuple[StageResult, ...]:
    """One result per kind of stage, without a leg; what was skipped or crashed stays as it is."""
    alike: dict[type, list[StageResult]] = {}
    for result in results:
        alike.setdefault(type(result), []).append(result)
    made: list[StageResult] = []
    for group in alike.values():
        match group[0]:
            case PreflightResult():
                made.append(_preflight([r for r in group if isinstance(r, PreflightResult)]))
            case ScanResult():
                made.append(_scan([r for r in group if isinstance(r, ScanResult)]))
            case BuildResult():
                made.append(_build([r for r in group if isinstance(r, BuildResult)]))
            case KernelsResult():
                made.append(_kernels([r for r in group if isinstance(r, KernelsResult)]))
            case TestResult():
                made.append(_tests([r for r in group if isinstance(r, TestResult)]))
            case PerfResult():
                made.append(_perf([r for r in group if isinstance(r, PerfResult)]))
            case _:
                made += group
    return tuple(made)


def _preflight(group: Sequence[PreflightResult]) -> PreflightResult:
    bad = max(group, key=lambda r: r.verdict)
    return replace(bad, checks=tuple(check for r in group for check in r.checks), leg="")


def _scan(group: Sequence[ScanResult]) -> ScanResult:
    bad = max(group, key=lambda r: r.verdict)
    findings = tuple(dict.fromkeys(f for r in group for f in r.findings))
    return replace(bad, findings=findings, files=max(r.files for r in group), leg="")


def _build(group: Sequence[BuildResult]) -> BuildResult:
    """The same line is compiled on every leg, and complains on every leg."""
    bad = max(group, key=lambda r: r.verdict)
    said: set[tuple[str | None, int | None, str]] = set()
    steps: list[BuildStep] = []
    for result in group:
        fresh = [
            replace(
                step,
                diagnostics=tuple(d for d in step.diagnostics if (d.path, d.line, d.message) not in said),
            )
            for step in result.steps
        ]
        said |= {(d.path, d.line, d.message) for step in fresh for d in step.diagnostics}
        steps += fresh
    return replace(
        bad,
        compiler=", ".join(dict.fromkeys(r.compiler for r in group if r.compiler)) or None,
        archs=tuple(dict.fromkeys(arch for r in group for arch in r.archs)),
        steps=tuple(steps),
        leg="",
    )


def _kernels(group: Sequence[KernelsResult]) -> KernelsResult:
    return replace(
        max(group, key=lambda r: r.verdict),
        kernels=tuple(dict.fromkeys(kernel for r in group for kernel in r.kernels)),
        changes=tuple(dict.fromkeys(change for r in group for change in r.changes)),
        compared=any(r.compared for r in group),
        leg="",
    )


def _tests(group: Sequence[TestResult]) -> TestResult:
    suites: dict[tuple[str, Layer], list[Suite]] = {}
    for result in group:
        for suite in result.suites:
            suites.setdefault((suite.name, suite.layer), []).append(suite)
    bad = max(group, key=lambda r: r.verdict)
    return replace(bad, suites=tuple(_suite(alike) for alike in suites.values()), leg="")


def _suite(alike: Sequence[Suite]) -> Suite:
    """Every test once, as it ended on the leg where it ended worst."""
    if len(alike) == 1:
        return alike[0]
    found: dict[tuple[str, int], Case] = {}
    for suite in alike:
        # A suite may hold several tests of one name: the second of them is another test.
        nth: dict[str, int] = {}
        for case in suite.cases:
            at = nth.get(case.id, 0)
            nth[case.id] = at + 1
            known = found.get((case.id, at))
            if known is None or _CASES[case.status] > _CASES[known.status]:
                found[case.id, at] = case
    bad = max(alike, key=lambda s: s.verdict)
    return replace(
        bad,
        verdict=worst(s.verdict for s in alike),
        cases=tuple(found.values()),
        gpus=max(s.gpus for s in alike),
        unlisted=max(s.unlisted for s in alike),
        timed_out=any(s.timed_out for s in alike),
        shards=max(s.shards for s in alike),
        incidents=tuple(dict.fromkeys(incident for s in alike for incident in s.incidents)),
        tries=tuple(one for s in alike for one in s.tries),
        kept=tuple(dict.fromkeys(path for s in alike for path in s.kept)),
    )


def _perf(group: Sequence[PerfResult]) -> PerfResult:
    benches: dict[str, list[Bench]] = {}
    for result in group:
        for bench in result.benches:
            benches.setdefault(bench.name, []).append(bench)
    bad = max(group, key=lambda r: r.verdict)
    return replace(bad, benches=tuple(_bench(alike) for alike in benches.values()), leg="")


def _bench(alike: Sequence[Bench]) -> Bench:
    """Every series once: where it is worst. What can be shown is what the coarsest leg can show."""
    found: dict[str, Comparison] = {}
    for comparison in (c for bench in alike for c in bench.comparisons):
        known = found.get(comparison.name)
        if known is None:
            found[comparison.name] = comparison
            continue
        floors = [c.detects_pct for c in (known, comparison) if c.detects_pct is not None]
        worse = max(known, comparison, key=_badness)
        found[comparison.name] = replace(worse, detects_pct=max(floors, default=None))
    bad = max(alike, key=lambda b: b.verdict)
    return replace(bad, comparisons=tuple(found.values()))


def _badness(comparison: Comparison) -> tuple[int, float]:
    # What a maintainer let pass is not as bad as what nobody did.
    rank = _SPEEDS[comparison.verdict] - (0.5 if comparison.accepted else 0)
    return (int(2 * rank), abs(comparison.effect_pct or 0.0))
