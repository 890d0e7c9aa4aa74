"""Lane masks of 32 bits: HIP wants 64 bits on every target, and wave64 needs them all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYNC = re.compile(
    r"\b__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_(?:any|all)|reduce_(?:add|min|max|and|or|xor))_sync\s*\("
    r"|\b__syncwarp\s*\("
)
_ALL_ONES = re.compile(
    r"\(?\s*(?:\(\s*(?:unsigned(?:\s+int)?|int|uint32_t)\s*\)\s*)?(?:0[xX][fF]{8}|4294967295)[uU]?(?![0-9a-zA-Z_])\s*\)?"
)
_OTHER_ONES = re.compile(r"~\s*0[uU]?|UINT32_MAX|UINT_MAX")
_NAME = re.compile(r"[A-Za-z_]\w*")
_MASK_NAME = (
    r"\w*(?:(?:[fF]ull|[wW]arp|[lL]ane)s?_?(?:[wW]arp_?)?[mM]ask|(?:FULL|WARP|LANE)S?_?(?:WARP_?)?MASK)\w*"
)


class LaneMasks:
    """32-bit constants as masks of `*_sync` functions, directly or through a name of the same file."""

    name = "lane-masks"
    needles = ("_sync", "__syncwarp", "fffffff", "FFFFFFF")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        names: dict[str, str] = {}
        for found, _, _ in file.search(_SYNC):
            given = arguments(file.code, found.end())
            # A macro of this name, as ports define it for AMD, drops the mask.
            function = found[0].rstrip("( \t\n")
            if not given or function in file.defines:
                continue
            if _ALL_ONES.fullmatch(given[0]) or _OTHER_ONES.fullmatch(given[0]):
                start = file.code.index(given[0].split()[0], found.end())
                line, column = file.lexed.place(start)
                end = column + len(given[0].split()[0])
                yield Match(line, column, end, given[0], name=function)
            elif _NAME.fullmatch(given[0]):
                names[given[0]] = function
        yield from _definitions(file, names)


def _definitions(file: CFile, names: dict[str, str]) -> Iterator[Match]:
    """Where a name gets its 32 bits: one that is used as a mask here, or that says so itself."""
    either = "|".join([*sorted(map(re.escape, names)), _MASK_NAME])
    pattern = re.compile(
        rf"(?:\b(?P<set>{either})\s*[={{]|#\s*define\s+(?P<macro>{either})\b)[^;\n]*?"
        r"(?P<mask>(?<![\w.])0[xX][fF]{8}[uU]?)(?![0-9a-zA-Z_])"
    )
    for found, _, _ in file.search(pattern):
        line, column = file.lexed.place(found.start("mask"))
        used_by = names.get(found["set"] or found["macro"])
        yield Match(line, column, column + len(found["mask"]), found["mask"], name=used_by)


DETECTOR: Detector = LaneMasks()
