"""Lane and warp numbers computed for 32 lanes: `threadIdx.x & 31`, `tid >> 5`, `blockDim.x / 32`."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import Lanes, is_for_32_only, is_ported, lanes_of
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function

# Operations with these numbers are rarer than names of threads: the name is looked for before each.
# At most one space around the operator: then a few strings are needles of every match. A set of characters
# at the start is found quickly.
_OPERATION = re.compile(
    r"[&>/%=!](?:(?<=&)=? ?(?:31|0x1[fF])|(?P<count>(?<=>)> ?5|(?<=/) ?32)|(?<=>)>= ?5"
    r"|(?<=%)=? ?32|(?<=/)= ?32|(?P<last>(?<=[=!])= ?31))[uU]?\b"
)
_THREAD = re.compile(
    r"(?:threadIdx\s*\.\s*[xyz]"
    r"|\b(?:tid|t_id|thread_?id\w*|threadIndex|linear_tid|local_tid|lane\w*|thread_rank\s*\(\s*\))\b)\)* ?\Z"
)
_BLOCK = re.compile(
    r"(?:blockDim\s*\.\s*[xyz]|\b(?:block_?[sS]ize|num_?[tT]hreads|n_?threads|BLOCK_SIZE|NUM_THREADS)\b)"
    r"(?: ?\+ ?(?:31|32 ?- ?1))?\)* ?\Z"
)
_LANE = re.compile(r"(?:\blane(?:_?[iI]d|Idx)?|threadIdx\s*\.\s*x\s*(?:%\s*32|&\s*31)\s*\)*) ?\Z")
_LONGEST = 80
_MOST_IN_FUNCTION = 4
_OPERATIONS = (("&", "31"), ("&", "0x1f"), ("&", "0x1F"), (">>", "5"), ("%", "32"), ("/", "32"))
# What is assigned tells lane arithmetic from the index of a 32-wide tile.
_TARGET = re.compile(
    r"\b\w*(?:lane|warp|wave|wid)\w*\b\s*(?:=|\(|\{|\[)|\bnw\s*=|^\s*return\b|#\s*define\s+\w*(?:lane|warp|wave|wid)\w*",
    re.IGNORECASE,
)
_TILE_NAME = re.compile(
    r"\b(?:col(?:umn)?s?|rows?|[xyijk]|tx|ty|block|inside|offset|bit|word)\w{0,3}\s*=\s*\(*\Z", re.IGNORECASE
)
# `(threadIdx.x % 32) / 4` is the place of a thread in the fragment of a matrix instruction.
_FRAGMENT = re.compile(r"\s*\)+\s*[/%]")
# A lane of the whole wave: what is computed with it is meant for a part of the wave.
_OF_WAVE = (
    r"\b{}\s*(?:=|\{{)\s*[^;]*(?:__lane_id\s*\(|%\s*(?P<size>warpSize|64|WARP_SIZE|WAVE_SIZE|kWarpSize|C10_WARP_SIZE)\b"
    r"|&\s*(?:63|0x3[fF])\b)"
)
# Storage of CUB for groups of 32: `WarpReduce<T, 32>(storage[threadIdx.x / 32])`.
_STORAGE = re.compile(r"\b\w*(?:tmp|temp|storage)\w*\s*\[\s*\(*\s*\Z", re.IGNORECASE)
_OF_GROUPS = re.compile(r"\bWarp(?:Reduce|Scan|Exchange|Load|Store|MergeSort)\s*<[^;{}]*,\s*(?:16|32)\s*>")
_SLOT = re.compile(r"\[\s*\w*(?:warp|wave|wid|WARP)\w*\s*\]")


class LaneMath:
    """Lane arithmetic with 32 where something reaches across the lanes of a wave."""

    name = "lane-math"
    needles = (
        *(f"{op}{equals}{gap}{n}" for op, n in _OPERATIONS for equals in ("", "=") for gap in ("", " ")),
        "= 31",
        "=31",
    )
    also = ("threadIdx", "thread", "tid", "t_id", "lane", "lock", "Threads", "BLOCK_SIZE", "NUM_THREADS")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        return (match for match, lanes in lane_arithmetic(parsed.tree) if lanes is Lanes.WAVE)


@lru_cache(maxsize=2)
def lane_arithmetic(file: object) -> tuple[tuple[Match, Lanes], ...]:
    """Every place where lanes are numbered for 32, and what the function around it works with."""
    return tuple(_lane_arithmetic(file)) if isinstance(file, CFile) else ()


def _lane_arithmetic(file: CFile) -> Iterator[tuple[Match, Lanes]]:
    told: Counter[tuple[Function | None, str]] = Counter()
    for found, line, _ in file.search(_OPERATION, guards=(Guard.NONE,)):
        line_start = file.lexed.line_starts[line - 1]
        operand, needs_name = _operand(file.code, max(line_start, found.start() - _LONGEST), found)
        if operand is None:
            continue
        text = file.code[operand.start() : found.end()]
        shown = " ".join(text.split())
        if _is_lane_of_wave(file, operand):
            continue
        # The fragments of a matrix kernel repeat one expression dozens of times.
        key = (file.functions.at(operand.start()), shown)
        if told[key] >= _MOST_IN_FUNCTION:
            continue
        lanes = _lanes(file, operand.start(), file.code[line_start : operand.start()], needs_name, found)
        if lanes is not Lanes.GROUPS:
            told[key] += 1
            column = operand.start() - line_start + 1
            yield Match(line, column, column + len(text), shown), lanes


def _operand(code: str, least: int, found: re.Match[str]) -> tuple[re.Match[str] | None, bool]:
    """What is computed with, and whether only the name of the result tells that it is about warps."""
    if found["last"]:
        return _LANE.search(code, least, found.start()), False
    thread = _THREAD.search(code, least, found.start())
    if thread is None and found["count"]:
        return _BLOCK.search(code, least, found.start()), True
    return thread, False


def _is_lane_of_wave(file: CFile, operand: re.Match[str]) -> bool:
    """Whether the name that is computed with is a lane out of 64, as its function says."""
    name = operand[0].strip(") ")
    function = file.functions.at(operand.start())
    if "lane" not in name or not name.isidentifier() or function is None:
        return False
    named = re.compile(_OF_WAVE.format(name)).search(file.code, function.start, operand.start())
    return named is not None and (not named["size"] or file.constants.named(named["size"]).value != 32)


def _lanes(
    file: CFile,
    offset: int,
    before: str,
    needs_name: bool,  # noqa: FBT001 - see `_operand`
    found: re.Match[str],
) -> Lanes:
    """What the place works with; groups also when it is no lane arithmetic at all."""
    function = file.functions.at(offset)
    start, end = (function.header, function.end) if function else (0, len(file.code))
    named = _TARGET.search(before) is not None
    if (_TILE_NAME.search(before) or needs_name) and not named:
        return Lanes.GROUPS
    if not named and _FRAGMENT.match(file.code, found.end()):
        return Lanes.GROUPS
    if _STORAGE.search(before) and _OF_GROUPS.search(file.code, start, end):
        return Lanes.GROUPS
    lanes = lanes_of(file, start, end)
    if lanes is Lanes.UNKNOWN:
        # A helper that numbers lanes, or code beside functions that work on the wave.
        if function is None or (not function.is_kernel and _TARGET.search(function.name + "(")):
            lanes = lanes_of(file)
        elif (named or found["last"]) and _SLOT.search(file.code, function.start, end):
            lanes = Lanes.WAVE
        if not named and not found["last"]:
            return Lanes.GROUPS
    if lanes is Lanes.GROUPS or is_for_32_only(file, offset) or is_ported(file, start, end):
        return Lanes.GROUPS
    return lanes


DETECTOR: Detector = LaneMath()
