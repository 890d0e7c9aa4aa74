"""Where the text of a Python string literal stands in the file.

The syntax tree gives the value of a literal, with escapes resolved and neighbours joined; a finding
needs the line and column. So the literal is cut again from the source: one piece per pair of
quotes, its text as written, so that a newline in a piece is a newline in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

_GAP = re.compile(r"(?:[\s()]|\\\n|#[^\n]*)*")
_OPEN = re.compile(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"{3}|'{3}|\"|')")
_BODY = {
    '"': re.compile(r'(?:[^"\\\n]|\\.)*', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*", re.DOTALL),
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*", re.DOTALL),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """The content of one pair of quotes; `line` and `column` (1-based) are those of its first character."""

    text: str
    line: int
    column: int


def column_of(lines: Sequence[str], line: int, byte_offset: int) -> int:
    """The 0-based character offset of a UTF-8 byte offset, as `ast` counts them."""
    text = lines[line - 1] if line <= len(lines) else ""
    if text.isascii():
        return byte_offset
    return len(text.encode("utf-8", "surrogateescape")[:byte_offset].decode("utf-8", "replace"))


def has_line(lines: Sequence[int], first: int, last: int | None) -> bool:
    """Whether one of some sorted lines lies in a range, both ends included."""
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= (last or first)


def pieces(node: ast.expr, lines: Sequence[str]) -> Iterator[Piece]:
    """The pieces of a string literal, plain, joined or formatted. Nothing where positions make no sense."""
    last = node.end_lineno or node.lineno
    start = column_of(lines, node.lineno, node.col_offset)
    stop = column_of(lines, last, node.end_col_offset or 0)
    if last == node.lineno:
        segment = lines[last - 1][start:stop] if last <= len(lines) else ""
    else:
        segment = "\n".join(
            (lines[node.lineno - 1][start:], *lines[node.lineno : last - 1], lines[last - 1][:stop])
        )
    position = 0
    while True:
        gap = _GAP.match(segment, position)
        opened = _OPEN.match(segment, gap.end() if gap else position)
        if opened is None:
            return
        body = _BODY[opened["quote"]].match(segment, opened.end())
        if body is None:
            return
        before = segment.count("\n", 0, opened.end())
        column = opened.end() - (segment.rfind("\n", 0, opened.end()) + 1)
        yield Piece(body.group(), node.lineno + before, column + (0 if before else start) + 1)
        position = body.end() + len(opened["quote"])
