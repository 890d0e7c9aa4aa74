"""C, C++, CUDA and HIP text → its code with comments and literals blanked, and the literals."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# All alternatives begin with a literal outside of any group: the regex engine then skips code quickly.
_TOKEN = re.compile(
    r"""/(?:(?P<line>/[^\n\\]*(?:\\.[^\n\\]*)*)|(?P<block>\*))"""
    r"""|"(?P<string>[^"\\\n]*(?:\\.[^"\\\n]*)*"?)|'(?P<char>[^'\\\n]*(?:\\.[^'\\\n]*)*')""",
    re.DOTALL,
)
_RAW_PREFIX = re.compile(r"(?<!\w)(?:u8|[uUL])?R\Z")
_RAW_OPENING = re.compile(r'"([^()\\\s"]{0,16})\(')
_CHAR_PREFIXES = ("L", "u", "U", "u8")
_NOT_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Literal:
    """One string literal: where its quotes are in the text, and where its content is."""

    start: int
    end: int
    content_start: int
    content_end: int


@dataclass(frozen=True, eq=False)
class Lexed:
    """`code` is as long as the text and has the same lines; comments and literal contents are blank."""

    text: str
    code: str
    literals: tuple[Literal, ...]

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offset of every line."""
        lengths = map(len, self.text.split("\n"))
        return tuple(accumulate(map((1).__add__, lengths), initial=0))[:-1]

    def place(self, offset: int) -> tuple[int, int]:
        """1-based (line, column) of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def literals_in(self, start: int, end: int) -> tuple[Literal, ...]:
        """Literals that begin in a stretch of text."""
        first = bisect_left(self.literals, start, key=_start)
        return self.literals[first : bisect_left(self.literals, end, key=_start)]

    def contents(self, literals: Sequence[Literal]) -> str:
        """The contents of neighbouring literals at their places, everything between them blank."""
        pieces, at = [], literals[0].content_start
        for one in literals:
            pieces += [
                blank(self.text[at : one.content_start]),
                self.text[one.content_start : one.content_end],
            ]
            at = one.content_end
        return "".join(pieces)


def _start(literal: Literal) -> int:
    return literal.start


def blank(text: str) -> str:
    """Spaces of the same length, newlines kept."""
    return _NOT_NEWLINE.sub(" ", text) if "\n" in text else " " * len(text)


def lex(text: str) -> Lexed:
    """Split code from comments and literals. Anything unfinished ends with its line or the file."""
    pieces: list[str] = []
    literals: list[Literal] = []
    at = 0  # up to here the code is in `pieces`
    look = 0
    while token := _TOKEN.search(text, look):
        start, end = token.span()
        kind = token.lastgroup
        if kind == "char" and _separates_digits(text, start):
            look = start + 1
            continue
        if kind == "block":
            closing = text.find("*/", start + 2)
            end = len(text) if closing < 0 else closing + 2
        pieces.append(text[at:start])
        if kind in ("line", "block"):
            pieces.append(blank(text[start:end]))
        else:
            inner, end = _inside(text, start, end)
            pieces += [text[start : inner[0]], blank(text[inner[0] : inner[1]]), text[inner[1] : end]]
            if kind == "string":
                literals.append(Literal(start, end, *inner))
        at = look = end
    pieces.append(text[at:])
    return Lexed(text, "".join(pieces), tuple(literals))


def _separates_digits(text: str, quote: int) -> bool:
    """`1'000'000`: a quote after a letter or digit, but not after the prefix of a character."""
    before = text[quote - 1 : quote]
    if not (before.isalnum() or before == "_"):
        return False
    word = re.search(r"\w+\Z", text[max(0, quote - 64) : quote])
    return word is None or word[0] not in _CHAR_PREFIXES


def _inside(text: str, start: int, end: int) -> tuple[tuple[int, int], int]:
    """((start, end) of a literal's content, end of the literal); `start` is its opening quote."""
    if (
        text[start] == '"'
        and text[start - 1 : start] == "R"
        and _RAW_PREFIX.search(text, max(0, start - 4), start)
    ):
        opening = _RAW_OPENING.match(text, start)
        if opening:
            closing = f'){opening[1]}"'
            stop = text.find(closing, opening.end())
            if stop < 0:
                return (opening.end(), len(text)), len(text)
            return (opening.end(), stop), stop + len(closing)
    closed = end - start > 1 and text[end - 1] == text[start]
    return (start + 1, end - 1 if closed else end), end
