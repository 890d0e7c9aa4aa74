"""Lane masks of 32 bits: HIP wants 64 bits on every target, and wave64 needs them all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.c_included import drops_first
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_types import is_narrow, narrow_type
from rocm_ci.scan.declared import forwards
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function
    from rocm_ci.scan.source import Source

_SYNC = re.compile(
    r"__(?<![\w.>]__)(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_(?:any|all)|reduce_(?:add|min|max|and|or|xor))_sync\s*\("
    r"|__syncwarp(?<![\w.>]__syncwarp)\s*\("
)
_ONES = 0xFFFFFFFF
_NAME = re.compile(r"(?:\w+::)*([A-Za-z_]\w*)")
_MASK_NAME = (
    r"\w*(?:(?:[fF]ull|[wW]arp|[lL]ane)s?_?(?:[wW]arp_?)?[mM]ask|(?:FULL|WARP|LANE)S?_?(?:WARP_?)?MASK)\w*"
)
_LITERAL = re.compile(r"0[xX](?<![\w.]0[xX])[fF]{8}[uU]?(?![0-9a-zA-Z_])")
_VALUE = re.compile(
    r"[0-9U~s-](?<![\w.].)(?:(?<=0)[xX][fF]{8}[uU]?(?![0-9a-zA-Z_])|(?<=4)294967295[uU]?\b|(?<=U)INT32_MAX\b"
    r"|(?<=U)INT_MAX\b|(?<=~)\s*0[uU]?(?![\w.])|(?<=-)\s*1[uU]?(?![\w.])"
    r"|(?<=s)td::numeric_limits\s*<\s*(?:std::)?(?:uint32_t|unsigned(?:\s+int)?)\s*>::max\s*\(\s*\))"
)
_END = re.compile(r"[;\n]")
_LONGEST = 300  # characters between the begin of a definition and its value


class LaneMasks:
    """32-bit constants as masks of `*_sync` functions, directly or through a name of the same file."""

    name = "lane-masks"
    needles = ("_sync", "__syncwarp", "fffffff", "FFFFFFF")
    also = ("_sync", "__syncwarp", "mask", "Mask", "MASK")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        names: dict[str, str] = {}
        uses: list[tuple[str, int, str]] = []
        for found, _, _ in file.search(_SYNC):
            given = arguments(file.code, found.end())
            # A macro of this name, as ports define it for AMD, drops the mask.
            function = found[0].rstrip("( \t\n")
            if not given or function in file.defines or _is_shim(file, found.start(), function):
                continue
            start = file.code.index(given[0].split()[0], found.end())
            named = _NAME.fullmatch(given[0])
            if named:
                names.setdefault(named[1], function)
                uses.append((named[1], start, function))
            elif file.constants.fold(given[0]).bits == 32 and "?" not in given[0]:
                yield _at(file, start, given[0].split()[0], given[0], function)
        defined = set()
        for name, match in _definitions(file, names):
            defined.add(name)
            if name in names or not _is_dropped(parsed.source, file, name, match.line):
                yield match
        known: dict[tuple[Function | None, str], bool] = {}
        narrow = narrow_type(file) if uses else ""
        for name, start, function in uses:
            if name in defined:
                continue
            key = (file.functions.at(start), name)
            if key not in known:
                known[key] = _is_narrow_name(file, narrow, name, start)
            if known[key]:
                yield _at(file, start, name, name, function)


def _is_shim(file: CFile, offset: int, function: str) -> bool:
    """Whether the name is being declared here: a port's own function of that name, or one that it calls.

    A function that only hands its mask on to its own name is an overload: `forwards` tells.
    """
    here = file.functions.at(offset)
    if here is None or offset < here.start:
        return here is not None
    return here.name == function and not forwards(function, file.code[here.start : here.end])


def _is_dropped(source: Source, file: CFile, name: str, line: int) -> bool:
    """Whether nothing gets a mask but macros that ignore it on AMD."""
    given = re.compile(rf"(?:\b(?P<macro>\w+)\s*\(\s*)?\b{name}\b(?P<more>\s*,)?")
    macros: set[str] = set()
    for use, at, _ in file.search(given):
        if at != line:
            if not use["macro"] or not use["more"]:
                return False
            macros.add(use["macro"])
    return bool(macros) and all(drops_first(source, file, macro) for macro in macros)


def _is_narrow_name(file: CFile, narrow: str, name: str, start: int) -> bool:
    """A parameter or variable of 32 bits; one that holds a vote is told where it is declared."""
    if file.constants.named(name).bits == 32:
        return True
    if not is_narrow(file, narrow, name, start):
        return False
    return re.search(rf"\b{name}\s*[&|^]?=\s*__(?:ballot|activemask|match)", file.code) is None


def _at(file: CFile, start: int, word: str, shown: str, function: str | None) -> Match:
    line, column = file.lexed.place(start)
    return Match(line, column, column + len(word), shown, name=function)


def _definitions(file: CFile, names: dict[str, str]) -> Iterator[tuple[str, Match]]:
    """Where a name gets its 32 bits: one that is used as a mask here, or that says so itself."""
    either = "|".join([*sorted(map(re.escape, names)), _MASK_NAME])
    named = re.compile(
        rf"(?:\b(?P<set>{either})\s*[={{(]|#\s*define\s+(?P<macro>{either})\b)(?P<between>[^;\n]*?)\Z"
    )
    behind = 0  # one name gets one value
    # What is written in decimal or as a name only tells where the name is used as a mask.
    for value, _, _ in file.search(_VALUE if names else _LITERAL):
        if value.start() < behind:
            continue
        found = named.search(file.code, max(behind, value.start() - _LONGEST), value.start())
        if found is None:
            continue
        behind = _after(file.code, value.end())
        name = found["set"] or found["macro"]
        used = names.get(name)
        literal = value[0][:2] in ("0x", "0X")
        if not literal and (
            used is None or not re.fullmatch(r"\s*\(*(?:\s*\([\w\s:]+\)|[\w:]+\s*[({])?\s*", found["between"])
        ):
            continue
        # `mask & 0xffffffff` takes a half, `mask ^ 0xffffffff` turns it round.
        if re.search(r"[&^|]\s*\Z", found["between"]) or _is_wide(found, value[0], literal=literal):
            continue
        line, column = file.lexed.place(value.start())
        yield name, Match(line, column, column + len(value[0]), value[0], name=used)


def _after(code: str, offset: int) -> int:
    """The end of a statement or its line."""
    found = _END.search(code, offset)
    return found.start() if found else len(code)


def _is_wide(found: re.Match[str], mask: str, *, literal: bool) -> bool:
    """`uint64_t m = -1` and `(uint64_t)-1` are all ones in 64 bits; a hexadecimal constant is not."""
    if literal:
        return False
    text = found.string[max(0, found.start() - 80) : found.end()]
    declared = re.split(r"[;{}\n]", text)[-1] if found["macro"] is None else found["between"]
    return re.search(
        r"64|\blong\b|\bauto\b|\bsize_t\b|lane_?mask|[mM]ask_?(?:t|[tT]ype)\b", declared + found["between"]
    ) is not None and ("u" not in mask.lower()[-1:] and "MAX" not in mask and "limits" not in mask)


DETECTOR: Detector = LaneMasks()
