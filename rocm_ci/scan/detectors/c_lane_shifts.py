"""32-bit numbers shifted by a lane number, and masks made by a shift of the whole wave."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import is_for_32_only, uses_warps
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function

_NARROW = (
    r"(?:(?<![\w.)])(?:1[uU]?|-\s*1|~\s*0[uU]?|0[xX][fF]{8}[uU]?|0[xX]0*1[uU]?|UINT32_MAX|UINT_MAX)"
    r"|\b(?:(?:std::)?u?int32_t|unsigned|int|uint)\s*[({]\s*1[uU]?\s*[)}]"
    r"|\bstatic_cast\s*<\s*(?:(?:std::)?u?int32_t|unsigned(?:\s+int)?|int|uint)\s*>\s*\(\s*1[uU]?\s*\)"
    r"|\(\s*(?:(?:std::)?u?int32_t|unsigned(?:\s+int)?|int|uint)\s*\)\s*1[uU]?\b)"
)
_LANE = (
    r"(?:\w*[lL]ane(?:_?[iI][dD]x?)?\b(?:\s*\(\s*\))?|LANE(?:_?ID)?\b|LaneId\(\)|warpSize\b|WARP_SIZE\b|kWarpSize\b|WAVE_?SIZE\b"
    r"|threadIdx\s*\.\s*x\s*(?:%\s*(?:warpSize|WARP_SIZE|kWarpSize|64)|&\s*(?:63|0x3[fF]|\(\s*warpSize\s*-\s*1\s*\))))"
)
# Operators are rarer than numbers: the number is looked for before each.
_SHIFT = re.compile(rf"(?:<<|>>)\s*(?:\(\s*)*(?:\w+\s*-\s*)?(?P<by>{_LANE})(?P<after>[^;\n]{{0,20}})")
_NUMBER = re.compile(rf"(?P<number>{_NARROW})\s*\Z")
_LONGEST_NUMBER = 80
# `lane & 31`, `lane % 32` and `lane / 4` stay within 32 bits.
_BOUNDED = re.compile(r"\s*(?:&\s*(?:31|0x1[fF]|15|7|3|1)\b|%\s*(?:32|16|8|4|2)\b|/\s*\d|>>\s*\d)")
_WHOLE_WAVE = re.compile(
    r"1(?<![\w.]1)(?:[uU]?[lL]{1,2}[uU]?)\s*<<\s*\(?\s*(?P<by>warpSize|WARP_SIZE|kWarpSize|WAVE_?SIZE|__AMDGCN_WAVEFRONT_SIZE(?:__)?)\s*\)"
)
_WIDENED = re.compile(
    r"\b(?:(?:std::)?uint64_t|unsigned\s+long(?:\s+long)?|lane_?mask(?:_t)?|LaneMask\w*)\s+\w+\s*=\s*\(?\s*(?P<number>1[uU]?)\s*<<\s*\(?\s*(?P<by>[A-Za-z_]\w*)\b(?P<after>[^;\n]{0,20})"
)
_RETURNED = re.compile(
    r"return\b(?<!\wreturn)\s*\(*\s*(?P<number>1[uU]?)\s*<<\s*\(?\s*(?P<by>\w*(?:[wW]idth|[lL]ane|[wW]arp|[wW]ave|[rR]ank)\w*)\b(?P<after>[^;\n]{0,20})"
)
_WIDE_RESULT = re.compile(
    r"\b(?:uint64_t|unsigned\s+long(?:\s+long)?|\w*[lL]ane_?[mM]ask\w*)\s+\w+\s*\(|->\s*(?:std::)?uint64_t\s*\Z"
)
_VOTE = re.compile(
    r"(?<![\w:<])(?:const\s+)?(?:unsigned\s+long(?:\s+long)?|(?:std::)?u?int64_t|auto|ulong|long\s+long)\s+(?:const\s+)?(?P<name>\w+)\s*[=({]\s*__(?:ballot|activemask|match_any)\w*\s*\("
)


class LaneShifts:
    """`1 << lane` and its kin where a wave has 64 lanes."""

    name = "lane-shifts"
    needles = (
        "lane",
        "Lane",
        "LANE",
        "warpSize",
        "WARP_SIZE",
        "WarpSize",
        "WAVE",
        "__ballot",
        "__shfl",
        "__activemask",
        "__match_a",
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        for found, _, _ in file.search(_SHIFT):
            number = _NUMBER.search(file.code, max(0, found.start() - _LONGEST_NUMBER), found.start())
            if number and not _BOUNDED.match(found["after"]) and not is_for_32_only(file, number.start()):
                yield _at(file, number, found.end("by"))
        for found, _, _ in file.search(_WIDENED) if uses_warps(file) else ():
            if not _BOUNDED.match(found["after"]) and not is_for_32_only(file, found.start()):
                yield _at(file, found, found.end("by"))
        for found, line, _ in file.search(_WHOLE_WAVE):
            start = file.lexed.line_starts[line - 1]
            if "?" not in file.code[start : found.start()]:
                yield _at(
                    file,
                    found,
                    found.end("by"),
                    "`{match}` shifts a 64-bit number by 64 on wave64, which is undefined",
                )
        yield from _tested_bits(file)
        yield from _returned(file)


def _at(file: CFile, found: re.Match[str], end: int, message: str | None = None) -> Match:
    start = found.start("number") if "number" in found.re.groupindex else found.start()
    line, column = file.lexed.place(start)
    text = file.code[start:end].split("\n")[0]
    return Match(line, column, column + len(text), " ".join(text.split()), message=message)


def _returned(file: CFile) -> Iterator[Match]:
    """`return (1 << width) - 1;` in a function whose result has 64 bits."""
    for found, _, _ in file.search(_RETURNED):
        function = file.functions.at(found.start())
        if function is None or not _WIDE_RESULT.search(function.text):
            continue
        if not _BOUNDED.match(found["after"]) and not is_for_32_only(file, found.start()):
            yield _at(file, found, found.end("by"))


def _tested_bits(file: CFile) -> Iterator[Match]:
    """`votes & (1 << i)` with a vote of the same function."""
    followed: set[tuple[Function, str]] = set()
    for vote, _, _ in file.search(_VOTE):
        function = file.functions.at(vote.start())
        if function is None or (function, vote["name"]) in followed:
            continue
        followed.add((function, vote["name"]))
        pattern = re.compile(
            rf"\b{vote['name']}\s*&=?\s*\(?\s*~?\s*\(?\s*(?P<number>(?<![\w.])1[uU]?)\s*<<\s*\(?\s*(?P<by>[A-Za-z_]\w*)\b(?P<after>[^;\n]{{0,20}})"
        )
        for found in pattern.finditer(file.code, vote.end(), function.end):
            if not _BOUNDED.match(found["after"]) and not is_for_32_only(file, found.start()):
                yield _at(file, found, found.end("by"))


DETECTOR: Detector = LaneShifts()
