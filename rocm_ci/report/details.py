"""The folded parts of the comment: everything that a reader need not see to know what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.result import BuildStep, Crashed
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import causes, incidents, inert, machine, words
from rocm_ci.report.problem import Problem
from rocm_ci.report.problems import METRICS, speed
from rocm_ci.report.stage_rows import short_kernel
from rocm_ci.report.tally import RED, Tally, label, of_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.model.case import Case
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.perf import Comparison
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Bench, Suite
    from rocm_ci.report.room import Room


def fold(summary: str, *bodies: str) -> str:
    """A foldable part. `summary` is inert already; GitHub wants the empty lines around the body."""
    body = "\n\n".join(body for body in bodies if body)
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A Markdown table of inert cells."""
    rows = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def more(total: int, shown: int) -> str:
    """A line that says how many were left out; empty when none was."""
    return f"\n\n… and {total - shown:,} more, in the report." if total > shown else ""


def details(report: Report, found: Tally, advice: Sequence[Problem], room: Room) -> list[str]:
    """All folded parts that have something to say, but for the machine's. Few and telling."""
    parts = (
        _performance(found, room),
        _kernels(found, room),
        _failures(report, found, room),
        _machine(found, room),
        _joined(causes.also(found, room)),
        _joined(_findings(found, room), _warnings(advice, room)),
        _joined(
            _case_list("flaky tests", CaseStatus.FLAKY, found, room),
            _case_list("skipped tests", CaseStatus.SKIPPED, found, room),
            _settings(report),
        ),
    )
    return [part for part in parts if part]


def _joined(*lists: tuple[str, int, str] | None) -> str:
    """Several lists (title, length, body) behind one fold; the summary counts each."""
    there = [entry for entry in lists if entry]
    if not there:
        return ""
    summary = " · ".join(f"{title} ({length:,})" for title, length, _ in there)
    bodies = (
        body if len(there) == 1 else f"**{title[0].upper()}{title[1:]}**\n\n{body}"
        for title, _, body in there
    )
    return fold(summary[0].upper() + summary[1:], *bodies)


def machine_part(report: Report, room: Room) -> str:
    """The machine: its line always, the table behind it while there is room."""
    summary = f"Machine: {inert.text(machine.line(report.facts), limit=room.text)}"
    return fold(summary, machine_body(report.facts)) if room.details else f"<sub>{summary}</sub>"


def machine_body(facts: Facts) -> str:
    """Everything known of a machine, and what is not certain."""
    rows = [(inert.text(name), inert.text(value)) for name, value in machine.table(facts)[:40]]
    body = table(("what", "seen"), rows)
    doubts = machine.doubts(facts)
    if doubts:
        shown = doubts[:20]
        listed = "; ".join(f"{inert.tag(name)} ({inert.text(why, limit=160)})" for name, why in shown)
        body += f"\n\nNot certain: {listed}" + (f" and {len(doubts) - 20:,} more" if len(doubts) > 20 else "")
    return body


def _performance(found: Tally, room: Room) -> str:
    """The changed rows first; the others below them, while there is room."""
    changed, every = found.changed, found.comparisons
    told = [b for b in found.benches if b.reason]
    if not (every or told) or not (changed or told or room.benchmarks):
        return ""
    if not every:
        summary = f"Performance: {words.count(len(told), 'benchmark')} not compared"
    elif changed:
        summary = f"Performance: {inert.tag(changed[0].name, limit=80)} {inert.text(speed(changed[0]))}"
        if len(changed) > 1:
            summary += f" and {words.count(len(changed) - 1, 'more benchmark')}"
    else:
        summary = f"Performance: {words.count(len(every), 'benchmark')}, none changed"
    shown = changed[:20]
    others = [c for c in every if c.verdict is PerfVerdict.UNCHANGED]
    bodies = [
        _comparison_table(shown) + more(len(changed), len(shown)) if shown else "",
        _remarks(told),
        _method(shown, found),
    ]
    if others and room.benchmarks:
        listed = others[: room.benchmarks]
        bodies.append(_comparison_table(listed) + more(len(others), len(listed)))
    return fold(summary, *bodies)


def _remarks(benches: Sequence[Bench]) -> str:
    """What is to be said of whole benchmarks: that one could not be measured, or not all of it."""
    lines = [f"- {inert.tag(b.name, limit=80)}: {inert.text(b.reason, limit=300)}" for b in benches[:10]]
    return "\n".join(lines) + more(len(benches), len(lines)) if lines else ""


def _method(shown: Sequence[Comparison], found: Tally) -> str:
    """How it was measured, and how small a change it could have seen."""
    said = [words.sentence(inert.prose(r, limit=200)) for r in dict.fromkeys(c.reason for c in shown) if r][
        :3
    ]
    rounds = {c.rounds for c in found.comparisons if c.rounds}
    if rounds:
        low, high = min(rounds), max(rounds)
        said.append(f"Measured in {low if low == high else f'{low} to {high}'} rounds in turn with the base.")
    if found.detects_pct is not None:
        said.append(f"This run can show changes from {words.percent(found.detects_pct)} on.")
    return " ".join(said)


def _comparison_table(comparisons: Iterable[Comparison]) -> str:
    head = ("benchmark", "base", "head", "Δ", "interval", "p", "verdict")
    return table(head, (_comparison_row(c) for c in comparisons))


