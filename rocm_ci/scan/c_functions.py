"""The functions of a C-family file: where each body is, and what stands before it.

A parser would need the headers; this one pairs braces and looks at what precedes the outermost ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_PIECE = re.compile(r"[{};]|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.MULTILINE)
# What opens a block of declarations, so that the functions are inside.
_TRANSPARENT = re.compile(
    r"\b(?:namespace\b[\w\s:]*|extern\s*\"\s*\"|(?:class|struct|union)\b(?![^;{}]*\)\s*(?:const\s*)?$)[^;{}()]*"
    r"(?:\([^()]*\)[^;{}()]*)*)\s*$"
)
_NAME = re.compile(r"(?:\b([A-Za-z_]\w*)|operator\s*\S{1,3})\s*\(")
_NOT_NAMES = frozenset({
    "if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "alignas", "__launch_bounds__",
    "__attribute__", "__align__", "__declspec", "noexcept", "requires", "defined", "static_assert", "void",
    "constexpr", "explicit", "amdgpu_waves_per_eu", "amdgpu_flat_work_group_size",
})  # fmt: skip
_LONGEST_HEADER = 2500


@dataclass(frozen=True, slots=True)
class Function:
    """Offsets in the code: the header begins at `header`, the body at `start` (after its brace)."""

    name: str
    header: int
    start: int
    end: int
    text: str  # the header

    @property
    def is_kernel(self) -> bool:
        """Whether it is a `__global__` function."""
        return "__global__" in self.text

    @property
    def is_device_only(self) -> bool:
        """Whether it runs on the device and never on the host."""
        return self.is_kernel or ("__device__" in self.text and "__host__" not in self.text)


class Functions:
    """The functions of one file by offset."""

    def __init__(self, code: str) -> None:
        self.all = tuple(_functions(code))
        self._starts = [one.header for one in self.all]

    def at(self, offset: int) -> Function | None:
        """The outermost function whose header or body holds an offset."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return None
        one = self.all[index]
        return one if offset <= one.end else None


def _functions(code: str) -> list[Function]:
    found: list[Function] = []
    opened: list[bool] = []  # for every open brace: is it transparent
    inside: Function | None = None
    depth = 0  # braces within a function
    begin = 0  # where the current declaration begins
    for piece in _PIECE.finditer(code):
        char = piece[0]
        if char not in "{};":
            if inside is None:
                begin = piece.end()
            continue
        at = piece.start()
        if inside is not None:
            # Branches of `#if` may open more braces than they close: one in the first column ends it.
            if char == "{":
                depth += 1
            elif char == "}":
                depth -= 1
                if depth == 0 or (at and code[at - 1] == "\n"):
                    found.append(Function(inside.name, inside.header, inside.start, at, inside.text))
                    inside, begin = None, at + 1
            continue
        if char == "{":
            header = code[max(begin, at - _LONGEST_HEADER) : at]
            name = _name_of(header)
            if name is not None:
                inside = Function(name, begin, at + 1, len(code), header)
                depth = 1
                continue
            opened.append(True)
        elif char == "}" and opened:
            opened.pop()
        begin = at + 1
    if inside is not None:
        found.append(inside)
    return found


def _name_of(header: str) -> str | None:
    """The name of the function that a header introduces; None when it introduces none."""
    if ")" not in header or _TRANSPARENT.search(header):
        return None
    after = header[header.rindex(")") + 1 :]
    if "=" in after:
        return None
    for named in _NAME.finditer(header):
        if named[1] not in _NOT_NAMES:
            return named[1] or "operator"
    return None
