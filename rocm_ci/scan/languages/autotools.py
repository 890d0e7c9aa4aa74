"""Autoconf: the arguments of macros in `configure.ac` and `*.m4`, under the guards of `AS_IF` and `if test`.

An argument is a VALUE region, context `macro:NAME` and `arg:N`; `demand` when the same call gives up with
AC_MSG_ERROR.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.shell_conditions import of_command
from rocm_ci.scan.shell_lexer import Places
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_COMMENT = re.compile(r"(?m)\bdnl\b[^\n]*|^[ \t]*#[^\n]*")
_MACRO = re.compile(r"\b((?:A[CSMX]|PKG|m4)_\w+|A[CX]_\w+)\(")
_IF = re.compile(r"(?m)^[ \t]*(if|elif)\s+(.*?)\s*;?\s*then\b|^[ \t]*(else|fi)\b")
_PROSE = frozenset(
    {"AC_MSG_ERROR", "AC_MSG_WARN", "AC_MSG_NOTICE", "AC_MSG_RESULT", "AC_MSG_CHECKING", "AC_DEFINE"}
)
_DEFINES = frozenset({"AC_ARG_WITH", "AC_ARG_ENABLE", "AS_HELP_STRING", "AC_ARG_VAR", "AC_INIT"})
_DEEPEST = 30


class Autotools:
    """`configure.ac`, `configure.in`, `*.m4`."""

    name = "autotools"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.name in ("configure.ac", "configure.in") or path.suffix == ".m4"

    def parse(self, source: Source) -> Parsed:
        """Macros and the shell between them."""
        text = _COMMENT.sub(lambda m: " " * len(m.group()), source.text)
        reader = _Reader(text, vendor.of_path(source.path, beside=source.beside))
        reader.read(0, len(text), reader.outer, 0)
        return Parsed(source, tuple(reader.found))


class _Reader:
    def __init__(self, text: str, outer: Guard) -> None:
        self.found: list[Region] = []
        self.outer = outer
        self._text = text
        self._places = Places(text, 1, 1)
        self._branches = _branches(text)

    def read(self, start: int, end: int, guard: Guard, depth: int) -> None:
        position = start
        while depth < _DEEPEST and (macro := _MACRO.search(self._text, position, end)):
            arguments, position = _arguments(self._text, macro.end(), end)
            if macro[1] not in _PROSE | _DEFINES:
                self._macro(macro[1], arguments, vendor.both(guard, self._at(macro.start())), depth)

    def _at(self, offset: int) -> Guard:
        return next((g for first, last, g in reversed(self._branches) if first <= offset < last), Guard.NONE)

    def _macro(self, name: str, arguments: list[tuple[int, int]], guard: Guard, depth: int) -> None:
        words = [self._text[a:b] for a, b in arguments]
        demand = any("AC_MSG_ERROR" in word or "AC_MSG_FAILURE" in word for word in words)
        outcome = UNKNOWN
        for number, (first, last) in enumerate(arguments):
            inner = guard
            if name == "AS_IF" and number % 2 == 0 and number + 1 < len(arguments):
                outcome = _condition(words[number])
                continue
            if name == "AS_IF":
                inner = vendor.both(guard, outcome.true if number % 2 else outcome.false)
            if _MACRO.search(self._text, first, last):
                self.read(first, last, inner, depth + 1)
            elif words[number].strip():
                self._value(
                    first, last, inner, (f"macro:{name}", f"arg:{number}", *(["demand"] if demand else []))
                )

    def _value(self, first: int, last: int, guard: Guard, context: tuple[str, ...]) -> None:
        offset = first
        for piece in self._text[first:last].split("\n"):
            if stripped := piece.strip():
                place = self._places.of(offset + piece.index(stripped[0]))
                self.found.append(Region(RegionKind.VALUE, stripped, *place, guard, context))
            offset += len(piece) + 1


def _arguments(text: str, position: int, end: int) -> tuple[list[tuple[int, int]], int]:
    """(first, last) offsets of each argument without its brackets, and the offset behind the call."""
    found: list[tuple[int, int]] = []
    first, depth, rounds = position, 0, 1
    while position < end:
        char = text[position]
        depth += (char == "[") - (char == "]")
        if depth <= 0:
            rounds += (char == "(") - (char == ")")
        if (char == "," and depth <= 0 and rounds == 1) or rounds == 0:
            found.append(_trimmed(text, first, position))
            first = position + 1
            if rounds == 0:
                return found, position + 1
        position += 1
    return found, end


def _trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    while first < last and text[first] in " \t\n[":
        first += 1
    while last > first and text[last - 1] in " \t\n]":
        last -= 1
    return first, last


def _branches(text: str) -> list[tuple[int, int, Guard]]:
    """(first, last, guard) of the branches of plain `if … then … fi`, outer ones first."""
    found: list[tuple[int, int, Guard]] = []
    stack: list[tuple[int, Guard, Outcome]] = []
    for step in _IF.finditer(text):
        if step[1] == "if" and len(stack) < _DEEPEST:
            outer = stack[-1][1] if stack else Guard.NONE
            outcome = _condition(step[2])
            stack.append((step.end(), vendor.both(outer, outcome.true), outcome))
        elif stack:
            first, guard, outcome = stack.pop()
            if guard is not Guard.NONE:
                found.append((first, step.start(), guard))
            outer = stack[-1][1] if stack else Guard.NONE
            if step[3] == "else":
                stack.append((step.end(), vendor.both(outer, outcome.false), ~outcome))
            elif step[1] == "elif":
                outcome = _condition(step[2])
                stack.append((step.end(), vendor.both(outer, outcome.true), outcome))
    return sorted(found)


def _condition(text: str) -> Outcome:
    """`test "x$with_cuda" = xyes`: the x keeps old shells from reading an empty word."""
    text = re.sub(r"\"?\bx\$\{?(\w+)\}?\"?", r"$\1", text)
    return of_command(re.sub(r"(=\s*)\"?x(\w*)\"?", r"\1\2", text).split())


LANGUAGE: Language = Autotools()
