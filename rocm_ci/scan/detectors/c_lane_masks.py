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
_NAME = re.compile(r"[A-Za-z_]\w*")


class LaneMasks:
    """32-bit constants as masks of `*_sync` functions, directly or through a name of the same file."""

    name = "lane-masks"
    needles = ("_sync", "__syncwarp")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        names: set[str] = set()
        for found, _, _ in file.search(_SYNC):
            given = arguments(file.code, found.end())
            if not given:
                continue
            if _ALL_ONES.fullmatch(given[0]) or re.fullmatch(r"(?:~0[uU]?|UINT32_MAX|UINT_MAX)", given[0]):
                start = file.code.index(given[0].split()[0], found.end())
                line, column = file.lexed.place(start)
                yield Match(line, column, column + len(given[0].split()[0]), given[0])
            elif _NAME.fullmatch(given[0]):
                names.add(given[0])
        if names:
            yield from _definitions(file, names)


def _definitions(file: CFile, names: set[str]) -> Iterator[Match]:
    either = "|".join(sorted(map(re.escape, names)))
    pattern = re.compile(
        rf"(?:\b(?:{either})\s*[={{]|#\s*define\s+(?:{either})\b)[^;\n]*?(?P<mask>(?<![\w.])0[xX][fF]{{8}}[uU]?)(?![0-9a-zA-Z_])"
    )
    for found, _, _ in file.search(pattern):
        line, column = file.lexed.place(found.start("mask"))
        yield Match(line, column, column + len(found["mask"]), found["mask"])


detector: Detector = LaneMasks()
