"""Shuffle loops and constants that reach 32 lanes only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import SHUFFLE, states_width
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNTER = (
    r"\bfor\s*\(\s*(?:(?:const\s+)?(?:unsigned|int|auto|size_t|u?int\d*_t|short|char)\s+)*"
    r"(?P<name>\w+)\s*=\s*"
)
_FALLING = re.compile(_COUNTER + r"(?:16|32\s*/\s*2|32\s*>>\s*1)[uU]?\s*;")
_RISING = re.compile(_COUNTER + r"1[uU]?\s*;\s*(?P=name)\s*(?:<\s*32|<=\s*16|!=\s*32)[uU]?\s*;")
_HALVING = re.compile(r">>=\s*1|/=\s*2|=\s*\w+\s*(?:/\s*2|>>\s*1)")
_DOUBLING = re.compile(r"<<=\s*1|\*=\s*2|\+=\s*\w+|=\s*\w+\s*(?:\*\s*2|<<\s*1)")
_STRIDE_16 = re.compile(r"\b(__shfl_(?:down|xor|up))(_sync)?\s*\(")
_BROADCAST = re.compile(r"\b(__shfl)(_sync)?\s*\(")
_NEXT_STEP = re.compile(r"__shfl_(?:down|xor|up)(?:_sync)?\s*\([^;]*,\s*8[uU]?\s*\)")
_NEXT_STEP_WITHIN = 400  # characters
_LONGEST_LOOP = 3000  # characters


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
    for pattern, step in ((_FALLING, _HALVING), (_RISING, _DOUBLING)):
        for found, _, _ in file.search(pattern):
            code, start = file.code, found.end()
            end = _end_of_loop(code, start, start + _LONGEST_LOOP)
            header_end = code.find(")", start, end)
            if step.search(code, start, header_end + 1 if header_end > 0 else end) and _folds_a_wave(
                code, start, end
            ):
                line, column = file.lexed.place(found.start("name"))
                text = code[found.start("name") : found.end()].rstrip("; ")
                yield Match(line, column, column + len(text.split("\n")[0]), " ".join(text.split()))


def _folds_a_wave(code: str, start: int, end: int) -> bool:
    """Whether some shuffle has no width: it spans the wave, of which the loop only folds 32 lanes."""
    return any(
        not states_width(bool(call["sync"]), arguments(code, call.end()))
        for call in SHUFFLE.finditer(code, start, end)
    )


def _end_of_loop(code: str, start: int, most: int) -> int:
    """The end of the loop's statement or block."""
    depth, braces, seen_header = 1, 0, False
    for found in re.compile(r"[(){};]").finditer(code, start, most):
        char = found[0]
        depth += (char == "(") - (char == ")")
        braces += (char == "{") - (char == "}")
        if not seen_header:
            seen_header = depth == 0
        elif braces < 0 or (char in ";}" and braces == 0 and depth == 0):
            return found.end()
    return most


def _unrolled(file: CFile) -> Iterator[Match]:
    """`v += __shfl_down(v, 16)` written out, and `__shfl(v, 31)`."""
    code = file.code
    wide = re.search(r"__shfl_(?:down|xor|up)(?:_sync)?\s*\([^;]*,\s*32\s*\)", code) is not None
    for pattern, wanted in ((_STRIDE_16, "16"), (_BROADCAST, "31")):
        if wanted == "16" and wide:
            continue  # the sequence also has the step for 64 lanes
        for found, line, column in file.search(pattern):
            given = arguments(code, found.end())
            own = given[1:] if found[2] else given
            if len(own) != 2 or own[1].rstrip("uU") != wanted:
                continue
            if wanted == "31" or _NEXT_STEP.search(code, found.end(), found.end() + _NEXT_STEP_WITHIN):
                text = f"{found[1]}{found[2] or ''}({', '.join(given)})"
                yield Match(line, column, column + len(found[0]) - 1, text)


DETECTOR: Detector = ShuffleStride()
