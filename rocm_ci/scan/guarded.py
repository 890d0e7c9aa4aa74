"""The guards of single lines of a C-family file, told without a parse where that will do."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci.scan.c_guards import Guards
from rocm_ci.scan.c_lexer import lex
from rocm_ci.scan.files import decode
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*([a-z_]+)\b(.*)")
_CONDITION = re.compile(rb"#[ \t]*(?:if|el)")
_CODE = re.compile(rb"[ \t]*[#\w]")
_SPLICED = re.compile(rb"\\[ \t]*\r?\n\Z")
_INCLUDE_GUARD = re.compile(rb"#[ \t]*ifndef[ \t]+(\w+)[^\n]*\n[ \t]*#[ \t]*define[ \t]+\1\b")
_VENDOR = re.compile(rb"CUDA|NVCC|NVIDIA|HIP|ROCM|AMD|HCC|__gfx|__GFX|cuda|hip|rocm")
# A macro of NVIDIA that a header defines tells something, whatever it stands under.
_NVIDIAS = re.compile(rb"#[ \t]*define[ \t]+\w*(?:CUDA|NVCC|NVIDIA|NVGPU|NVCOMPILER|CUDNN|CUBLAS)")


class Guarded:
    """The guard of every line of a file that holds a directive or follows one, and what it teaches.

    `known` gives the macros that what it includes defines for one vendor.
    """

    def __init__(self, data: bytes, known: Callable[[], Mapping[str, Guard]]) -> None:
        self._data = data
        self._known = known

    def is_code(self, line: int) -> bool:
        """Whether a 1-based line holds more than a comment."""
        return self._is_plain(line) or line not in self._parsed[1]

    def of_line(self, line: int) -> Guard:
        """The guard of a 1-based line; NVIDIA for one that holds nothing but a comment."""
        if self._is_plain(line):
            return Guard.NONE
        changes, blank, _ = self._parsed
        if line in blank:
            return Guard.NVIDIA
        return changes[bisect_right(changes, line, key=lambda change: change[0]) - 1][1]

    @property
    def macros(self) -> Mapping[str, Guard]:
        """The macros that are defined for one vendor only, here or in what it includes."""
        return self._parsed[2]

    def _is_plain(self, line: int) -> bool:
        """Whether nothing above a line can be a condition, or make a comment of it."""
        start = 0
        for _ in range(line - 1):
            start = self._data.find(b"\n", start) + 1
            if start == 0:
                return False
        above = self._data[:start]
        return (
            _CODE.match(self._data, start) is not None
            and above.rfind(b"*/") >= above.rfind(b"/*") + 2 * (b"/*" in above)
            and not _has_conditions(above)
            and b'R"' not in above
            and _SPLICED.search(above) is None
        )

    @cached_property
    def _parsed(self) -> tuple[list[tuple[int, Guard]], frozenset[int], Mapping[str, Guard]]:
        """(first line and guard of every stretch, the lines without code, the macros)."""
        text = decode(self._data)[0]
        lines = lex(text).code.split("\n")
        guards = Guards(lines, text.split("\n"), self._known())
        changes: list[tuple[int, Guard]] = [(0, guards.current)]
        for number, line in enumerate(lines):
            found = _DIRECTIVE.match(line) if "#" in line else None
            if found is None:
                continue
            guards.directive(found[1], _joined(found[2].strip(), lines, number), number)
            if guards.current is not changes[-1][1]:
                changes.append((number + 1, guards.current))
        blank = frozenset(n for n, line in enumerate(lines, 1) if not line.strip())
        return changes, blank, guards.learnt


def may_teach(data: bytes, known: Collection[str]) -> bool:
    """Whether a header can define a macro for one vendor, or one of those `known` for all of them."""
    if not known and not _VENDOR.search(data):
        return False
    if _has_conditions(data) or _NVIDIAS.search(data):
        return True
    return any(name.encode("utf-8", "surrogateescape") in data for name in known)


def _has_conditions(data: bytes) -> bool:
    """Whether there is a condition, other than that a header is read once."""
    conditions = len(_CONDITION.findall(data))
    return conditions > 1 or (conditions == 1 and _INCLUDE_GUARD.search(data) is None)


def _joined(body: str, lines: Sequence[str], number: int) -> str:
    while body.endswith("\\") and number + 1 < len(lines):
        number += 1
        body = f"{body[:-1]} {lines[number].strip()}"
    return body
