"""PowerShell text → regions with guards: scripts, and steps of workflows whose shell it is.

A command is a CODE region, context `command:NAME`; `$env:NAME = …` is a KEY and a VALUE region, context
`assign:NAME`. What `Write-Host` and its like print is not handed out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import windows_conditions
from rocm_ci.scan.outcome import UNKNOWN
from rocm_ci.scan.shell_commands import INSTALLS
from rocm_ci.scan.shell_lexer import Places
from rocm_ci.scan.source import Guard, Region, RegionKind
from rocm_ci.scan.windows_blocks import Blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIPPED = re.compile(r"<#.*?(?:#>|$)|(?<![\w`])#[^\n]*|@'\n.*?(?:\n'@|$)|@\"\n.*?(?:\n\"@|$)", re.DOTALL)
_PIECE = re.compile(
    r"(?P<text>(?:[^\n;{}\"'`]|`\n|`.|\$\{\w[^}\n]*\}|\$\{\{.*?\}\}|\"(?:[^\"`]|`.)*\"|'[^']*')+)|(?P<mark>[\n;{}\"'`])",
    re.DOTALL,
)
_CONDITION = re.compile(r"(?i)(if|elseif|while)\s*\((.*)\)\s*$", re.DOTALL)
_ASSIGNMENT = re.compile(r"\$(?:env:|\{env:)?(\w+)\}?\s*\+?=\s*(.*)$", re.DOTALL | re.IGNORECASE)
_CALL = re.compile(r"[&.]\s+")
_MESSAGES = re.compile(r"(?i)(write-(host|output|warning|error|verbose)|throw|echo|out-null)\b")


def regions(
    text: str, line: int, column: int, *, guard: Guard = Guard.NONE, context: tuple[str, ...] = ()
) -> list[Region]:
    """The regions of a script whose first character stands at `line`, `column`."""
    text = _SKIPPED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    places = Places(text, line, column)
    blocks = Blocks(guard)
    found: list[Region] = []
    for piece in _PIECE.finditer(text):
        if piece["mark"] == "{":
            blocks.open()
        elif piece["mark"] == "}":
            blocks.close()
        elif piece["text"] and (stripped := piece["text"].strip()):
            start = piece.start() + piece["text"].index(stripped[0])
            if not _is_condition(stripped, blocks):
                found += _statement(stripped, start, places, blocks.guard, context)
    return found


def _is_condition(text: str, blocks: Blocks) -> bool:
    if text.lower() == "else":
        blocks.expect(UNKNOWN, otherwise=True)
        return True
    if condition := _CONDITION.match(text):
        blocks.expect(windows_conditions.of(condition[2]), otherwise=condition[1].lower() == "elseif")
        return True
    return False


def _statement(
    text: str, start: int, places: Places, guard: Guard, context: tuple[str, ...]
) -> Iterator[Region]:
    if _MESSAGES.match(text):
        return
    if assigned := _ASSIGNMENT.match(text):
        mine = (*context, f"assign:{assigned[1]}")
        yield Region(RegionKind.KEY, assigned[1], *places.of(start + assigned.start(1)), guard, mine)
        yield from _lines(RegionKind.VALUE, (assigned[2], start + assigned.start(2)), places, guard, mine)
        if assigned[2].startswith(("&", "(")):
            inner = assigned[2].lstrip("&( ")
            at = start + assigned.start(2) + len(assigned[2]) - len(inner)
            yield from _statement(inner, at, places, guard, context)
        return
    if call := _CALL.match(text):
        text, start = text[call.end() :], start + call.end()
    words = text.split()
    if not words:
        return
    name = re.split(r"[\\/]", words[0].strip("\"'"))[-1].removesuffix(".exe")
    mine = (*context, f"command:{name}")
    if INSTALLS & set(words[1:6]):
        mine = (*mine, "installs")
    yield from _lines(RegionKind.CODE, (text, start), places, guard, mine)


def _lines(
    kind: RegionKind, piece: tuple[str, int], places: Places, guard: Guard, context: tuple[str, ...]
) -> Iterator[Region]:
    """One region a line of (text, offset of its first character)."""
    text, offset = piece
    for line in text.split("\n"):
        if stripped := line.strip(" \t\r`"):
            place = places.of(offset + line.index(stripped[0]))
            yield Region(kind, stripped, *place, guard, context)
        offset += len(line) + 1
