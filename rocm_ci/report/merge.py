"""The reports of a matrix → one report. Each part is called a leg: a scan, a build, one GPU. Pure.

The parts come from the plane that runs strangers' code, and were decoded one by one. What they say about
each other is believed as little: parts about different commits are no matrix, and a leg that left no
report, or did nothing, is an ERROR that says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci import __version__
from rocm_ci.errors import ReportError
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.report import Leg, Report, verdict_of
from rocm_ci.model.result import Crashed, ScanResult, Skipped, StageResult, stage_of
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.report import machine, scope
from rocm_ci.report.legs import LEFT_NONE, MAX_LEGS, NAME, is_stand_in, verdicts
from rocm_ci.report.merge_remarks import notices, settings, span
from rocm_ci.report.parts import asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocm_ci.model.event import Event

_ELSEWHERE = "not in `stages`"
_NATURAL = re.compile(r"([0-9]+)")
_ORDER = {stage: at for at, stage in enumerate(StageName)}


def merged(parts: Sequence[tuple[str, Report]]) -> Report:
    """One report out of those of the legs, by name. One part alone stays as it is, without legs.

    What one leg left to another leg vanishes, a scan that several made alike is told once, and everything
    else names its leg. Raises `ReportError` when the parts are not about one commit of one pull request,
    when two share a name or a name is none, and when a part is itself merged.
    """
    _refuse_odd_names([name for name, _ in parts])
    if len(parts) == 1:
        return parts[0][1]
    _refuse_strangers(parts)
    # Those without a GPU come first: a scan and a build are what the others stand on.
    ordered = sorted(
        parts, key=lambda p: (is_stand_in(p[1]), bool(machine.usable(p[1].facts)), _natural(p[0]))
    )
    there = [(name, report) for name, report in ordered if not is_stand_in(report)]
    plan = _plan([report for _, report in ordered])
    results = tuple(_results(ordered))
    own = verdicts(results)
    started, duration_s = span([report for _, report in ordered])
    is_interrupted = any(report.interrupted for _, report in parts)
    return Report(
        tool=next((report.tool for _, report in there), ordered[0][1].tool),
        event=_asked(ordered, there),
        plan=plan,
        facts=_facts([report for _, report in there]),
        results=results,
        verdict=verdict_of(results, plan, interrupted=is_interrupted),
        started=started,
        duration_s=duration_s,
        interrupted=is_interrupted,
        settings=settings(there),
        notices=notices(there),
        legs=tuple(_leg(name, report, own.get(name, Verdict.SKIPPED)) for name, report in ordered),
    )


def missing(name: str, reason: str, event: Event, *, started: str = "") -> Report:
    """What stands for a leg that left no report: an ERROR. `reason` follows «left no report: »."""
    said = f"leg {name} {LEFT_NONE}" + (f": {reason}" if reason else "")
    lost = Crashed(stage=StageName.PREFLIGHT, reason=said)
    return Report(
        tool=f"rocm-ci {__version__}",
        event=event,
        plan=Plan(steps=(Step(stage=StageName.PREFLIGHT, run=True, reason="asked for"),)),
        facts=Facts(),
        results=(lost,),
        verdict=Verdict.ERROR,
        started=started,
        duration_s=0.0,
    )


def graded(report: Report) -> Report:
    """The report with its verdict, and those of its legs, computed anew from its results."""
    own = verdicts(report.results)
    legs = tuple(replace(leg, verdict=own.get(leg.name, Verdict.SKIPPED)) for leg in report.legs)
    verdict = verdict_of(report.results, report.plan, interrupted=report.interrupted)
    return replace(report, legs=legs, verdict=verdict)


def _refuse_odd_names(names: Sequence[str]) -> None:
    if not names:
        message = "there is no report to merge"
        raise ReportError(message, hint="look at the jobs that should have written one")
    if len(names) > MAX_LEGS:
        message = f"{len(names)} reports are more than a matrix can have ({MAX_LEGS})"
        raise ReportError(message, hint="name the folder of one run's artifacts")
    for name in names:
        if not NAME.match(name):
            message = f"{name[:60]!r} is no name of a leg"
            raise ReportError(message, hint="use up to 40 letters, digits, dots, dashes and underscores")
    doubled = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if doubled is not None:
        message = f"two reports are called {doubled!r}"
        raise ReportError(message, hint="give each job of the matrix a name of its own")


def _refuse_strangers(parts: Sequence[tuple[str, Report]]) -> None:
    first_name, first = parts[0]
    for name, report in parts:
        if report.legs:
            message = f"the report of leg {name} is itself merged from several"
            raise ReportError(message, hint="merge the reports that `rocm-ci run` wrote")
        this, that = report.event, first.event
        for what, one, other in (
            ("commit", this.head[:12], that.head[:12]),
            ("repository", (this.repository or "").casefold(), (that.repository or "").casefold()),
            ("pull request", this.number, that.number),
        ):
            if one != other:
                message = f"leg {name} is about {what} {one or '?'}, leg {first_name} about {other or '?'}"
                raise ReportError(message, hint="merge reports of one run only")


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """`gpu2` before `gpu10`."""
    return tuple((int(p), "") if p.isdigit() else (-1, p.lower()) for p in _NATURAL.split(name))


def _asked(ordered: Sequence[tuple[str, Report]], there: Sequence[tuple[str, Report]]) -> Event:
    event = _event([report.event for _, report in ordered])
    return asked(event, [report for _, report in there or ordered])


def _event(events: Sequence[Event]) -> Event:
    """The fullest one: whoever stands for a lost leg knows of no merge base."""
    event = next((e for e in events if e.merge_base), events[0])
    attempts = [e.run_attempt for e in events if e.run_id == event.run_id and e.run_attempt]
    return replace(event, run_attempt=max(attempts)) if attempts else event


def _facts(reports: Sequence[Report]) -> Facts:
    there = [report.facts for report in reports]
    return next((facts for facts in there if machine.usable(facts)), there[0] if there else Facts())


def _plan(reports: Sequence[Report]) -> Plan:
    """What any of the legs was to do. There is nothing to do only when all of them say so."""
    steps: dict[StageName, Step] = {}
    for step in (step for report in reports for step in report.plan.steps):
        known = steps.get(step.stage)
        if known is None or (step.run and not known.run):
            steps[step.stage] = step
    reasons = [r.plan.neutral_reason for r in reports]
    is_neutral = all(reasons) and not any(step.run for step in steps.values())
    ordered = tuple(steps[stage] for stage in StageName if stage in steps)
    return Plan(steps=ordered, neutral_reason=reasons[0] if is_neutral else None)


def _results(parts: Sequence[tuple[str, Report]]) -> Iterator[StageResult]:
    """In the order of the stages, then of the legs."""
    reports = [report for _, report in parts]
    done = {stage_of(r) for report in reports for r in report.results if not isinstance(r, Skipped)}
    done |= {step.stage for report in reports for step in report.plan.steps if step.run}
    idle = _why_idle(reports)
    every: list[tuple[StageName, StageResult]] = []
    for name, report in parts:
        planned = {step.stage for step in report.plan.steps if step.run}
        for result in (*report.results, *_unsaid(report)):
            stage = stage_of(result)
            if not isinstance(result, Skipped) or stage in planned:
                every.append((stage, replace(result, leg=name)))
            elif stage not in done:
                # Nobody was to do it, which is no matter of one leg.
                every.append((stage, replace(result, reason=idle[stage])))
    every.sort(key=lambda entry: _ORDER[entry[0]])
    return _once(result for _, result in every)


def _why_idle(reports: Sequence[Report]) -> dict[StageName, str]:
    """Why no leg was to do a stage: that it is another leg's job is the least that can be said."""
    reasons: dict[StageName, list[str]] = {}
    for report in reports:
        for result in report.results:
            if isinstance(result, Skipped):
                reasons.setdefault(result.stage, []).append(result.reason)
    return {stage: min(said, key=lambda r: r.startswith(_ELSEWHERE)) for stage, said in reasons.items()}


