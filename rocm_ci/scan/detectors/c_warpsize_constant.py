"""`warpSize` where the language wants a constant expression, which it no longer is from ROCm 7 on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_WARPSIZE = r"(?<![\w.>])warpSize\b"
_CONSTANT = re.compile(
    rf"\bconstexpr\b[^;=(){{}}]*[={{][^;]*?(?P<a>{_WARPSIZE})"
    rf"|\bstatic_assert\s*\([^;]*?(?P<b>{_WARPSIZE})"
    rf"|\bcase\s+[^:;]*?(?P<c>{_WARPSIZE})"
    rf"|\benum\b[^;{{}}]*\{{[^{{}};]*?(?P<d>{_WARPSIZE})"
    rf"|\b(?:alignas|__launch_bounds__|std::integral_constant)\s*[(<][^;{{}}]*?(?P<e>{_WARPSIZE})"
    rf"|\benable_if(?:_t)?\s*<[^;{{}}]*?(?P<g>{_WARPSIZE})"
    rf"|#\s*(?:if|elif)\b[^\n]*?(?P<h>{_WARPSIZE})"
    rf"|\btemplate\s*<[^;{{}}()]*?=\s*(?P<i>{_WARPSIZE})|\bif\s+constexpr\s*\([^;{{}}]*?(?P<k>{_WARPSIZE})"
)
# A declaration has a type before the name; an index has not.
_ARRAY = re.compile(
    rf"(?P<type>[A-Za-z_][\w:]*(?:\s*<[^;{{}}<>]*>)?)[\s*&]+\w+\s*(?:\[[^\[\];]*\]\s*)*\[(?P<bound>[^\[\];]*?{_WARPSIZE}[^\[\];]*)\]"
)
_TEMPLATE = re.compile(
    rf"\b[A-Za-z_]\w*\s*<(?P<list>(?:[^<>;(){{}}&|=]|<[^<>;(){{}}]*>)*?{_WARPSIZE}[^<>;(){{}}&|=]*)>\s*(?:[({{:,;>&*]|\w)"
)
_NOT_TYPES = frozenset({"return", "else", "case", "goto", "new", "delete", "throw", "typename", "co_return"})
_OWN = re.compile(
    r"\b(?:int|unsigned|auto|size_t|u?int\d+_t|short|long)\s+warpSize\s*[={;,)]|#\s*define\s+warpSize\b"
)


class WarpSizeConstant:
    """Template arguments, array bounds, constexpr values and the like that contain `warpSize`."""

    name = "warpsize-constant"
    needles = ("warpSize",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or _OWN.search(file.code):
            return
        for start, end in _statements(file.code):
            for found in _CONSTANT.finditer(file.code, start, end):
                yield from _at(file, next(found.start(g) for g in "abcdeghik" if found[g]))
            for found in _ARRAY.finditer(file.code, start, end):
                if found["type"] not in _NOT_TYPES:
                    yield from _at(file, found.start("bound") + found["bound"].index("warpSize"))
            for found in _TEMPLATE.finditer(file.code, start, end):
                yield from _at(file, found.start("list") + found["list"].index("warpSize"))


def _statements(code: str) -> Iterator[tuple[int, int]]:
    """(start, end) of everything between two semicolons that holds the name."""
    end = 0
    while (at := code.find("warpSize", end)) >= 0:
        start, end = code.rfind(";", end, at) + 1 or end, code.find(";", at) + 1 or len(code)
        yield start, end


def _at(file: CFile, start: int) -> Iterator[Match]:
    line, column = file.lexed.place(start)
    if file.guard_at(line) in (Guard.NONE, Guard.AMD):
        yield Match(line, column, column + len("warpSize"), "warpSize")


DETECTOR: Detector = WarpSizeConstant()
