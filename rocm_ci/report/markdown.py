"""Report → the Markdown comment. Pure; within a budget; nothing in it acts but what we put there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.model.result import ScanResult
from rocm_ci.report import history, inert, leg_details, legs, old_failures, words
from rocm_ci.report.details import details, machine_part, table
from rocm_ci.report.fixes import Lists
from rocm_ci.report.headline import Headline, headline
from rocm_ci.report.links import Links
from rocm_ci.report.past import Past, blocks
from rocm_ci.report.problems import advice, problems
from rocm_ci.report.room import STEPS, Room
from rocm_ci.report.table_rows import rows
from rocm_ci.report.tally import Tally, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.model.finding import Finding
    from rocm_ci.model.past import Point
    from rocm_ci.model.report import Report
    from rocm_ci.report.problem import Problem
    from rocm_ci.report.stage_rows import Row

BUDGET = 60_000  # bytes; GitHub takes 65,536 characters, and the marker needs room
TABLE_ROWS = 16


@dataclass(frozen=True, kw_only=True)
class _Page:
    """What all attempts to fit a comment have in common. `common` is what no leg tells for itself."""

    report: Report
    links: Links
    past: Past
    now: Point
    common: Report
    found: Tally
    advice: tuple[Problem, ...]
    lists: Lists
    legs: tuple[leg_details.Part, ...]
    headline: Headline
    rows: tuple[Row, ...]


def render_comment(
    report: Report, *, links: Links | None = None, budget: int = BUDGET, past: Past | None = None
) -> str:
    """The comment, without a marker, in at most `budget` bytes of UTF-8.

    What does not fit is dropped in the order of `room.STEPS`, and the comment says what was. `past` adds
    what is known of the base and of earlier runs.
    """
    page = _page(report, links or Links(), past or Past())
    dropped: list[str] = []
    before = -1
    for name, room in STEPS:
        text = _render(page, room, dropped)
        if 0 <= len(text) < before and name:
            dropped.append(name)
            text = _render(page, room, dropped)
        if len(text.encode()) <= budget:
            return text
        before = len(text)
    return _shortest(page)


def _page(report: Report, links: Links, past: Past) -> _Page:
    listed = problems(report, past.delta)
    common = _common(report)
    base = (past.delta.base_ref if past.delta else "") or report.event.base_ref or ""
    things = sum(p.kind != "machine" and not p.on_base for p in listed)
    return _Page(
        report=report,
        links=links,
        past=past,
        now=history.point(report, history=past.history),
        common=common,
        found=tally(common),
        advice=advice(common),
        lists=Lists(report=report, links=links, problems=listed, base=base),
        legs=leg_details.parts(report),
        headline=headline(report, things, past.delta),
        rows=rows(report, past.delta),
    )


def _common(report: Report) -> Report:
    """What is told once for all legs: the findings, which are of no machine. All of it without legs."""
    if not report.legs:
        return report
    scans = tuple(
        msgspec.structs.replace(result, leg="", findings=findings)
        for result, findings in _findings_once(report)
    )
    return msgspec.structs.replace(report, results=scans, legs=())


def _findings_once(report: Report) -> Iterator[tuple[ScanResult, tuple[Finding, ...]]]:
    seen: set[Finding] = set()
    for result in report.results:
        if isinstance(result, ScanResult):
            fresh = tuple(f for f in result.findings if f not in seen)
            seen.update(fresh)
            yield result, fresh


def _render(page: _Page, room: Room, dropped: Sequence[str]) -> str:
    parts = [
        _title(page, room.text),
        _summary(page, room),
        _table(page, room),
        *_notices(page, room),
        page.lists.render(room),
        *(details(page.common, page.found, page.advice, room) if room.details else ()),
        *blocks(page.past, page.now, room if room.trend else replace(room, listed=0), page.links),
        *_machines(page, room),
        _dropped(page, dropped),
        _footer(page),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _machines(page: _Page, room: Room) -> list[str]:
    return leg_details.leg_folds(page.legs, room) if page.legs else [machine_part(page.report, room)]


def _shortest(page: _Page) -> str:
    """What is never dropped, when even the table is too long for a very small budget."""
    room = Room(text=60, details=False)
    return "\n\n".join((_title(page, 60), *_machines(page, room))) + "\n"


def _title(page: _Page, limit: int) -> str:
    head = page.headline
    return f"## {head.icon} ROCm CI: {inert.prose(head.title, limit=min(limit, 220))}"


def _summary(page: _Page, room: Room) -> str:
    head = page.headline
    summary = head.summary[:1].upper() + head.summary[1:]
    counted = f"**{inert.text(summary, limit=room.text)}.**" if summary else ""
    known = head.past or old_failures.unknown(page.report, page.past.lack)
    sentences = (head.advice, known, history.sentence(page.past.history, page.now))
    said = (inert.prose(sentence, limit=room.text) for sentence in sentences if sentence)
    return " ".join(part for part in (counted, *said) if part)


def _table(page: _Page, room: Room) -> str:
    event = page.report.event
    shown = _worst(page.rows, TABLE_ROWS)
    body = [
        (
            inert.prose(row.stage, limit=min(room.text, 80), cell=True),
            inert.text(row.on, limit=80),
            f"{row.icon} {inert.prose(row.result, limit=min(room.text, 160), cell=True)}",
            _unbroken(inert.text(row.against, limit=60)),
            _unbroken(words.duration(row.duration_s)),
        )
        for row in shown
    ]
    if len(page.rows) > len(shown):
        body.append(("…", "", f"{len(page.rows) - len(shown):,} more", "", ""))
    base = f"against {inert.tag(event.base_ref, limit=60)}" if event.base_ref else "against the base"
    if event.merge_base is None:
        base = "no base"
    if not page.report.legs:
        return table(("stage", "result", base, "time"), [(row[0], *row[2:]) for row in body])
    return table(("stage", "on", "result", base, "time"), body)


def _worst(listed: Sequence[Row], number: int) -> list[Row]:
    """Of too many rows those that went wrong, in their order."""
    if len(listed) <= number:
        return list(listed)
    order = sorted(range(len(listed)), key=lambda at: (listed[at].verdict, -at), reverse=True)
    return [listed[at] for at in sorted(order[:number])]


def _unbroken(shown: str) -> str:
    """A number stays with its unit in a narrow column."""
    return shown.replace(" ", "&nbsp;")


def _notices(page: _Page, room: Room) -> list[str]:
    notices = page.report.notices
    lines = [f"> {inert.prose(notice, limit=room.text)}" for notice in notices[:5]]
    if len(notices) > 5:
        lines.append(f"> … and {len(notices) - 5:,} more notices, in the report.")
    return ["\n>\n".join(lines)] if lines else []


def _dropped(page: _Page, dropped: Sequence[str]) -> str:
    if not dropped:
        return ""
    whole = f"[the whole report]({page.links.artifact})" if page.links.artifact else "`report.json`"
    return f"<sub>Left out to fit: {words.joined(dropped)}. Everything is in {whole}.</sub>"


def _footer(page: _Page) -> str:
    event = page.report.event
    commit = _commit(event.head, page)
    if event.merge_base:
        commit += f" against merge base {_commit(event.merge_base, page)}"
    parts = [f"commit {commit}"]
    if event.run_id is not None:
        run = f"run {event.run_id}" + (f", attempt {event.run_attempt}" if event.run_attempt else "")
        parts.append(f"[{run}]({page.links.run})" if page.links.run else run)
    elif page.links.run:
        parts.append(f"[run]({page.links.run})")
    took = words.duration(page.report.duration_s)
    parts.append(f"{inert.text(words.clock(page.report.started), limit=40)}, took {took}")
    parts += [inert.code(command, limit=120) for command in _commands(page)]
    return f"<sub>{' · '.join(parts)}</sub>"


def _commands(page: _Page) -> tuple[str, ...]:
    """What a reader can do next."""
    base = f" --base {page.report.event.base_ref}" if page.report.event.base_ref else ""
    repair = any(f.is_mechanical for f in page.found.findings)
    mine = (f"rocm-ci scan --fix{base}",) if repair else ()
    if page.links.commands:
        failed = not (page.report.verdict.is_green or legs.unapproved(page.report))
        return (*mine, *(c for c in page.links.commands if failed or "rerun-failed" not in c))
    return (*mine, f"rocm-ci run --local{base}")


def _commit(sha: str, page: _Page) -> str:
    target = page.links.commit(sha)
    short = inert.code(sha[:7])
    return f"[{short}]({target})" if target else short