def _comparison_row(c: Comparison) -> tuple[str, ...]:
    unit = f" {inert.text(c.unit, limit=12)}" if c.unit else ""
    interval = ""
    if c.interval_pct and c.interval_pct[0] != c.interval_pct[1]:
        interval = f"{words.signed_percent(c.interval_pct[0])} … {words.signed_percent(c.interval_pct[1])}"
    base, head = words.pair(c.base_median, c.head_median)
    return (
        inert.tag(c.name, limit=80),
        base + unit if base else "",
        head + unit if head else "",
        "" if c.effect_pct is None else words.signed_percent(c.effect_pct),
        interval,
        # It is the chance of «worse» by accident, which says nothing of what is better.
        "" if c.p is None or c.verdict is PerfVerdict.IMPROVED else words.number(c.p),
        f"{c.verdict.value}, accepted" if c.accepted else c.verdict.value,
    )


def _kernels(found: Tally, room: Room) -> str:
    changes = sorted(found.kernel_changes, key=lambda c: not c.is_regression)
    if not changes:
        return ""
    shown = changes[: room.kernels]
    rows = (
        (
            inert.tag(short_kernel(c.name), limit=80),
            inert.text(c.arch, limit=40),
            inert.text(METRICS.get(c.metric, c.metric), limit=40),
            f"{c.base:,}",
            f"{c.head:,}",
            "worse" if c.is_regression else "",
        )
        for c in shown
    )
    body = table(("kernel", "arch", "what", "base", "head", ""), rows) + more(len(changes), len(shown))
    return fold(f"Kernels: {words.count(len(changes), 'change')}", body)


def _failures(report: Report, found: Tally, room: Room) -> str:
    """Failed tests with their words, the commands that failed and where their logs lie, tracebacks."""
    red = [case for suite in found.suites for case in suite.cases if case.status in RED]
    shown = red[: room.failed]
    tests = "\n".join(_failed_case(case, room) for case in shown) + more(len(red), len(shown))
    parts: list[BuildStep | Suite] = [*found.steps, *found.suites]
    bad = [part for part in parts if part.verdict in (Verdict.FAIL, Verdict.ERROR)]
    logs = "\n".join(_log(part, room) for part in bad[:10]) + more(len(bad), min(len(bad), 10))
    traces = [r.traceback for r in report.results if isinstance(r, Crashed) and r.traceback]
    trace = inert.fence(inert.tail(traces[0], lines=40)) if traces and room.log_tails else ""
    counted = [
        words.count(len(red), "test") if red else "",
        words.count(len(bad), "command") if bad else "",
        "traceback" if trace else "",
    ]
    title = ", ".join(part for part in counted if part)
    return fold(f"Failures in full: {title}", tests, logs, trace) if title else ""


def _machine(found: Tally, room: Room) -> str:
    title, body = incidents.body(found.suites, room)
    return fold(title, body) if title else ""


def _failed_case(case: Case, room: Room) -> str:
    said = f"- {inert.code(label(case))}"
    if case.message:
        said += f" — {inert.text(case.message, limit=room.text)}"
    if case.excerpt and room.log_tails:
        said += f"\n\n{inert.fence(inert.tail(case.excerpt, lines=25, limit=2000), indent=2)}\n"
    return said


def _is_told(part: BuildStep | Suite) -> bool:
    """Whether the words of its tests, just above, are all there is to see in its log."""
    red = [] if isinstance(part, BuildStep) else [case for case in part.cases if case.status in RED]
    return bool(red) and all(case.excerpt for case in red)


def _log(part: BuildStep | Suite, room: Room) -> str:
    said = f"- {inert.code(part.name)}: {inert.code(part.command, limit=400)}"
    if part.log:
        said += f", whole log in {inert.code(part.log)}"
    if part.excerpt and room.log_tails and not _is_told(part):
        said += f"\n\n{inert.fence(inert.tail(part.excerpt, lines=30, limit=3000), indent=2)}\n"
    return said


def _findings(found: Tally, room: Room) -> tuple[str, int, str] | None:
    if not found.findings:
        return None
    ordered = sorted(found.findings, key=lambda f: f.severity, reverse=True)
    shown = ordered[: room.findings]
    rows = (
        (
            f.severity.value,
            inert.tag(f"{f.path}:{f.line}", limit=120),
            inert.prose(f.message, limit=room.text, cell=True),
            inert.tag(f.rule, limit=60),
        )
        for f in shown
    )
    body = table(("", "place", "finding", "rule"), rows) + more(len(ordered), len(shown))
    return "all findings", len(ordered), body


def _warnings(advice: Sequence[Problem], room: Room) -> tuple[str, int, str] | None:
    warnings = [p for p in advice if p.kind == "build" and p.severity is Severity.WARNING]
    shown = warnings[: room.warnings]
    if not shown:
        return None
    rows = ((inert.tag(p.place or "", limit=120), inert.text(p.message, limit=room.text)) for p in shown)
    body = table(("place", "warning"), rows) + more(len(warnings), len(shown))
    return "build warnings", len(warnings), body


def _case_list(title: str, status: CaseStatus, found: Tally, room: Room) -> tuple[str, int, str] | None:
    cases = of_status(found.suites, status)
    shown = cases[: room.listed]
    if not shown:
        return None
    said = (
        f"- {inert.code(label(case))}" + (f" — {inert.text(case.message, limit=120)}" if case.message else "")
        for case in shown
    )
    return title, len(cases), "\n".join(said) + more(len(cases), len(shown))


def _settings(report: Report) -> tuple[str, int, str] | None:
    settings = report.settings
    if not settings:
        return None
    shown = settings[:40]
    rows = (
        (inert.tag(s.name, limit=60), inert.tag(s.value, limit=160), inert.text(s.source, limit=80))
        for s in shown
    )
    body = table(("setting", "value", "from"), rows) + more(len(settings), len(shown))
    return "settings that differ from the defaults", len(settings), body
