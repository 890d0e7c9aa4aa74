"""The verdict in words and whose fault it is. Plain text of one line each; still to be made inert."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.result import Crashed, PerfResult, PreflightResult, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import faults, green, health, legs, old_failures, scope, words
from rocm_ci.report.tally import Tally, blamed, cases, of_status, tally
from rocm_ci.report.united import united

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from rocm_ci.model.plan import StageName
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import StageResult
    from rocm_ci.report.delta import Delta

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
    """`title` names the verdict and who is at fault, `summary` counts, `advice` says what to do.

    `past` is what the base and the earlier runs say about it, in sentences.
    """

    icon: str
    title: str
    summary: str = ""
    advice: str = ""
    past: str = ""

    @property
    def in_words(self) -> str:
        """All of it in one line, without the icon."""
        return self.title + (f". {self.summary}" if self.summary else "")


def headline(report: Report, things: int = 0, delta: Delta | None = None) -> Headline:
    """The headline of a report; `things` is how many things there are to fix."""
    head = _of_verdict(report, tally(report), things, delta)
    asked = scope.sentence(report.event)
    return replace(head, past=f"{asked} {head.past}".strip()) if asked else head


def _of_verdict(report: Report, found: Tally, things: int, delta: Delta | None) -> Headline:
    icon = ICONS[report.verdict]
    match report.verdict:
        case Verdict.FAIL:
            others = _not_its_doing(report, found, delta)
            return Headline(
                icon=icon,
                title=_fail_title(report, found, things, delta),
                summary=counts(report, found),
                advice=others or health.of(report),
                past="" if others else old_failures.sentence(found, delta),
            )
        case Verdict.ERROR:
            return _error(report, found)
        case Verdict.INCONCLUSIVE:
            return Headline(
                icon=icon,
                title=f"not decidable — {_undecided(report, found)}",
                summary=counts(report, found),
                advice=_while_undecided(report),
            )
        case _:
            title, advice = green.title(report, found)
            return Headline(icon=icon, title=title, advice=advice)


def counts(report: Report, found: Tally) -> str:
    """What was found, in counts: `1 failed test, 3 findings (2 with a ready fix), …`."""
    parts = []
    errors = sum(d.severity is Severity.ERROR for d in found.diagnostics)
    if errors:
        parts.append(words.count(errors, "build error"))
    if found.findings:
        fixable = sum(f.is_mechanical for f in found.findings)
        ready = f" ({fixable:,} with a ready fix)" if fixable else ""
        parts.append(words.count(len(found.findings), "finding") + ready)
    seen = cases(found.suites)
    held = blamed(found.suites)
    if held:
        parts.append(words.count(held, "failed test"))
    if seen.red > held:
        parts.append(words.count(seen.red - held, "undecided test"))
    if seen.flaky:
        parts.append(words.count(seen.flaky, "flaky test"))
    heavier = {(c.name, c.arch) for c in found.kernel_changes if c.is_regression}
    if heavier:
        parts.append(words.count(len(heavier), "kernel") + " with higher cost")
    parts += _speed_counts(found)
    if not report.interrupted:
        lost = legs.lost(report)
        told = {*lost, legs.GATE}
        broken = dict.fromkeys(stage_of(c).value for c in found.crashed if c.leg not in told)
        parts += [f"{stage} could not be finished" for stage in broken]
        parts += [f"no report of {words.first(lost, 3)}"] if lost else []
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
    if found.accepted:
        parts.append(f"{words.count(len(found.accepted), 'benchmark')} slower, accepted")
    return parts


def _fail_title(report: Report, found: Tally, things: int, delta: Delta | None) -> str:
    on_base = old_failures.count(found, delta)
    blamed = _blamed(report, found, on_base)
    if not blamed:
        base = (delta.base_ref if delta else "") or "the base"
        return f"{words.count(on_base, 'test')} failed, as on {base} — not this change's doing"
    title = f"this change {blamed}"
    machine_side = [r for r in report.results if r.verdict is Verdict.ERROR]
    if report.interrupted:
        return f"{title} — and the run was interrupted before it finished"
    if machine_side:
        return f"{title} — and {_also_failed(report, machine_side)}"
    broken = [suite.name for suite in found.suites if suite.verdict is Verdict.ERROR]
    if broken and not report.legs:
        return f"{title} — and the machine failed too, in suite {words.first(broken, 3)}"
    return f"{title} — {words.count(things, 'thing')} to fix" if things > 1 else title


def _blamed(report: Report, found: Tally, on_base: int) -> str:
    """What the change does wrong, stage by stage, and on which legs of a matrix."""
    stages: dict[StageName, list[StageResult]] = {}
    for result in report.results:
        if result.verdict is Verdict.FAIL:
            stages.setdefault(stage_of(result), []).append(result)
    faulted: list[tuple[str, str]] = []
    for stage, results in stages.items():
        together = united(results)[0] if report.legs else results[0]
        fault = faults.of(together, found, on_base)
        where = legs.on([r.leg for r in results if r.leg], legs.that_did(report, stage))
        if fault:
            faulted.append((fault, where))
    # What is in one place is told together, and the place once.
    placed: dict[str, list[str]] = {}
    for fault, where in faulted:
        placed.setdefault(where, []).append(fault)
    groups = [f"{words.joined(said)} {where}".strip() for where, said in placed.items()]
    if len(groups) > 1 and any(len(said) > 1 for said in placed.values()):
        return f"{', '.join(groups[:-1])}, and {groups[-1]}"
    return words.joined(groups)


def _also_failed(report: Report, results: Sequence[StageResult]) -> str:
    lost = legs.lost(report)
    told = {*lost, legs.GATE}
    broken = list(dict.fromkeys(r.leg for r in results if r.leg and r.leg not in told))
    parts = []
    if broken:
        parts.append(f"the machine failed too, on {words.first(broken, 3)}")
    elif not report.legs:
        stages = list(dict.fromkeys(stage_of(r).value for r in results))
        parts.append(f"the machine failed too, in {words.joined(stages)}")
    if lost:
        parts.append(f"there is no report of {words.first(lost, 3)}")
    missing = "nothing has run on a GPU yet" if legs.unapproved(report) else "the run is incomplete"
    return words.joined(parts) or missing


def _error(report: Report, found: Tally) -> Headline:
    icon = ICONS[Verdict.ERROR]
    summary = counts(report, found)
    if report.interrupted:
        title = f"interrupted before the end{_where_interrupted(report)}"
        advice = "Nothing is held against the change: run it again."
        return Headline(icon="⏹️", title=title, summary=summary, advice=advice)
    why = [r for r in report.results if r.verdict is Verdict.ERROR and faults.reason(r)]
    absent = {*legs.lost(report), legs.GATE}
    reasons = list(dict.fromkeys(_reason(r, absent) for r in why))
    idle = scope.why_nothing(report)
    if all(faults.reason(r) == idle for r in why) and (
        why or all(r.verdict is Verdict.SKIPPED for r in report.results)
    ):
        advice = "Look at `stages` in the configuration, and at the reasons below."
        return Headline(icon=icon, title=idle, advice="" if report.event.is_partial else advice)
    more = f" (and {len(reasons) - 1:,} more)" if report.legs and len(reasons) > 1 else ""
    own = next((r for r in why if faults.reason(r).startswith(OWN_FAULT)), None)
    if own is not None:
        title = f"{OWN_FAULT}, not this change — {faults.reason(own).removeprefix(OWN_FAULT + ': ')}"
        advice = "Please open an issue (github.com/org/rocm-ci/issues) with the traceback from the report."
        return Headline(icon=icon, title=title, summary=summary, advice=advice)
    unseen = legs.unapproved(report)
    if unseen:
        state = "not tested yet" if legs.is_waiting(report) else "nothing is proved yet"
        title = f"{state} — a maintainer has to look at it first"
        return Headline(icon="⏳", title=title, advice=words.sentence(legs.why_unapproved(unseen)))
    # What left no report is no fault of a machine that anybody looked at, and maybe one of the change.
    lost = bool(why) and all(r.leg == legs.GATE or legs.LEFT_NONE in faults.reason(r) for r in why)
    subject = "incomplete" if lost else "the machine failed, not this change"
    title = f"{subject} — {reasons[0] if reasons else 'no reason was given'}{more}"
    fixes = [c.fix for c in found.checks if c.status in (Verdict.ERROR, Verdict.FAIL) and c.fix]
    if lost:
        # The title has named it already.
        summary = "" if summary == f"no report of {words.first(legs.lost(report), 1)}" else summary
        advice = "Nothing is held against the change. Look at the jobs of the run, and run them again."
    elif fixes:
        advice = f"Nothing to fix in the change. For whoever runs this machine: {fixes[0]}"
    else:
        advice = "Repeat the run. If it happens again, it is the machine that needs a look."
    return Headline(icon=icon, title=title, summary=summary, advice=words.sentence(advice))


def _not_its_doing(report: Report, found: Tally, delta: Delta | None) -> str:
    """What to do where all that is red was red before."""
    if _blamed(report, found, old_failures.count(found, delta)):
        return ""
    base = (delta.base_ref if delta else "") or "the base"
    return f"Nothing to fix here: {base} has to be repaired, then this can run again."


def _reason(result: StageResult, absent: Set[str]) -> str:
    said = faults.reason(result)
    # Whoever stands for a lost leg names it in the reason, or speaks of the whole run.
    return f"{result.leg}: {said}" if result.leg and result.leg not in absent else said


def _where_interrupted(report: Report) -> str:
    stopped = [r.leg for r in report.results if isinstance(r, Crashed) and r.reason.startswith("interrupted")]
    if report.legs:
        return f" — on {words.first(list(dict.fromkeys(stopped)), 3)}" if any(stopped) else ""
    finished = [
        stage_of(r).value
        for r in report.results
        if r.verdict not in (Verdict.ERROR, Verdict.SKIPPED) and not isinstance(r, PreflightResult)
    ]
    return f" — finished: {words.joined(finished)}" if finished else " — no stage had finished"


def _while_undecided(report: Report) -> str:
    """What to do, and why it may block all the same."""
    said = "This is no finding against the change. A repeated run may decide it."
    blocks = any(s.name == "inconclusive" and s.value == "fail" for s in report.settings)
    return f"{said} Until then it blocks: the configuration says `inconclusive: fail`." if blocks else said


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
