"""What a C file shows about the groups of lanes it works with."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_source import CFile

SHUFFLE = re.compile(r"(?<![\w.>])__shfl(?:_up|_down|_xor)?(?P<sync>_sync)?\s*\(")
_WARP_CODE = re.compile(
    r"(?<![\w.>])(?:__shfl|__ballot|__any|__all|__activemask|__syncwarp|__match|__reduce_\w+_sync)\w*\s*\("
)
# A call that works across the lanes of a warp, by its name, and what only makes sense with one.
_WARP_CALL = re.compile(
    r"\b\w*(?:[wW]arp|[wW]ave|WARP|WAVE|[sS]hfl|SHFL|[sS]huffle|SHUFFLE|[bB]allot|BALLOT)\w*\s*(?:<[^<>;(){}]*>\s*)?\("
    r"|\bcub::\w+|\bmma\w*\s*[<(:]|\basm\b|__asm"
)
_TILE_OF_32 = re.compile(
    r"\btiled_partition\s*<\s*32\s*>|\bthread_block_tile\s*<\s*32\b|\b\w*SHFL\w*_WIDTH\s*\("
)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>\s*)?\(")
_FOR_32 = re.compile(
    r"\b\w*(?:[wW]arp|[wW]ave|WARP|WAVE)\w*(?:\s*\(\s*\))?\s*(?:==\s*32\b|<=?\s*32\b|<\s*64\b|!=\s*64\b)"
    r"|\b(?:size|width)\s*==\s*32\b|\b32\s*==\s*\w*(?:[wW]arp|[wW]ave|WARP|WAVE)\w*"
    r"|(?:\btid|\blane\w*|threadIdx\s*\.\s*x|\bthread_?id\w*)\s*<\s*32\b"
)
_IF = re.compile(r"\b(?:if|case)\b[^;{}]*\Z")
_OPENED = re.compile(r"\bif\b[^;{}]*\Z")
_FAR = 3000


def uses_warps(file: CFile) -> bool:
    """Whether it calls warp functions at all."""
    return _WARP_CODE.search(file.code) is not None


def has_warp_code(file: CFile, start: int, end: int) -> bool:
    """Whether a stretch of code calls warp functions, wrappers of them of the same file included."""
    if any(pattern.search(file.code, start, end) for pattern in (_WARP_CODE, _WARP_CALL)):
        return True
    across = _functions_across_lanes(file)
    return bool(across) and any(found[1] in across for found in _CALL.finditer(file.code, start, end))


@lru_cache(maxsize=2)
def _functions_across_lanes(file: CFile) -> frozenset[str]:
    """The names of device functions of the file that call warp functions."""
    names = set()
    for found in _WARP_CODE.finditer(file.code):
        function = file.functions.at(found.start())
        if function is not None and not function.is_kernel:
            names.add(function.name)
    return frozenset(names)


def is_ported(file: CFile, start: int, end: int) -> bool:
    """Whether a stretch has lines for AMD alone: its author thought of the wave there."""
    first, last = file.line_of(start), file.line_of(end)
    return Guard.AMD in file.guards[first - 1 : last]


def states_width(sync: bool, given: list[str]) -> bool:  # noqa: FBT001 - half of a shuffle's name
    """Whether a shuffle call with these arguments has a width of its own."""
    return len(given) > (3 if sync else 2)


def spans_the_wave(file: CFile, call: re.Match[str]) -> bool:
    """Whether a shuffle (a match of `SHUFFLE`) has no width, or one of 64 or `warpSize`."""
    given = arguments(file.code, call.end())
    if not states_width(bool(call["sync"]), given):
        return True
    width = given[-1]
    return width == "warpSize" or (file.constants.fold(width).value or 0) >= 64


def works_in_groups_of_32(file: CFile, start: int = 0, end: int | None = None) -> bool:
    """Whether a stretch works with 32 lanes on purpose: every shuffle states its width, or tiles do the work.

    Groups smaller than a wave are legal on AMD.
    """
    stop = len(file.code) if end is None else end
    stated, open_ended = False, []
    for found in SHUFFLE.finditer(file.code, start, stop):
        if spans_the_wave(file, found):
            open_ended.append(found[0])
        else:
            stated = True
    if stated:
        # An exchange by xor stays within the group anyway.
        return all("_xor" in one for one in open_ended)
    return not open_ended and _TILE_OF_32.search(file.code, start, stop) is not None


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


def _branches_for_32(file: CFile) -> Iterator[tuple[int, int]]:
    """The lines of `#if` branches whose condition asks for 32 lanes."""
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
