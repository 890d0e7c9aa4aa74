"""What one C-family file says to others: what it includes, and which CUDA-looking names it defines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.scan.c_guards import Guards
from rocm_ci.scan.c_lexer import lex
from rocm_ci.scan.files import decode
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SUFFIXES = frozenset({
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".hip", ".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".hiph",
    ".inl", ".ipp", ".tpp", ".tcc", ".inc",
})  # fmt: skip
_DEFINED = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]+[^\s/\\]"
    rb"|^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]*\\\r?$"
    rb"|^[ \t]*using[ \t]+(\w+)[ \t]*="
    rb"|^[ \t]*namespace[ \t]+(\w+)[ \t]*="
    rb"|^[ \t]*typedef\b[^;\n]*?\b(\w+)[ \t]*;"
    rb"|^[ \t]*typedef\b[^;(\n]*\([ \t]*(?:\w+[ \t]*)?\*[ \t]*(\w+)[ \t]*\)"  # of a function pointer
    rb"|\}[ \t]*(\w+)[ \t]*;"  # typedef enum { … } cublasStatus_t;
    rb"|^[ \t]*(?:struct|class|union|enum(?:[ \t]+class)?)[ \t]+(\w+)[ \t]*(?::[^:{;\n]*)?[{\r\n]"
    rb"|^[ \t]*(?:(?:static|extern|inline|constexpr|const)[ \t]+)+[\w:*&<>]+[ \t]+[*&]?(\w+)[ \t]*[=;{]"
    # a function of this name, its type on the same line or above
    rb"|^(?:[ \t]*[A-Za-z_][\w \t*&:<>,]*[ \t*&])?(\w+)[ \t]*\([^;{}()]*\)[ \t\r\n]*\{"
    rb"|^[ \t]*(?:struct|class|union)[ \t]+(\w+)[ \t]*;",
    re.MULTILINE,
)
_USING_NAME = re.compile(rb"^[ \t]*using[ \t]+[\w:]*::(\w+)[ \t]*;", re.MULTILINE)
_TAG = re.compile(rb"\btypedef[ \t]+(?:struct|enum|union)[ \t]+(\w+)")
_ENUM = re.compile(rb"\benum\b[^;{}()]*\{([^{}]*)\}")
_ENUMERATOR = re.compile(rb"(?:^|,)(?:\s|/\*.*?\*/|//[^\n]*\n)*(\w+)", re.DOTALL)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)
# A Cython module takes what a header declares, in the order of these lines.
_EXTERN = re.compile(rb"""^[ \t]*cdef[ \t]+extern[ \t]+from[ \t]+(["'])(<?)([^"'>\n]+)>?\1""", re.MULTILINE)
_FOREIGN = re.compile(
    rb"(?:_?(?:cu|CU|nv|NV)|__|make_cu)\w+|tex[123]D\w*|surf[123]D\w*|(?:texture|surface)Reference"
    rb"|libraryPropertyType(?:_t)?|(?:syevj|gesvdj|csr\w*|bsr\w*|prune)Info(?:Host)?(?:_t)?"
)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*([a-z_]+)\b(.*)")


@dataclass(frozen=True, slots=True)
class Include:
    """One include directive; `line` is 1-based."""

    header: str
    in_quotes: bool
    line: int


@dataclass(frozen=True)
class Facts:
    """What was read off a file. Lines are 1-based; whether they are reached is `guard_of`'s to say."""

    includes: tuple[Include, ...] = ()
    aliases: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


NOTHING = Facts()


class _Places:
    """Offset → 1-based line, its table made when first asked for."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None

    def line(self, offset: int) -> int:
        if self._starts is None:
            self._starts = [m.end() for m in re.finditer(b"\n", self._data)]
        return bisect_right(self._starts, offset) + 1


def includes_of(data: bytes) -> tuple[Include, ...]:
    """The include directives of a file of these bytes, which are UTF-8."""
    places = _Places(data)
    found = [
        Include(m[2].decode("utf-8", "surrogateescape").strip(), m[1] == b'"', places.line(m.start(2)))
        for m in _INCLUDE.finditer(data)
    ]
    if b"cdef extern" in data:
        found += (
            Include(m[3].decode("utf-8", "surrogateescape").strip(), not m[2], places.line(m.start(3)))
            for m in _EXTERN.finditer(data)
        )
    return tuple(found)


def facts(data: bytes) -> Facts:
    """The facts of a file of these bytes, which are UTF-8."""
    places = _Places(data)
    aliases: dict[str, tuple[int, ...]] = {}

    def define(name: bytes, offset: int) -> None:
        if _FOREIGN.fullmatch(name):
            aliases[name.decode()] = (*aliases.get(name.decode(), ()), places.line(offset))

    for pattern in (_DEFINED, _USING_NAME, _TAG):
        for found in pattern.finditer(data):
            define(found[found.lastindex or 0], found.start(found.lastindex or 0))
    if b"enum" in data:
        for body in _ENUM.finditer(data):
            for one in _ENUMERATOR.finditer(body[1]):
                define(one[1], body.start(1) + one.start(1))
    includes = includes_of(data)
    return Facts(includes, aliases) if includes or aliases else NOTHING


class Guarded:
    """The guard of every line of a file that holds a directive or follows one, and what it teaches."""

    def __init__(self, data: bytes, known: Mapping[str, Guard]) -> None:
        text = decode(data)[0]
        lexed = lex(text)
        lines = lexed.code.split("\n")
        guards = Guards(lines, text.split("\n"), known)
        self._changes: list[tuple[int, Guard]] = [(0, guards.current)]
        self._blank = frozenset(n for n, line in enumerate(lines, 1) if not line.strip())
        for number, line in enumerate(lines):
            found = _DIRECTIVE.match(line) if "#" in line else None
            if found is None:
                continue
            guards.directive(found[1], _joined(found[2].strip(), lines, number), number)
            if guards.current is not self._changes[-1][1]:
                self._changes.append((number + 1, guards.current))
        self.macros: Mapping[str, Guard] = guards.learnt

    def is_code(self, line: int) -> bool:
        """Whether a 1-based line holds more than a comment."""
        return line not in self._blank

    def of_line(self, line: int) -> Guard:
        """The guard of a 1-based line; NVIDIA for one that holds nothing but a comment."""
        if line in self._blank:
            return Guard.NVIDIA
        at = bisect_right(self._changes, line, key=lambda change: change[0]) - 1
        return self._changes[at][1]


def _joined(body: str, lines: Sequence[str], number: int) -> str:
    while body.endswith("\\") and number + 1 < len(lines):
        number += 1
        body = f"{body[:-1]} {lines[number].strip()}"
    return body
