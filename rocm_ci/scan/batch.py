"""Batch text of Windows → regions with guards: scripts, and steps of workflows whose shell is cmd.

A command is a CODE region, context `command:NAME`; `set NAME=…` is a KEY and a VALUE region, context
`assign:NAME`. Variables of other tools are written `%NAME%`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor, windows_conditions
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.shell_commands import INSTALLS
from rocm_ci.scan.source import Guard, Region, RegionKind
from rocm_ci.scan.windows_blocks import Blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMENT = re.compile(r"(?i)\s*@?(?:rem\b|::)")
_PART = re.compile(r"(?P<text>(?:\"[^\"\n]*\"?|\^.|[^&|()\"^])+)|(?P<mark>&&|\|\||[&|()])", re.DOTALL)
_IF = re.compile(
    r"(?i)\s*(if\s+(?:/i\s+)?((?:not\s+)?(?:defined\s+\S+|exist\s+(?:\"[^\"]*\"|\S+)|errorlevel\s+\d+"
    r"|(?:\"[^\"]*\"|\S+?)\s*(?:==|\sequ\s|\sneq\s)\s*(?:\"[^\"]*\"|\S+))))\s*"
)
_SET = re.compile(r"(?i)set\s+(?:/[ap]\s+)?\"?(\w+)\s*=([^\"]*)")
_ECHO = re.compile(r"(?i)(echo|title|pause)\b")
_PREFIX = re.compile(r"(?i)@|call\s+|start\s+(?:/\w+\s+)*")


def regions(
    text: str, line: int, column: int, *, guard: Guard = Guard.NONE, context: tuple[str, ...] = ()
) -> list[Region]:
    """The regions of a script whose first character stands at `line`, `column`."""
    blocks = Blocks(guard)
    found: list[Region] = []
    for offset, written in enumerate(text.split("\n")):
        if not _COMMENT.match(written):
            start = column if offset == 0 else 1
            found += _line(written.rstrip("^\r "), (line + offset, start), blocks, context)
    return found


def _line(text: str, place: tuple[int, int], blocks: Blocks, context: tuple[str, ...]) -> Iterator[Region]:
    inline: Guard | None = None  # behind a condition or a lookup, to the end of the line
    last: Outcome = UNKNOWN
    for part in _PART.finditer(text):
        mark = part["mark"]
        if mark == "(":
            blocks.open()
            inline = None
        elif mark == ")":
            blocks.close()
        elif mark in ("&&", "||"):
            inline = vendor.both(blocks.guard, last.true if mark == "&&" else last.false)
        elif mark is None:
            piece, at = part["text"], place[1] + part.start()
            if re.fullmatch(r"(?i)\s*else\s*", piece):
                blocks.expect(UNKNOWN, otherwise=True)
                continue
            while condition := _IF.match(re.sub(r"(?i)^\s*else\s+(?=if)", "", piece)):
                blocks.expect(
                    windows_conditions.of(condition[2]), otherwise=piece.lstrip().lower().startswith("else")
                )
                inline = blocks.inline()
                rest = piece[piece.index(condition[1]) + len(condition[1]) :]
                at, piece = at + len(piece) - len(rest), rest
            last = windows_conditions.of(piece) if re.match(r"(?i)\s*where\b", piece) else UNKNOWN
            guard = blocks.guard if inline is None else inline
            yield from _command(piece, (place[0], at), guard, context)


def _command(text: str, place: tuple[int, int], guard: Guard, context: tuple[str, ...]) -> Iterator[Region]:
    at = len(text) - len(text.lstrip())
    while prefix := _PREFIX.match(text, at):
        at = prefix.end()
    text, column = text[at:].rstrip(), place[1] + at
    if not text or _ECHO.match(text):
        return
    if setting := _SET.match(text):
        mine = (*context, f"assign:{setting[1]}")
        yield Region(RegionKind.KEY, setting[1], place[0], column + setting.start(1), guard, mine)
        if setting[2].strip():
            yield Region(
                RegionKind.VALUE, setting[2].strip(), place[0], column + setting.start(2), guard, mine
            )
        return
    words = text.split()
    name = re.split(r"[\\/]", words[0].strip('"'))[-1].removesuffix(".exe")
    mine = (*context, f"command:{name}")
    if INSTALLS & set(words[1:6]):
        mine = (*mine, "installs")
    yield Region(RegionKind.CODE, text, place[0], column, guard, mine)
