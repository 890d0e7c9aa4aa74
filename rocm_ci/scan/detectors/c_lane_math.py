"""Lane and warp numbers computed for 32 lanes: `threadIdx.x & 31`, `tid >> 5`, `blockDim.x / 32`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import uses_warps, works_in_groups_of_32
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

# Operations with these numbers are rarer than names of threads: the name is looked for before each.
# At most one space around the operator: then a few strings are needles of every match.
_OPERATION = re.compile(
    r"(?:&=? ?(?:31|0x1[fF])|(?P<count>>> ?5|/ ?32)|>>= ?5|%=? ?32|/= ?32|(?P<last>[=!]= ?31))[uU]?\b"
)
_THREAD = re.compile(
    r"(?:threadIdx\s*\.\s*[xyz]"
    r"|\b(?:tid|t_id|thread_?id\w*|threadIndex|linear_tid|local_tid|lane\w*|thread_rank\s*\(\s*\))\b)\)* ?\Z"
)
_BLOCK = re.compile(
    r"(?:blockDim\s*\.\s*[xyz]|\b(?:block_?[sS]ize|num_?[tT]hreads|n_?threads|BLOCK_SIZE|NUM_THREADS)\b)"
    r"(?: ?\+ ?31)?\)* ?\Z"
)
_LANE = re.compile(r"\blane(?:_?[iI]d|Idx)? ?\Z")
_LONGEST = 80
_OPERATIONS = (("&", "31"), ("&", "0x1f"), ("&", "0x1F"), (">>", "5"), ("%", "32"), ("/", "32"))
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
        for found, line, _ in file.search(_OPERATION):
            line_start = file.lexed.line_starts[line - 1]
            operand, needs_name = _operand(file.code, max(line_start, found.start() - _LONGEST), found)
            if operand is None:
                continue
            before = file.code[line_start : operand.start()]
            if (needs_name or not (warps or found["last"])) and not _TARGET.search(before):
                continue
            column = operand.start() - line_start + 1
            text = file.code[operand.start() : found.end()]
            yield Match(line, column, column + len(text), " ".join(text.split()))


def _operand(code: str, least: int, found: re.Match[str]) -> tuple[re.Match[str] | None, bool]:
    """What is computed with, and whether only the name of the result tells that it is about warps."""
    if found["last"]:
        return _LANE.search(code, least, found.start()), False
    thread = _THREAD.search(code, least, found.start())
    if thread is None and found["count"]:
        return _BLOCK.search(code, least, found.start()), True
    return thread, False


DETECTOR: Detector = LaneMath()
