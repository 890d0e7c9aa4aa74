"""Report → a terminal: the comment's content in short. Colours only where there are any."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert, machine, words
from rocm_ci.report.headline import headline
from rocm_ci.report.legs import stand_ins
from rocm_ci.report.problem import Problem
from rocm_ci.report.problems import problems, seen_on
from rocm_ci.report.table_rows import rows

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rocm_ci.model.report import Report
    from rocm_ci.report.stage_rows import Row

FIXES = 10
LEGS = 16
_COLOURS = {
    Verdict.PASS: "green",
    Verdict.FAIL: "red",
    Verdict.ERROR: "magenta",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NEUTRAL: "cyan",
    Verdict.SKIPPED: "dim",
}


def render(report: Report, *, colour: bool, width: int = 100) -> str:
    """Headline, stage table, fix-first list and the machine's line, at most `width` columns wide."""
    from rich.console import Console  # noqa: PLC0415 - 60 ms that only a terminal needs

    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    listed = problems(report)
    _headline(console, report, sum(p.kind != "machine" for p in listed))
    console.print(_table(rows(report), legs=bool(report.legs)))
    for notice in report.notices[:5]:
        console.print(f"note: {inert.line(notice)}", style="yellow")
    _numbered(console, report, "Fix first", [p for p in listed if p.kind != "machine"])
    _numbered(console, report, "What went wrong on the machine", [p for p in listed if p.kind == "machine"])
    console.print()
    _machines(console, report)
    return "\n".join(row.rstrip() for row in buffer.getvalue().split("\n"))


def _machines(console: Console, report: Report) -> None:
    absent = stand_ins(report)
    there = [leg for leg in report.legs if leg.name not in absent]
    for leg in there[:LEGS]:
        console.print(f"Machine {inert.line(leg.name)}: {inert.line(machine.line(leg.facts))}", style="dim")
    if len(there) > LEGS:
        console.print(f"… and {len(there) - LEGS:,} more machines", style="dim")
    if not report.legs:
        console.print(f"Machine: {inert.line(machine.line(report.facts))}", style="dim")


def _headline(console: Console, report: Report, things: int) -> None:
    head = headline(report, things)
    console.print()
    console.print(f"{head.icon} ROCm CI: {inert.line(head.title)}", style=f"bold {_COLOURS[report.verdict]}")
    said = " ".join(part for part in (words.sentence(head.summary), head.advice) if part)
    if said:
        console.print(inert.line(said))
    console.print()


def _table(listed: tuple[Row, ...], *, legs: bool) -> Table:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - see `render`
    from rich.table import Table  # noqa: PLC0415 - see `render`
    from rich.text import Text  # noqa: PLC0415 - see `render`

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("stage")
    if legs:
        table.add_column("on")
    table.add_column("result")
    table.add_column("against base")
    table.add_column("time", justify="right", no_wrap=True)
    for row in listed[:30]:
        table.add_row(
            Text(inert.line(row.stage, limit=60)),
            *([Text(inert.line(row.on, limit=60))] if legs else []),
            Text(f"{row.icon} {inert.line(row.result, limit=160)}", style=_COLOURS[row.verdict]),
            Text(inert.line(row.against, limit=40)),
            Text(words.duration(row.duration_s)),
        )
    return table


def _numbered(console: Console, report: Report, title: str, listed: list[Problem]) -> None:
    if not listed:
        return
    console.print()
    console.print(title, style="bold")
    for number, p in enumerate(listed[:FIXES], 1):
        _item(console, number, p, seen_on(p, report))
    if len(listed) > FIXES:
        console.print(f"    … and {len(listed) - FIXES:,} more, in the report")


def _item(console: Console, number: int, p: Problem, seen: str) -> None:
    from rich.table import Table  # noqa: PLC0415 - see `render`
    from rich.text import Text  # noqa: PLC0415 - see `render`

    where = " in ".join(inert.line(part, limit=160) for part in (p.subject, p.place) if part)
    said = Text(where or p.kind, style="bold cyan")
    if seen:
        said.append(f" {inert.line(seen, limit=100)}")
    said.append(f"  {inert.line(p.message)}", style="not bold default")
    if p.rule:
        said.append(f"  [{inert.line(p.rule, limit=60)}]", style="not bold dim")
    block = Table.grid(padding=(0, 1))
    block.add_column(justify="right", width=3, no_wrap=True)
    block.add_column()
    block.add_row(f"{number}.", said)
    for label, value in _extra(p):
        block.add_row("", Text(f"{label}{inert.line(value, limit=400)}"))
    console.print(block)


def _extra(p: Problem) -> list[tuple[str, str]]:
    """The further lines of an item: label and raw text."""
    extra = []
    if p.also:
        extra.append(("", f"and {words.count(len(p.also), 'more test')} with the same message"))
    if p.advice:
        extra.append(("" if p.kind in ("perf", "test") else "fix: ", p.advice))
    if p.replacement:
        extra.append(("write: ", p.replacement))
    if p.cause:
        extra.append(("likely cause: ", f"{p.cause.title} — {p.cause.cause}"))
        extra += [("try: ", fix) for fix in p.cause.fixes[:1]]
    if p.command and p.kind == "test":
        extra.append(("run it: ", p.command))
    return extra
