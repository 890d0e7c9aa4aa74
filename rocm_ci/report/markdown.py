"""Report → the Markdown comment. Pure; within a budget; nothing in it acts but what we put there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.report import inert, words
from rocm_ci.report.details import details, machine_part, table
from rocm_ci.report.headline import Headline, headline
from rocm_ci.report.links import Links, published
from rocm_ci.report.problem import Problem
from rocm_ci.report.problems import advice, problems
from rocm_ci.report.room import STEPS, Room
from rocm_ci.report.stage_rows import Row, rows
from rocm_ci.report.tally import Tally, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.report import Report

BUDGET = 60_000  # bytes; GitHub takes 65,536 characters, and the marker needs room
TABLE_ROWS = 16


@dataclass(frozen=True, kw_only=True)
class _Page:
    """What all attempts to fit a comment have in common."""

    report: Report
    links: Links
    found: Tally
    problems: tuple[Problem, ...]
    advice: tuple[Problem, ...]
    headline: Headline
    rows: tuple[Row, ...]


def render_comment(report: Report, *, links: Links | None = None, budget: int = BUDGET) -> str:
    """The comment, without a marker, in at most `budget` bytes of UTF-8.

    What does not fit is dropped in the order of `room.STEPS`, and the comment says what was.
    """
    listed = problems(report)
    things = sum(p.kind != "machine" for p in listed)
    page = _Page(
        report=report,
        links=links or Links(),
        found=tally(report),
        problems=listed,
        advice=advice(report),
        headline=headline(report, things),
        rows=rows(report),
    )
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


def _render(page: _Page, room: Room, dropped: Sequence[str]) -> str:
    blocks = [
        _title(page, room.text),
        _summary(page, room),
        _table(page, room),
        *_notices(page, room),
        _fixes(page, room),
        *(details(page.report, page.found, page.advice, room) if room.details else ()),
        machine_part(page.report, room),
        _dropped(page, dropped),
        _footer(page),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _shortest(page: _Page) -> str:
    """What is never dropped, when even the table is too long for a very small budget."""
    room = Room(text=60, details=False)
    return f"{_title(page, 60)}\n\n{machine_part(page.report, room)}\n"


def _title(page: _Page, limit: int) -> str:
    head = page.headline
    return f"## {head.icon} ROCm CI: {inert.prose(head.title, limit=min(limit, 220))}"


def _summary(page: _Page, room: Room) -> str:
    head = page.headline
    counted = f"**{inert.text(head.summary, limit=room.text)}.**" if head.summary else ""
    return " ".join(part for part in (counted, inert.prose(head.advice, limit=room.text)) if part)


def _table(page: _Page, room: Room) -> str:
    event = page.report.event
    shown = page.rows[:TABLE_ROWS]
    body = [
        (
            inert.prose(row.stage, limit=min(room.text, 80), cell=True),
            f"{row.icon} {inert.prose(row.result, limit=min(room.text, 160), cell=True)}",
            _unbroken(inert.text(row.against, limit=60)),
            _unbroken(words.duration(row.duration_s)),
        )
        for row in shown
    ]
    if len(page.rows) > len(shown):
        body.append(("…", f"{len(page.rows) - len(shown):,} more", "", ""))
    base = f"against {inert.tag(event.base_ref, limit=60)}" if event.base_ref else "against the base"
    if event.merge_base is None:
        base = "no base"
    return table(("stage", "result", base, "time"), body)


def _unbroken(shown: str) -> str:
    """A number stays with its unit in a narrow column."""
    return shown.replace(" ", "&nbsp;")


def _notices(page: _Page, room: Room) -> list[str]:
    notices = page.report.notices
    lines = [f"> {inert.prose(notice, limit=room.text)}" for notice in notices[:5]]
    if len(notices) > 5:
        lines.append(f"> … and {len(notices) - 5:,} more notices, in the report.")
    return ["\n>\n".join(lines)] if lines else []


def _fixes(page: _Page, room: Room) -> str:
    change = [p for p in page.problems if p.kind != "machine"]
    machine = [p for p in page.problems if p.kind == "machine"]
    return "\n\n".join(
        part
        for part in (
            _numbered("Fix first", change, page, room),
            _numbered("What went wrong on the machine", machine, page, room),
        )
        if part
    )


def _numbered(title: str, listed: Sequence[Problem], page: _Page, room: Room) -> str:
    if not listed:
        return ""
    shown = listed[: room.fixes]
    items = [f"{number}. {_item(p, page, room)}" for number, p in enumerate(shown, 1)]
    rest = f"\n\n… and {len(listed) - len(shown):,} more{' below' if room.details else ''}."
    return f"**{title}**\n\n" + "\n".join(items) + (rest if len(listed) > len(shown) else "")


def _item(p: Problem, page: _Page, room: Room) -> str:
    """One thing to fix, as a list item whose further lines are indented to belong to it."""
    said = f"{_subject(p, page)} — {inert.prose(p.message, limit=room.text)}"
    if p.also:
        others = words.first([inert.code(name, limit=100) for name in p.also], 3)
        said += f" (and so {'does' if len(p.also) == 1 else 'do'} {others})"
    lines = [said]
    if p.advice:
        lines[0] = _stopped(said) + " " + words.sentence(inert.prose(p.advice, limit=room.text))
    if p.replacement:
        lines[0] = _stopped(lines[0]) + f" Ready fix: {inert.code(p.replacement, limit=160)}."
    if p.rule:
        page_of_rule = published(p.docs)
        name = inert.tag(p.rule, limit=60)
        lines[0] += f" <sub>{f'[{name}]({page_of_rule})' if page_of_rule else name}</sub>"
    if p.cause:
        lines.append(_cause(p, room))
    if p.command and p.kind == "test":
        lines.append(f"Run it: {inert.code(p.command, limit=600)}")
    return "<br>\n   ".join(lines)


def _subject(p: Problem, page: _Page) -> str:
    place = p.place
    if p.subject or not place:
        shown = inert.code(p.subject or p.kind)
        # The name of a test says little about where it is.
        return (
            shown if not place or (p.path and p.path in (p.subject or "")) else f"{shown} in {_at(p, page)}"
        )
    return _at(p, page)


def _at(p: Problem, page: _Page) -> str:
    shown = inert.code(p.place or "", limit=160)
    target = page.links.place(page.report.event.head, p.path or "", p.line) if p.path else None
    return f"[{shown}]({target})" if target else shown


def _stopped(said: str) -> str:
    return said if said[-1] in ".!?…" else said + "."


def _cause(p: Problem, room: Room) -> str:
    cause = p.cause
    if cause is None:
        return ""
    said = (
        f"Likely cause: {inert.prose(cause.title, limit=160)} — {inert.prose(cause.cause, limit=room.text)}"
    )
    if cause.fixes:
        said = _stopped(said) + f" Try: {inert.prose(cause.fixes[0], limit=room.text)}"
    where = next((url for url in map(published, cause.references) if url), None)
    return _stopped(said) + (f" <sub>[why]({where})</sub>" if where else "")


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
    if page.links.commands:
        return page.links.commands
    base = page.report.event.base_ref
    return (f"rocm-ci run --local --base {base}",) if base else ("rocm-ci run --local",)


def _commit(sha: str, page: _Page) -> str:
    target = page.links.commit(sha)
    short = inert.code(sha[:7])
    return f"[{short}]({target})" if target else short
