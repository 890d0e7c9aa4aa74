"""Shuffle loops and constants that reach 32 lanes only."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import SHUFFLE, is_for_32_only, is_ported, spans_the_wave
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNTER = (
    r"(?:(?:const\s+)?(?:unsigned|int|auto|size_t|(?:std::)?u?int\d*_t|short|char)\s+)*"
    r"(?P<name>\w+)\s*=\s*(?P<init>[^;,(){}=]+?|\([^;(){}]+\))\s*;"
)
_FOR = re.compile(rf"\bfor\s*\(\s*{_COUNTER}(?P<until>[^;{{}}]*);")
_WHILE = re.compile(
    rf"(?:(?<=[;{{}}])|^)\s*{_COUNTER}\s*(?:#[^\n]*\n\s*)?(?:while\s*\(|do\s*\{{)", re.MULTILINE
)
_HALVING = re.compile(r">>=\s*1|/=\s*2|=\s*\w+\s*(?:/\s*2|>>\s*1)")
_DOUBLING = re.compile(r"<<=\s*1|\*=\s*2|\+=\s*\w+|=\s*\w+\s*(?:\*\s*2|<<\s*1)")
_STRIDE_16 = re.compile(r"(__shfl(?<![\w.>]__shfl)_(?:down|xor|up))(_sync)?\s*\(")
_BROADCAST = re.compile(r"(__shfl(?<![\w.>]__shfl))(_sync)?\s*\(")
_NEXT_STEP = re.compile(r"__shfl_(?:down|xor|up)(?:_sync)?\s*\([^;]*,\s*8[uU]?\s*\)")
_DEFAULT = re.compile(r"\b(?:int|unsigned|size_t|auto|u?int\d*_t)\s+(\w+)\s*=\s*(\d+)\s*[,>]")
_TOLD = re.compile("warp|wave", re.IGNORECASE)  # a constant of such a name is told where it stands
_NEXT_STEP_WITHIN = 400  # characters
_LONGEST_LOOP = 3000  # characters
_LONGEST_HEADER = 200


class ShuffleStride:
    """Reductions that start at 16 and broadcasts from lane 31, without an explicit width."""

    name = "shuffle-stride"
    needles = ("__shfl",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if isinstance(file, CFile):
            yield from _loops(file)
            yield from _unrolled(file)


def _loops(file: CFile) -> Iterator[Match]:
    code = file.code
    shuffles = [found.start() for found in SHUFFLE.finditer(code) if spans_the_wave(file, found)]
    if not shuffles:
        return
    for pattern in (_FOR, _WHILE):
        for found in _around(file, pattern, shuffles):
            start = found.end()
            first = bisect_left(shuffles, start)
            if first == len(shuffles) or shuffles[first] >= start + _LONGEST_LOOP:
                continue
            end = _end_of_loop(
                code, start, start + _LONGEST_LOOP, has_header=pattern is _FOR or code[start - 1] == "("
            )
            if shuffles[first] >= end or not _reaches_32(file, found, start, end):
                continue
            at = found.start("name")
            if is_for_32_only(file, at) or is_ported(file, start, end):
                continue
            line, column = file.lexed.place(at)
            last = (
                found.end("until")
                if pattern is _FOR and file.constants.fold(found["init"]).value in (0, 1)
                else found.end("init")
            )
            text = code[at:last].rstrip("; ")
            yield Match(line, column, column + len(text.split("\n")[0]), " ".join(text.split()))


def _around(file: CFile, pattern: re.Pattern[str], shuffles: list[int]) -> Iterator[re.Match[str]]:
    """Loops of a pattern that begin not too far above a shuffle, in code for both platforms."""
    behind = 0
    for shuffle in shuffles:
        least = max(behind, file.code.rfind("\n", 0, max(0, shuffle - _LONGEST_LOOP - _LONGEST_HEADER)) + 1)
        for found in pattern.finditer(file.code, least, shuffle):
            behind = found.end()
            if file.guard_at(file.line_of(found.start())) is Guard.NONE:
                yield found
        behind = max(behind, shuffle)


def _reaches_32(file: CFile, found: re.Match[str], start: int, end: int) -> bool:
    """Whether the steps of a loop are those for 32 lanes: 16 down to 1, 1 up to 16, or five of them."""
    first = _first(file, found)
    step = _header(file.code, start, end) if found.re is _FOR else file.code[start:end]
    if first == 16:
        return _HALVING.search(step) is not None
    if found.re is _WHILE or first not in (0, 1, 4):
        return False
    shifted = re.compile(rf"__shfl\w*\s*\([^;]*(?:1[uU]?\s*<<|16[uU]?\s*>>)\s*\(?\s*{found['name']}\b")
    if first == 4:
        down = re.fullmatch(rf"\s*{found['name']}\s*>=\s*0\s*", found["until"]) and "--" in step
        return bool(down) and shifted.search(file.code, start, end) is not None
    bound = re.fullmatch(rf"\s*{found['name']}\s*(?P<op><=?|!=)\s*(?P<value>[^<>=&|]+)", found["until"])
    last = file.constants.fold(bound["value"]).value if bound else None
    if bound is None or last is None:
        return False
    if first == 1:
        return last == (16 if bound["op"] == "<=" else 32) and _DOUBLING.search(step) is not None
    steps = last + (bound["op"] == "<=")
    return steps == 5 and shifted.search(file.code, start, end) is not None


def _first(file: CFile, found: re.Match[str]) -> int | None:
    """What a loop starts with; a template parameter is worth its default where nothing else is asked for."""
    value = file.constants.fold(found["init"]).value
    function = file.functions.at(found.start()) if value is None else None
    if function is None or re.search(rf"\b{function.name}\s*<", file.code):
        return value
    init = found["init"]
    for name, default in _DEFAULT.findall(function.text):
        if not _TOLD.search(name):
            init = re.sub(rf"\b{name}\b", default, init)
    return file.constants.fold(init).value


def _header(code: str, start: int, end: int) -> str:
    """The step of a `for` loop."""
    depth = 1
    for found in re.compile(r"[()]").finditer(code, start, end):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return code[start : found.start()]
    return code[start:end]


def _end_of_loop(code: str, start: int, most: int, *, has_header: bool) -> int:
    """The end of the loop's statement or block."""
    depth, braces, seen_header = 1, 0, False
    if not has_header:
        depth, braces, seen_header = 0, 1, True
    for found in re.compile(r"[(){};]").finditer(code, start, most):
        char = found[0]
        depth += (char == "(") - (char == ")")
        braces += (char == "{") - (char == "}")
        if not seen_header:
            seen_header = depth == 0
        elif braces < 0 or (char in ";}" and braces == 0 and depth == 0):
            return found.end()
    return min(most, len(code))


