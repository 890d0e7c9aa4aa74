"""The headline of a green run: no more is promised than what was seen. Plain text. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.result import BuildResult, ScanResult, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import machine, scope, words
from rocm_ci.report.tally import Tally, cases

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Suite


def title(report: Report, found: Tally) -> tuple[str, str]:
    """The title, and what to do."""
    if report.plan.neutral_reason:
        return f"nothing to test — {report.plan.neutral_reason}", "Nothing to do."
    parts = [
        part for part in (_tests_part(report, found), _scan_part(report, found), _speed_part(found)) if part
    ]
    said = _readiness(report, found) + (f" — {', '.join(parts)}" if parts else "")
    advice = "Nothing to do." if report.verdict is Verdict.PASS else "Nothing must be done; advice is below."
    sick = list(
        dict.fromkeys(i.gpu or "the host" for s in found.suites for i in s.incidents if not i.is_note)
    )
    if sick:
        advice = (
            f"Nothing to fix in the change. For whoever runs this machine: look at {words.first(sick, 2)}."
        )
    if report.event.is_partial:
        advice = "The status stays as it was; `/rocm-ci run` runs everything."
    return said, advice


def _readiness(report: Report, found: Tally) -> str:
    """No more is promised than what was seen: only a whole run on a GPU says «ready»."""
    if report.event.is_partial:
        return f"nothing against it in {scope.asked_for(report.event)}"
    on_gpu = any(s.gpus and (s.verdict is Verdict.PASS or _repeated(s)) for s in found.suites)
    if machine.usable(report.facts) and (on_gpu or found.comparisons):
        return "ready for AMD GPUs"
    built = any(isinstance(r, BuildResult) and r.verdict.is_green for r in report.results)
    if built:
        return f"builds for {words.joined(found.archs) or 'AMD GPUs'}, not run on a GPU"
    return "nothing against it in what was checked"


def _repeated(suite: Suite) -> bool:
    """Whether a suite passed, if not at once."""
    return suite.verdict is Verdict.NEUTRAL and bool(cases([suite]).green)


def _tests_part(report: Report, found: Tally) -> str:
    seen = cases(found.suites)
    if not seen.green:
        return ""
    model = _models(report)
    on_gpu = any(s.gpus and s.cases for s in found.suites)
    return words.count(seen.green, "test") + (f" on {model}" if model and on_gpu else "")


def _models(report: Report) -> str:
    """The GPUs of the legs that ran tests on one."""
    tested = {r.leg for r in report.results if isinstance(r, TestResult) and any(s.gpus for s in r.suites)}
    facts = [leg.facts for leg in report.legs if leg.name in tested] or [report.facts]
    return words.first([name for name in dict.fromkeys(map(machine.short_name, facts)) if name], 4)


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
    accepted = f", {words.count(len(found.accepted), 'benchmark')} slower, accepted" if found.accepted else ""
    floor = f" (detects ≥ {words.percent(found.detects_pct)})" if found.detects_pct is not None else ""
    if faster:
        said = f"{words.count(len(faster), 'benchmark')} faster"
    else:
        said = "speed otherwise unchanged" if found.accepted else "speed unchanged"
    return said + floor + accepted
