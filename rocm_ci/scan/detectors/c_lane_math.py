"""Lane and warp numbers computed for 32 lanes: `threadIdx.x & 31`, `tid >> 5`, `blockDim.x / 32`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import uses_warps, works_in_groups_of_32
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_THREAD = (
    r"(?:threadIdx\s*\.\s*[xyz]"
    r"|\b(?:tid|t_id|thread_?id\w*|threadIndex|linear_tid|local_tid|lane\w*|thread_rank\s*\(\s*\))\b)"
)
_BLOCK = r"(?:blockDim\s*\.\s*[xyz]|\b(?:block_?[sS]ize|num_?[tT]hreads|n_?threads|BLOCK_SIZE|NUM_THREADS)\b)"
# At most one space around the operator: then these few strings are needles of every match.
_BY_32 = r"\)* ?(?:&=? ?(?:31|0x1[fF])|>>=? ?5|%=? ?32|/=? ?32)[uU]?\b"
_OPERATIONS = (("&", "31"), ("&", "0x1f"), ("&", "0x1F"), (">>", "5"), ("%", "32"), ("/", "32"))
_OF_THREAD = re.compile(_THREAD + _BY_32)
_OF_BLOCK = re.compile(_BLOCK + r"(?: ?\+ ?31)?\)* ?(?:>> ?5|/ ?32)[uU]?\b")
_LAST_LANE = re.compile(r"\blane(?:_?[iI]d|Idx)?\b ?[=!]= ?31\b")
# What is assigned tells lane arithmetic from the index of a 32-wide tile.
_TARGET = re.compile(r"\b\w*(?:lane|warp|wave|wid)\w*\b\s*(?:=|\(|\{|\[)|^\s*return\b", re.IGNORECASE)


class LaneMath:
    """Lane arithmetic with 32; in a file without warp functions only where a name says lane or warp."""

    name = "lane-math"
    needles = (
        *(f"{op}{equals}{gap}{n}" for op, n in _OPERATIONS for equals in ("", "=") for gap in ("", " ")),
        "= 31",
        "=31",
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or works_in_groups_of_32(file):
            return
        warps = uses_warps(file)
        for pattern, needs_name in ((_OF_THREAD, not warps), (_OF_BLOCK, True), (_LAST_LANE, False)):
            for found, line, column in file.search(pattern):
                before = file.code[file.lexed.line_starts[line - 1] : found.start()]
                if needs_name and not _TARGET.search(before):
                    continue
                shown = found[0].split("\n")[0]
                yield Match(line, column, column + len(shown), " ".join(found[0].split()))


detector: Detector = LaneMath()
