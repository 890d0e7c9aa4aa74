"""The rows of one stage's result: one per stage, suite or layer. Plain text; still to be made inert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    stage_of,
)
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.report import legs, words
from rocm_ci.report.headline import ICONS
from rocm_ci.report.problems import METRICS
from rocm_ci.report.tally import cases, severities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.kernel import KernelChange
    from rocm_ci.model.result import StageResult, Suite

# More suites than this are told in one row per layer: the table must stay a table.
SUITE_ROWS = 8
_TITLES = {
    "preflight": "Machine",
    "scan": "Scan",
    "build": "Build",
    "kernels": "Kernels",
    "test": "Tests",
    "perf": "Performance",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """`result` begins with the verdict in words; `against` says what differs from the merge base.

    `on` names the legs of a matrix that it holds for. `suites` are those that it counts.
    """

    verdict: Verdict
    stage: str
    result: str
    against: str = ""
    duration_s: float = 0.0
    on: str = ""
    suites: tuple[Suite, ...] = ()

    @property
    def icon(self) -> str:
        """The sign of the verdict; advice is a warning sign here, not a notice."""
        return "⚠️" if self.verdict is Verdict.NEUTRAL else ICONS[self.verdict]


def of(result: StageResult) -> Iterator[Row]:
    """The rows of one result. A healthy machine needs none: it has its own line below the table."""
    title = _TITLES[stage_of(result).value]
    match result:
        case PreflightResult():
            if not result.verdict.is_green or result.verdict is Verdict.NEUTRAL:
                yield _row(result, title, _checks(result))
        case ScanResult():
            yield _row(result, title, _scan(result), f"+{len(result.findings):,}" if result.findings else "=")
        case BuildResult():
            yield _row(result, build_title(result), _build(result))
        case KernelsResult():
            yield _row(result, title, _kernels(result), _kernel_difference(result))
        case TestResult():
            yield from _tests(result)
        case PerfResult():
            yield _row(result, title, _perf(result), floor(result))
        case Skipped():
            yield _row(result, title, f"skipped, because {_because(result.reason)}")
        case Crashed():
            is_gate = result.leg == legs.GATE and result.stage.value == "preflight"
            yield _row(result, "Run" if is_gate else title, legs.in_short(result.reason))


def _row(result: StageResult, stage: str, said: str, against: str = "") -> Row:
    return Row(
        verdict=result.verdict, stage=stage, result=said, against=against, duration_s=result.duration_s
    )


def _because(reason: str) -> str:
    """A reason that fits behind «because»."""
    if not reason:
        return "no reason was given"
    if reason.startswith("needs "):
        return f"it {reason}"
    return f"it is {reason}" if reason.startswith("not in ") else reason


def _checks(result: PreflightResult) -> str:
    red = [
        f"{c.seen}, needed: {c.needed}" for c in result.checks if c.status in (Verdict.ERROR, Verdict.FAIL)
    ]
    advice = [c.seen for c in result.checks if c.status not in (Verdict.PASS, Verdict.SKIPPED)]
    # What stops the run hides mere advice; «4 GPU(s)» is only wrong beside what is needed.
    return words.first(red or advice, 2) or result.reason or result.verdict.value


def _scan(result: ScanResult) -> str:
    files = f"in {words.count(result.files, 'file')}" if result.files else ""
    counts = ((result.suppressed, "suppressed"), (result.baselined, "in the baseline"))
    silenced = "".join(f", {count:,} {how}" for count, how in counts if count)
    if result.findings:
        return severities(result.findings) + silenced
    return " ".join(part for part in ("nothing found", files) if part) + silenced


def build_title(result: BuildResult) -> str:
    """`Build hipcc 6.4 · gfx90a, gfx942`."""
    parts = [_TITLES["build"] + (f" {result.compiler}" if result.compiler else ""), ", ".join(result.archs)]
    return " · ".join(part for part in parts if part)


def _build(result: BuildResult) -> str:
    artifacts = [a for step in result.steps for a in step.artifacts]
    missing = {arch for a in artifacts for arch in a.missing}
    diagnostics = [d for step in result.steps for d in step.diagnostics]
    errors = sum(d.severity is Severity.ERROR for d in diagnostics)
    warnings = sum(d.severity is Severity.WARNING for d in diagnostics)
    parts = []
    if errors:
        parts.append(words.count(errors, "error"))
    if missing:
        parts.append(f"no code for {words.joined(sorted(missing))}")
    if result.verdict not in (Verdict.PASS, Verdict.NEUTRAL) and not parts:
        bad = [step for step in result.steps if step.verdict is result.verdict]
        parts.append(result.reason or words.first([f"{s.name}: {s.reason}" for s in bad], 1) or "failed")
    if artifacts and not missing:
        parts.append(words.count(len(artifacts), "artifact") + " with code for every arch")
    if warnings:
        parts.append(words.count(warnings, "warning"))
    if not parts:
        parts.append(result.reason or "built")
    return ", ".join(parts)


def _kernels(result: KernelsResult) -> str:
    heavier = [c for c in result.changes if c.is_regression]
    if heavier:
        more = f" and {len(heavier) - 1:,} more" if len(heavier) > 1 else ""
        return kernel_change(heavier[0]) + more
    if not result.kernels:
        return result.reason or "no kernel in the artifacts"
    spilling = sum(bool(k.vgpr_spills or k.sgpr_spills) for k in result.kernels)
    spills = f", {spilling:,} of them with spills" if spilling else ", none spills"
    return words.count(len(result.kernels), "kernel") + spills


def kernel_change(change: KernelChange) -> str:
    """`row_sum<float> on gfx90a: 12 spilled VGPRs`."""
    metric = METRICS.get(change.metric, change.metric)
    return f"{short_kernel(change.name)} on {change.arch}: {change.head:,} {metric}"


def short_kernel(name: str) -> str:
    """The name of a kernel without its return type and parameters."""
    bare = name.split("(", 1)[0].removeprefix("void ").strip()
    return bare or name


def _kernel_difference(result: KernelsResult) -> str:
    if not result.compared:
        return ""
    heavier = [c for c in result.changes if c.is_regression]
    if heavier:
        return f"was {heavier[0].base:,}"
    return words.count(len(result.changes), "change") if result.changes else "="


def _tests(result: TestResult) -> Iterator[Row]:
    if not result.suites:
        yield _row(result, _TITLES["test"], result.reason or "no suite ran")
        return
    if len(result.suites) <= SUITE_ROWS:
        for suite in result.suites:
            yield _suite_row(suite)
        return
    for layer in dict.fromkeys(s.layer for s in result.suites):
        inside = [s for s in result.suites if s.layer is layer]
        bad = [s.name for s in inside if s.verdict not in (Verdict.PASS, Verdict.SKIPPED)]
        said = f"{words.count(len(inside), 'suite')}: {cases(inside).in_words or 'no test ran'}"
        yield Row(
            verdict=worst(s.verdict for s in inside),
            stage=layer.value.capitalize(),
            result=said + (f"; look at {words.first(bad, 3)}" if bad else ""),
            duration_s=sum(s.duration_s for s in inside),
            suites=tuple(inside),
        )


def _suite_row(suite: Suite) -> Row:
    layer = suite.layer.value.capitalize()
    title = layer if suite.name.lower() == suite.layer.value else f"{layer} · {suite.name}"
    seen = cases([suite])
    said = seen.in_words
    if suite.verdict is Verdict.SKIPPED:
        said = f"skipped, because {_because(suite.reason)}"
    elif suite.reason and (
        suite.timed_out or not said or not (seen.red or seen.flaky or suite.verdict is Verdict.PASS)
    ):
        # Counts alone do not explain a suite that is red with green tests.
        said = f"{suite.reason} ({said})" if said else suite.reason
    elif suite.reason and suite.verdict is Verdict.PASS:
        # Green, and yet something to know: a report found elsewhere, processes left behind, a cold start.
        said = f"{said} ({suite.reason})"
    if suite.shards > 1:
        said = f"{said or 'no test ran'}, in {suite.shards} shards"
    return Row(
        verdict=suite.verdict,
        stage=title,
        result=said or "no test ran",
        duration_s=suite.duration_s,
        suites=(suite,),
    )


def _perf(result: PerfResult) -> str:
    every = [c for bench in result.benches for c in bench.comparisons]
    wording = (
        (PerfVerdict.REGRESSION, "regression"),
        (PerfVerdict.SUSPICIOUS, "suspicious"),
        (PerfVerdict.INCONCLUSIVE, "undecided"),
        (PerfVerdict.IMPROVED, "improved"),
        (PerfVerdict.UNCHANGED, "unchanged"),
    )
    parts = []
    for verdict, word in wording:
        number = sum(c.verdict is verdict and not c.accepted for c in every)
        if number:
            parts.append(words.count(number, word, word + ("s" if word == "regression" else "")))
    passed = sum(bool(c.accepted) for c in every)
    if passed:
        parts.insert(1 if parts and "regression" in parts[0] else 0, _accepted(passed))
    # What could not be measured is told, and what is missing beside what was.
    told = sorted((b for b in result.benches if b.reason), key=lambda b: b.verdict, reverse=True)
    parts += [f"{b.name}: {b.reason}" for b in told[:2]]
    if told[2:]:
        parts.append(f"{len(told) - 2:,} more with a remark")
    return ", ".join(parts) or result.reason or "nothing measured"


def floor(result: PerfResult) -> str:
    """What change could have been seen: `detects ≥ 1.9 %`."""
    floors = [
        c.detects_pct
        for bench in result.benches
        for c in bench.comparisons
        if c.detects_pct is not None and c.verdict is not PerfVerdict.INCONCLUSIVE
    ]
    return f"detects ≥ {words.percent(max(floors))}" if floors else ""


def _accepted(number: int) -> str:
    return f"{words.count(number, 'regression')} accepted"
