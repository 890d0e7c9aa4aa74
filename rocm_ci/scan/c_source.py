"""A C-family file cut into guarded lines, directives, strings and inline assembly."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
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
    from collections.abc import Collection, Iterator, Mapping, Sequence

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


def parse(
    text: str, macros: Mapping[str, Guard] | None = None, hits: Sequence[int] | None = None
) -> tuple[CFile, tuple[Region, ...]]:
    """Regions in file order, and the file for detectors.

    `macros` are known to be defined for one vendor only, beside those that the file teaches. `hits` are
    the sorted lines whose code and strings are asked for; None for all of them. Includes, inline assembly
    and device source are always there.
    """
    lexed = lex(text)
    reader = _Reader(lexed, macros or {}, hits)
    reader.lines()
    file = CFile(lexed, tuple(reader.guards), tuple(reader.directives), frozenset(reader.defines))
    literals = literal_regions(file, reader.include_lines, hits)
    regions = sorted([*reader.regions, *literals], key=lambda r: (r.line, r.column))
    return file, tuple(regions)


class _Reader:
    """Walks over the directives, keeping the stack of guards; what stands between has one guard each."""

    def __init__(self, lexed: Lexed, macros: Mapping[str, Guard], hits: Sequence[int] | None) -> None:
        self._lines = lexed.code.split("\n")
        self._raw = lexed.text.split("\n")
        marked = [number for number, line in enumerate(self._lines) if "#" in line]
        self._guards = Guards(self._lines, self._raw, macros, marked)
        self._marked = marked
        self._hits = range(1, len(self._lines) + 1) if hits is None else hits
        self.guards: list[Guard] = []
        self.regions: list[Region] = []
        self.directives: list[Directive] = []
        self.defines: set[str] = set()
        self.include_lines: set[int] = set()

    def lines(self) -> None:
        number = 0
        for at in self._marked:
            found = _DIRECTIVE.match(self._lines[at]) if at >= number else None
            if found is None:
                continue
            self._stretch(number, at)
            last = at
            while self._lines[last].endswith("\\") and last + 1 < len(self._lines):
                last += 1
            self._directive(found, at, last)
            number = last + 1
        self._stretch(number, len(self._lines))

    def _stretch(self, first: int, end: int) -> None:
        """Lines of code without any directive between them; `end` is the index behind the last one."""
        if first == end:
            return
        guard = self._guards.current
        self.guards += [guard] * (end - first)
        if guard is Guard.NONE:
            for number in self._mixed[bisect_left(self._mixed, first) : bisect_left(self._mixed, end)]:
                self.guards[number] = self._guards.of_line(self._lines[number])
        for line in self._hit(first, end):
            self._code(self._lines[line - 1], line, self.guards[line - 1], ())

    def _hit(self, first: int, end: int) -> Sequence[int]:
        """The 1-based lines asked for among those of some indices."""
        return self._hits[bisect_right(self._hits, first) : bisect_right(self._hits, end)]

    @cached_property
    def _mixed(self) -> list[int]:
        """Indices of the lines that may hold names of both vendors."""
        return [number for number, line in enumerate(self._lines) if "hip" in line and "cu" in line]

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
            if self._hit(first, last + 1):
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
        context = (f"define:{found[1]}",)
        for line in self._hit(first, last + 1):
            if line > first + 1:
                self._code(self._lines[line - 1], line, guard, context)
                continue
            text = self._lines[first][found.start(1) :].rstrip("\\ \t")
            place = (line, found.start(1) + 1)
            self.regions.append(Region(RegionKind.DIRECTIVE, text, *place, guard, ("directive:define",)))
            self._code(self._lines[first], line, guard, context, found.end())
