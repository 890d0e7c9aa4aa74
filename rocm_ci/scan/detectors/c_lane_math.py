"""Lane and warp numbers computed for 32 lanes: `threadIdx.x & 31`, `tid >> 5`, `tid % 32`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_THREAD = (
    r"(?:threadIdx\s*\.\s*[xyz]"
    r"|\b(?:tid|t_id|thread_?id\w*|threadIndex|linear_tid|local_tid|lane\w*|thread_rank\s*\(\s*\))\b)"
)
# At most one space around the operator: then these few strings are needles of every match.
_BY_32 = r"\)* ?(?:&=? ?(?:31|0x1[fF])|>>=? ?5|%=? ?32|/=? ?32)[uU]?\b"
_OPERATIONS = (("&", "31"), ("&", "0x1f"), ("&", "0x1F"), (">>", "5"), ("%", "32"), ("/", "32"))
_MATH = re.compile(_THREAD + _BY_32)
# What is assigned tells lane arithmetic from the index of a 32-wide tile.
_TARGET = re.compile(r"(?:\b\w*(?:lane|warp|wave|wid)\w*\b)\s*(?:=|\(|\{|\[)|^\s*return\b", re.IGNORECASE)
_WARP_CODE = re.compile(
    r"\b(?:__shfl|__ballot|__any|__all|__activemask|__syncwarp|__match|__reduce_\w+_sync)\w*\s*\("
)


class LaneMath:
    """Lane arithmetic with 32; in a file without warp functions only where a name says lane or warp."""

    name = "lane-math"
    needles = tuple(
        f"{op}{equals}{space}{n}" for op, n in _OPERATIONS for equals in ("", "=") for space in ("", " ")
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        uses_warps: bool | None = None
        for found, line, column in file.search(_MATH):
            text = file.code[file.lexed.line_starts[line - 1] : found.start()]
            if not _TARGET.search(text):
                if uses_warps is None:
                    uses_warps = _WARP_CODE.search(file.code) is not None
                if not uses_warps:
                    continue
            shown = found[0].split("\n")[0]
            yield Match(line, column, column + len(shown), " ".join(found[0].split()))


detector: Detector = LaneMath()