def _unrolled(file: CFile) -> Iterator[Match]:
    """`v += __shfl_down(v, 16)` written out, and `__shfl(v, 31)`."""
    code = file.code
    for pattern, wanted in ((_STRIDE_16, 16), (_BROADCAST, 31)):
        for found, line, column in file.search(pattern, guards=(Guard.NONE,)):
            given = arguments(code, found.end())
            own = given[1:] if found[2] else given
            if len(own) != 2 or file.constants.fold(own[1]).value != wanted:
                continue
            if wanted == 31 or _is_first_of_five(file, found):
                if is_for_32_only(file, found.start()):
                    continue
                text = f"{found[1]}{found[2] or ''}({', '.join(given)})"
                yield Match(line, column, column + len(found[0]) - 1, text)


def _is_first_of_five(file: CFile, found: re.Match[str]) -> bool:
    """A sequence that goes on with 8, and did not begin with 32."""
    code = file.code
    if not _NEXT_STEP.search(code, found.end(), found.end() + _NEXT_STEP_WITHIN):
        return False
    function = file.functions.at(found.start())
    least = max(function.start if function else 0, found.start() - _NEXT_STEP_WITHIN)
    wide = re.compile(r"__shfl_(?:down|xor|up)(?:_sync)?\s*\([^;]*,\s*32\s*\)")
    return wide.search(code, least, found.start()) is None


DETECTOR: Detector = ShuffleStride()
