"""`warpSize` where the language wants a constant expression, which it no longer is from ROCm 7 on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

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
        for found, _, _ in file.search(_CONSTANT):
            start = next(found.start(g) for g in "abcdeghik" if found[g])
            yield _at(file, start)
        for found, _, _ in file.search(_ARRAY):
            if found["type"] not in _NOT_TYPES:
                yield _at(file, found.start("bound") + found["bound"].index("warpSize"))
        for found, _, _ in file.search(_TEMPLATE):
            yield _at(file, found.start("list") + found["list"].index("warpSize"))


def _at(file: CFile, start: int) -> Match:
    line, column = file.lexed.place(start)
    return Match(line, column, column + len("warpSize"), "warpSize")


DETECTOR: Detector = WarpSizeConstant()