def _unsaid(report: Report) -> Iterator[Crashed]:
    """What makes a leg red without any of its stages being it."""
    said = worst(result.verdict for result in report.results)
    if report.interrupted and said < Verdict.ERROR:
        yield Crashed(stage=StageName.PREFLIGHT, reason="interrupted before the end")
    elif said is Verdict.SKIPPED and not report.plan.neutral_reason:
        yield Crashed(stage=StageName.PREFLIGHT, reason=scope.why_nothing(report))


def _once(results: Iterable[StageResult]) -> Iterator[StageResult]:
    """Scans that found the same are one, and so are skips that no leg is behind."""
    seen: dict[StageResult, int] = {}
    kept: list[StageResult] = []
    for result in results:
        if not isinstance(result, ScanResult) and (result.leg or not isinstance(result, Skipped)):
            kept.append(result)
            continue
        key = replace(result, leg="", duration_s=0.0)
        if key in seen:
            kept[seen[key]] = replace(kept[seen[key]], leg="")
        else:
            seen[key] = len(kept)
            kept.append(result)
    return iter(kept)


def _leg(name: str, report: Report, verdict: Verdict) -> Leg:
    return Leg(
        name=name,
        facts=report.facts,
        verdict=verdict,
        started=report.started,
        duration_s=report.duration_s,
        run_id=report.event.run_id,
        run_attempt=report.event.run_attempt,
    )
