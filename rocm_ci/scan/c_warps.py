"""What a C file shows about the groups of lanes it works with."""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_source import CFile


class Lanes(enum.Enum):
    """How many lanes a stretch of code works with, as far as it tells."""

    UNKNOWN = "unknown"  # nothing in it reaches across lanes
    GROUPS = "groups"  # groups smaller than a wave, on purpose: legal on every target
    WAVE = "wave"  # the whole wave, whatever its size


SHUFFLE = re.compile(r"__shfl(?<![\w.>]__shfl)(?:_up|_down|_xor)?(?P<sync>_sync)?\s*\(")
_ANY_WARP_CODE = re.compile(
    r"__(?<![\w.>]__)(?:shfl|ballot|any|all|activemask|syncwarp|match|reduce_\w+_sync)\w*\s*\("
)
_VOTE = re.compile(r"(?<![\w.>])(?:__ballot|__any|__all|__activemask|__match_a\w+|__reduce_\w+_sync)\w*\s*\(")
_SYNC = re.compile(r"__syncwarp(?<![\w.>]__syncwarp)\s*\(")
# A wrapper around such a function that some other file defines, by its name.
_WRAPPER = re.compile(
    r"(?:[wW](?:arp|ave)\w*(?:[rR]ed|[sS]can|[sS]um|[mM]ax|[mM]in|[bB]roadcast|[bB]cast|[vV]ote|[bB]allot|[pP]refix|[sS]hu?ff?l"
    r"|[wW]elford|[sS]ort)|(?:[rR]educe|[sS]can|[sS]um|[mM]ax|[bB]roadcast)_?(?:[oO]ver_?)?[wW](?:arp|ave)|WARP_?(?:RED|SCAN|SUM|SHFL|BALLOT)"
    r"|WARP_REDUCE|SHFL_(?:XOR|DOWN|UP))\w*\s*(?P<of><[^<>;(){}]*>\s*)?\("
)
_TILES = re.compile(r"\btiled_partition\s*<|\bthread_block_tile\s*<|\b\w*SHFL\w*_WIDTH\s*\(")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>\s*)?\(")
_FOR_32 = re.compile(
    r"\b\w*(?:[wW]arp|[wW]ave|WARP|WAVE)\w*(?:\s*\(\s*\))?\s*(?:==\s*32\b|<=?\s*32\b|<\s*64\b|!=\s*64\b)"
    r"|\b(?:size|width)\s*==\s*32\b|\b32\s*==\s*\w*(?:[wW]arp|[wW]ave|WARP|WAVE)\w*"
    r"|(?:\btid|\blane\w*|threadIdx\s*\.\s*x|\bthread_?id\w*)\s*<\s*32\b"
)
_IF = re.compile(r"\b(?:if|case)\b[^;{}]*\Z")
_OPENED = re.compile(r"\bif\b[^;{}]*\Z")
_FAR = 3000
_WHOLE = 64


def uses_warps(file: CFile) -> bool:
    """Whether it calls warp functions at all."""
    return _ANY_WARP_CODE.search(file.code) is not None


def states_width(sync: bool, given: list[str]) -> bool:  # noqa: FBT001 - half of a shuffle's name
    """Whether a shuffle call with these arguments has a width of its own."""
    return len(given) > (3 if sync else 2)


def spans_the_wave(file: CFile, call: re.Match[str]) -> bool:
    """Whether a shuffle (a match of `SHUFFLE`) has no width, or one of 64 or `warpSize`."""
    given = arguments(file.code, call.end())
    if not states_width(bool(call["sync"]), given):
        return True
    width = given[-1]
    return width == "warpSize" or (file.constants.fold(width).value or 0) >= _WHOLE


@lru_cache(maxsize=64)
def lanes_of(file: CFile, start: int = 0, end: int | None = None) -> Lanes:
    """How many lanes a stretch of code works with. Functions of the file that it calls count."""
    stop = len(file.code) if end is None else end
    own, either = _own_lanes(file, start, stop)
    if own is not Lanes.UNKNOWN:
        return own
    known = _functions_across_lanes(file)
    called = {known[found[1]] for found in _CALL.finditer(file.code, start, stop) if found[1] in known}
    if Lanes.WAVE in called:
        return Lanes.WAVE
    if Lanes.GROUPS in called or _TILES.search(file.code, start, stop):
        return Lanes.GROUPS
    if either:
        return Lanes.WAVE
    wrapper = _WRAPPER.search(file.code, start, stop)
    if wrapper is None:
        return Lanes.UNKNOWN
    of = [file.constants.fold(one).value for one in (wrapper["of"] or "").strip("<> \t").split(",")]
    return Lanes.GROUPS if any(value is not None and value < _WHOLE for value in of) else Lanes.WAVE


def _own_lanes(file: CFile, start: int, stop: int) -> tuple[Lanes, bool]:
    """What the calls of a stretch itself tell, and whether a call may be for groups or the wave."""
    stated, either = False, _SYNC.search(file.code, start, stop) is not None
    for found in SHUFFLE.finditer(file.code, start, stop):
        if not spans_the_wave(file, found):
            stated = True
        elif "_xor" in found[0]:
            either = True
        else:
            return Lanes.WAVE, False
    if _VOTE.search(file.code, start, stop):
        return Lanes.WAVE, False
    # Where the width is stated somewhere, an exchange by xor stays within the group anyway.
    return (Lanes.GROUPS, False) if stated else (Lanes.UNKNOWN, either)


@lru_cache(maxsize=2)
def _functions_across_lanes(file: CFile) -> dict[str, Lanes]:
    """The device functions of the file that call warp functions."""
    found: dict[str, Lanes] = {}
    for call in _ANY_WARP_CODE.finditer(file.code):
        function = file.functions.at(call.start())
        if function is not None and not function.is_kernel and function.name not in found:
            own, either = _own_lanes(file, function.start, function.end)
            found[function.name] = Lanes.WAVE if either else own
    return found


@lru_cache(maxsize=64)
def is_ported(file: CFile, start: int, end: int) -> bool:
    """Whether a stretch has lines for AMD alone: its author thought of the wave there."""
    first, last = file.line_of(start), file.line_of(end)
    return Guard.AMD in file.guards[first - 1 : last]


def is_for_32_only(file: CFile, offset: int) -> bool:
    """Whether a place is reached with 32 lanes only: `if (warpSize == 32)`, `#if WARP_SIZE == 32`."""
    line = file.line_of(offset)
    if any(first <= line <= last for first, last in _branches_for_32(file)):
        return True
    code = file.code
    start = file.lexed.line_starts[line - 1]
    if _FOR_32.search(code, start, offset) and _IF.search(code[start:offset]):
        return True
    return _is_in_block_for_32(file, offset)


def _is_in_block_for_32(file: CFile, offset: int) -> bool:
    """Whether an `if` around a place, in its function, asks for 32 lanes."""
    code = file.code
    function = file.functions.at(offset)
    if function is None or offset < function.start:
        return False
    depth = 0
    for at in range(offset - 1, max(function.start, offset - _FAR), -1):
        char = code[at]
        if char == "}":
            depth += 1
        elif char == "{":
            depth -= 1
            if depth < 0:
                depth = 0
                condition = _OPENED.search(code, max(function.start, at - 200), at)
                if condition is not None and _FOR_32.search(condition[0]):
                    return True
    return False


@lru_cache(maxsize=2)
def _branches_for_32(file: CFile) -> tuple[tuple[int, int], ...]:
    """The lines of `#if` branches whose condition asks for 32 lanes."""
    return tuple(_branches(file))


def _branches(file: CFile) -> Iterator[tuple[int, int]]:
    stack: list[int] = []
    for one in file.directives:
        if one.name in ("if", "ifdef", "ifndef"):
            stack.append(one.line if _FOR_32.search(one.text) else 0)
        elif one.name in ("elif", "else", "elifdef", "elifndef", "endif") and stack:
            first = stack.pop()
            if first:
                yield first, one.line
            if one.name != "endif":
                stack.append(one.line if _FOR_32.search(one.text) else 0)
