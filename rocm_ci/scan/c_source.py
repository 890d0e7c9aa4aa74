"""A C-family file cut into guarded lines, directives, strings and inline assembly."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci.scan import literal_search
from rocm_ci.scan.c_constants import Constants
from rocm_ci.scan.c_functions import Functions
from rocm_ci.scan.c_guards import Guards
from rocm_ci.scan.c_lexer import Lexed, lex
from rocm_ci.scan.c_literals import literal_regions
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*([a-z_]+)\b")
_TARGET = re.compile(r"[<\"]([^<>\"\n]+)[>\"]")
_MACRO = re.compile(r"[ \t]*([A-Za-z_]\w*)(\([^()\n]*\))?")


@dataclass(frozen=True, slots=True)
class Directive:
    """One preprocessor directive, continuation lines joined. `guard` is that of what surrounds it."""

    name: str
    text: str
    line: int
    column: int
    guard: Guard


@dataclass(frozen=True, eq=False)
class CFile:
    """What detectors read: code with comments and literals blank, and the guard of every line."""

    lexed: Lexed
    guards: tuple[Guard, ...]
    directives: tuple[Directive, ...]
    defines: frozenset[str]

    @property
    def code(self) -> str:
        """The text with comments and literal contents blank."""
        return self.lexed.code

    @cached_property
    def functions(self) -> Functions:
        """Its functions, found when first asked for."""
        return Functions(self.lexed.code)

    @cached_property
    def constants(self) -> Constants:
        """Its constants, folded when asked for."""
        return Constants(self)

    def guard_at(self, line: int) -> Guard:
        """The guard of a 1-based line."""
        return self.guards[line - 1]

    def search(
        self, pattern: re.Pattern[str], *, guards: Collection[Guard] = (Guard.NONE, Guard.AMD)
    ) -> Iterator[tuple[re.Match[str], int, int]]:
        """(match, line, column) of every match in code that is reached on AMD."""
        for found in literal_search.finditer(pattern, self.lexed.code):
            line, column = self.lexed.place(found.start())
            if self.guards[line - 1] in guards:
                yield found, line, column

    def line_of(self, offset: int) -> int:
        """The 1-based line of an offset in the code."""
        return bisect_right(self.lexed.line_starts, offset)


def parse(text: str, macros: Mapping[str, Guard] | None = None) -> tuple[CFile, tuple[Region, ...]]:
    """Regions of every kind in file order, and the file for detectors.

    `macros` are known to be defined for one vendor only, beside those that the file teaches.
    """
    lexed = lex(text)
    reader = _Reader(lexed, macros or {})
    reader.lines()
    file = CFile(lexed, tuple(reader.guards), tuple(reader.directives), frozenset(reader.defines))
    literals = tuple(literal_regions(file, reader.include_lines))
    regions = sorted([*reader.regions, *literals], key=lambda r: (r.line, r.column))
    return file, tuple(regions)


class _Reader:
    """Walks over the lines, keeping the stack of guards."""

    def __init__(self, lexed: Lexed, macros: Mapping[str, Guard]) -> None:
        self._lines = lexed.code.split("\n")
        self._raw = lexed.text.split("\n")
        self._guards = Guards(self._lines, self._raw, macros)
        self.guards: list[Guard] = []
        self.regions: list[Region] = []
        self.directives: list[Directive] = []
        self.defines: set[str] = set()
        self.include_lines: set[int] = set()

    def lines(self) -> None:
        number = 0
        while number < len(self._lines):
            line = self._lines[number]
            found = _DIRECTIVE.match(line) if "#" in line else None
            if found is None:
                guard = self._guards.of_line(line)
                self.guards.append(guard)
                self._code(line, number + 1, guard, ())
                number += 1
                continue
            last = number
            while self._lines[last].endswith("\\") and last + 1 < len(self._lines):
                last += 1
            self._directive(found, number, last)
            number = last + 1

    def _code(self, line: str, number: int, guard: Guard, context: tuple[str, ...], start: int = 0) -> None:
        text = line[start:].rstrip("\\ \t")
        stripped = text.lstrip()
        if stripped:
            column = start + len(text) - len(stripped) + 1
            self.regions.append(Region(RegionKind.CODE, stripped, number, column, guard, context))

    def _directive(self, found: re.Match[str], first: int, last: int) -> None:
        name = found[1]
        body = self._body(first, last, found.end())
        before = self._guards.current
        outer = self._guards.outer
        self._guards.directive(name, body, first)
        within = self._guards.current if name in ("include", "include_next", "define") else before
        surrounding = outer if name in ("elif", "elifdef", "elifndef", "else", "endif") else before
        self.guards += [surrounding] * (last - first + 1)
        column = self._lines[first].index("#") + 1
        self.directives.append(Directive(name, body, first + 1, column, surrounding))
        if name in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"):
            self._condition(name, body, first, found.end(), surrounding)
        elif name in ("include", "include_next"):
            self._include(first, found.end(), within)
        elif name == "define":
            self._define(first, last, found.end(), within)

    def _body(self, first: int, last: int, start: int) -> str:
        """Its lines joined; literals are kept (`__has_include("…")`), comments are not."""
        pieces = []
        for number in range(first, last + 1):
            code = self._lines[number]
            text = self._raw[number][: len(code.rstrip())] if '"' in code else code
            pieces.append((text[start:] if number == first else text).removesuffix("\\"))
        return " ".join(pieces).strip()

    def _condition(self, name: str, body: str, first: int, start: int, guard: Guard) -> None:
        text = self._lines[first][start:]
        column = start + len(text) - len(text.lstrip()) + 1
        context = (f"directive:{name}",)
        if body:
            self.regions.append(Region(RegionKind.DIRECTIVE, body, first + 1, column, guard, context))

    def _include(self, first: int, start: int, guard: Guard) -> None:
        self.include_lines.add(first + 1)
        found = _TARGET.search(self._raw[first], start)
        if found:
            form = "angle" if found[0][0] == "<" else "quote"
            self.regions.append(
                Region(RegionKind.INCLUDE, found[1].strip(), first + 1, found.start(1) + 1, guard, (form,))
            )

    def _define(self, first: int, last: int, start: int, guard: Guard) -> None:
        found = _MACRO.match(self._lines[first], start)
        if not found:
            return
        self.defines.add(found[1])
        text = self._lines[first][found.start(1) :].rstrip("\\ \t")
        place = (first + 1, found.start(1) + 1)
        self.regions.append(Region(RegionKind.DIRECTIVE, text, *place, guard, ("directive:define",)))
        context = (f"define:{found[1]}",)
        self._code(self._lines[first], first + 1, guard, context, found.end())
        for number in range(first + 1, last + 1):
            self._code(self._lines[number], number + 1, guard, context)
