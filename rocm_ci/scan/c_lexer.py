"""C, C++, CUDA and HIP text → its code with comments and literals blanked, and the literals."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

# Strings before characters before comments does not matter: each begins with another character,
# and the scan goes from left to right. A quote after a letter or digit separates digits (1'000).
_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n\\]*(?:\\.[^\n\\]*)* | /\*.*?(?:\*/|\Z) )
    | (?P<raw> (?<![\w"])(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\((?P<body>.*?)(?:\)(?P=mark)"|\Z) )
    | (?P<string> "[^"\\\n]*(?:\\.[^"\\\n]*)*"? )
    | (?<!\w)(?:u8|[uUL])?'[^'\\\n]*(?:\\.[^'\\\n]*)*'
    """,
    re.VERBOSE | re.DOTALL,
)
_NOT_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Literal:
    """One string literal: where its quotes are in the text, and where its content is."""

    start: int
    end: int
    content_start: int
    content_end: int


@dataclass(frozen=True, slots=True)
class Lexed:
    """`code` is as long as the text and has the same lines; comments and literal contents are blank."""

    text: str
    code: str
    literals: tuple[Literal, ...]
    line_starts: tuple[int, ...]

    def place(self, offset: int) -> tuple[int, int]:
        """1-based (line, column) of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def literals_in(self, start: int, end: int) -> tuple[Literal, ...]:
        """Literals that begin in a stretch of text."""
        first = bisect_left(self.literals, start, key=_start)
        return self.literals[first : bisect_left(self.literals, end, key=_start)]

    def contents(self, literals: tuple[Literal, ...]) -> str:
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
    at = 0
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        pieces.append(text[at:start])
        at = end
        if token.lastgroup == "comment":
            pieces.append(blank(token.group()))
            continue
        if token["raw"] is not None:
            inner = token.span("body")
        else:
            opening = text.index("'" if token["string"] is None else '"', start) + 1
            closed = end > opening and text[end - 1] == text[opening - 1]
            inner = (opening, end - 1 if closed else end)
        pieces += [text[start : inner[0]], blank(text[inner[0] : inner[1]]), text[inner[1] : end]]
        if token["raw"] is not None or token["string"] is not None:
            literals.append(Literal(start, end, *inner))
    pieces.append(text[at:])
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return Lexed(text, "".join(pieces), tuple(literals), tuple(starts))
