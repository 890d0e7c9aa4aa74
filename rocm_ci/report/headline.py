"""The verdict in words and whose fault it is. Plain text of one line each; still to be made inert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.result import (
    BuildResult,
    PerfResult,
    PreflightResult,
    ScanResult,
    stage_of,
)
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import faults, machine, words
from rocm_ci.report.tally import Tally, cases, of_status, tally

if TYPE_CHECKING:
    from rocm_ci.model.report import Report

ICONS = {
    Verdict.PASS: "✅",
    Verdict.FAIL: "❌",
    Verdict.ERROR: "🔧",
    Verdict.INCONCLUSIVE: "⚖️",
    Verdict.NEUTRAL: "ℹ️",
    Verdict.SKIPPED: "⏭️",
}
OWN_FAULT = "rocm-ci itself failed"


@dataclass(frozen=True, kw_only=True)
class Headline:
    """`title` names the verdict and who is at fault, `summary` counts, `advice` says what to do."""

    icon: str
    title: str
    summary: str = ""
    advice: str = ""

    @property
    def in_words(self) -> str:
        """All of it in one line, without the icon."""
        return self.title + (f". {self.summary}" if self.summary else "")


def headline(report: Report, things: int = 0) -> Headline:
    """The headline of a report; `things` is how many things there are to fix."""
    found = tally(report)
    icon = ICONS[report.verdict]
    match report.verdict:
        case Verdict.FAIL:
            return Headline(
                icon=icon,
                title=_fail_title(report, found, things),
                summary=counts(report, found),
                advice=_state_of_machine(report),
            )
        case Verdict.ERROR:
            return _error(report, found)
        case Verdict.INCONCLUSIVE:
            return Headline(
                icon=icon,
                title=f"not decidable — {_undecided(report, found)}",
                summary=counts(report, found),
                advice="This is no finding against the change. A repeated run may decide it.",
            )
        case _:
            return _green(report, found)


def counts(report: Report, found: Tally) -> str:
    """What was found, in counts: `1 failed test, 3 findings (2 with a ready fix), …`."""
    parts = []
    errors = sum(d.severity is Severity.ERROR for d in found.diagnostics)
    if errors:
        parts.append(words.count(errors, "build error"))
    if found.findings:
        fixable = sum(f.replacement is not None for f in found.findings)
        ready = f" ({fixable:,} with a ready fix)" if fixable else ""
        parts.append(words.count(len(found.findings), "finding") + ready)
    seen = cases(found.suites)
    if seen.red:
        parts.append(words.count(seen.red, "failed test"))
    if seen.flaky:
        parts.append(words.count(seen.flaky, "flaky test"))
    heavier = {(c.name, c.arch) for c in found.kernel_changes if c.is_regression}
    if heavier:
        parts.append(words.count(len(heavier), "kernel") + " with higher cost")
    parts += _speed_counts(found)
    parts += [f"{stage_of(c).value} could not be finished" for c in found.crashed if not report.interrupted]
    return ", ".join(parts)


def _speed_counts(found: Tally) -> list[str]:
    parts = []
    slower = found.perf(PerfVerdict.REGRESSION)
    if len(slower) == 1 and slower[0].effect_pct is not None:
        parts.append(f"1 benchmark {words.percent(slower[0].effect_pct)} slower")
    elif slower:
        parts.append(f"{words.count(len(slower), 'benchmark')} slower")
    for verdict, word in (
        (PerfVerdict.SUSPICIOUS, "suspiciously slow"),
        (PerfVerdict.INCONCLUSIVE, "undecided"),
        (PerfVerdict.IMPROVED, "faster"),
    ):
        many = found.perf(verdict)
        if many:
            parts.append(f"{words.count(len(many), 'benchmark')} {word}")
    return parts


def _fail_title(report: Report, found: Tally, things: int) -> str:
    blamed = [faults.of(r, found) for r in report.results if r.verdict is Verdict.FAIL]
    title = f"this change {words.joined(blamed)}"
    machine_side = [stage_of(r).value for r in report.results if r.verdict is Verdict.ERROR]
    if report.interrupted:
        return f"{title} — and the run was interrupted before it finished"
    if machine_side:
        return f"{title} — and the machine failed too, in {words.joined(machine_side)}"
    return f"{title} — {words.count(things, 'thing')} to fix" if things > 1 else title


def _state_of_machine(report: Report) -> str:
    if any(result.verdict is Verdict.ERROR for result in report.results):
        return "What the machine broke off is not counted against the change."
    looked = [result for result in report.results if isinstance(result, PreflightResult)]
    if not looked:
        return ""
    if not machine.usable(report.facts):
        return "There is no AMD GPU here: what needs one did not run."
    if looked[0].verdict is Verdict.PASS:
        return "The machine is healthy."
    return f"About the machine: {words.sentence(faults.reason(looked[0]))}"


def _error(report: Report, found: Tally) -> Headline:
    again = "Repeat the run. If it happens again, it is the machine that needs a look."
    reasons = [reason for r in report.results if r.verdict is Verdict.ERROR and (reason := faults.reason(r))]
    if report.interrupted:
        finished = [
            stage_of(r).value for r in report.results if r.verdict not in (Verdict.ERROR, Verdict.SKIPPED)
        ]
        got = f"finished: {words.joined(finished)}" if finished else "no stage had finished"
        title = f"interrupted before the end — {got}"
        return Headline(icon="⏹️", title=title, summary=counts(report, found), advice="Run it again.")
    if not reasons and all(r.verdict is Verdict.SKIPPED for r in report.results):
        title = "nothing ran, so nothing is known — no stage was allowed to run"
        why = "Look at `stages` in the configuration, and at the reasons below."
        return Headline(icon=ICONS[Verdict.ERROR], title=title, advice=why)
    if any(reason.startswith(OWN_FAULT) for reason in reasons):
        title = f"{OWN_FAULT}, not this change — {reasons[0].removeprefix(OWN_FAULT + ': ')}"
        again = "Please open an issue with the traceback from the report."
    else:
        title = f"the machine failed, not this change — {reasons[0] if reasons else 'no reason was given'}"
    fixes = [c.fix for c in found.checks if c.status in (Verdict.ERROR, Verdict.FAIL) and c.fix]
    advice = words.sentence(fixes[0]) if fixes else again
    return Headline(icon=ICONS[Verdict.ERROR], title=title, summary=counts(report, found), advice=advice)


def _undecided(report: Report, found: Tally) -> str:
    noisy = found.perf(PerfVerdict.INCONCLUSIVE) + found.perf(PerfVerdict.SUSPICIOUS)
    if noisy:
        needs = max((c.detects_pct for c in noisy if c.detects_pct is not None), default=None)
        saw = max((abs(c.effect_pct) for c in noisy if c.effect_pct is not None), default=None)
        scale = ""
        if needs is not None and saw is not None:
            scale = f" (needs ≥ {words.percent(needs)}, saw {words.percent(saw)})"
        return (
            f"the speed of {words.count(len(noisy), 'benchmark')} could not be told apart from noise{scale}"
        )
    flaky = of_status(found.suites, CaseStatus.FLAKY)
    if flaky:
        return f"{words.count(len(flaky), 'test')} passed only when repeated"
    for result in report.results:
        if isinstance(result, PerfResult):
            open_ones = [b for b in result.benches if b.verdict is Verdict.INCONCLUSIVE and b.reason]
            if open_ones:
                return f"benchmark {open_ones[0].name}: {open_ones[0].reason}"
    reasons = [faults.reason(r) for r in report.results if r.verdict is Verdict.INCONCLUSIVE]
    return next((reason for reason in reasons if reason), "the results do not agree")


def _green(report: Report, found: Tally) -> Headline:
    icon = ICONS[report.verdict]
    if report.plan.neutral_reason:
        return Headline(
            icon=icon, title=f"nothing to test — {report.plan.neutral_reason}", advice="Nothing to do."
        )
    parts = [
        part for part in (_tests_part(report, found), _scan_part(report, found), _speed_part(found)) if part
    ]
    title = _readiness(report, found) + (f" — {', '.join(parts)}" if parts else "")
    advice = "Nothing to do." if report.verdict is Verdict.PASS else "Nothing must be done; advice is below."
    return Headline(icon=icon, title=title, advice=advice)


def _readiness(report: Report, found: Tally) -> str:
    """No more is promised than what was seen: only a run on a GPU says «ready»."""
    on_gpu = any(s.gpus and s.verdict is Verdict.PASS for s in found.suites)
    if machine.usable(report.facts) and (on_gpu or found.comparisons):
        return "ready for AMD GPUs"
    built = any(isinstance(r, BuildResult) and r.verdict.is_green for r in report.results)
    if built:
        return f"builds for {words.joined(found.archs) or 'AMD GPUs'}, not run on a GPU"
    return "nothing against it in what was checked"


def _tests_part(report: Report, found: Tally) -> str:
    seen = cases(found.suites)
    if not seen.green:
        return ""
    model = machine.short_name(report.facts)
    on_gpu = any(s.gpus and s.cases for s in found.suites)
    return words.count(seen.green, "test") + (f" on {model}" if model and on_gpu else "")


def _scan_part(report: Report, found: Tally) -> str:
    if not any(isinstance(r, ScanResult) for r in report.results):
        return ""
    if not found.findings:
        return "no CUDA left behind"
    return words.count(len(found.findings), "piece") + " of advice from the scan"


def _speed_part(found: Tally) -> str:
    if not found.comparisons:
        return ""
    faster = found.perf(PerfVerdict.IMPROVED)
    open_ones = found.perf(PerfVerdict.SUSPICIOUS) + found.perf(PerfVerdict.INCONCLUSIVE)
    if open_ones:
        return f"speed of {words.count(len(open_ones), 'benchmark')} undecided"
    floor = f" (detects ≥ {words.percent(found.detects_pct)})" if found.detects_pct is not None else ""
    return (f"{words.count(len(faster), 'benchmark')} faster" if faster else "speed unchanged") + floor
