"""Shuffles that some lanes of a wave never reach: on AMD such a lane gives 0, on NVIDIA its value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import SHUFFLE
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function

_NUMBERED = re.compile(r"\b(?P<name>\w+)\s*=(?!=)\s*(?P<value>[^;=]*\bthreadIdx\s*\.\s*[xyz][^;]*);")
_LANE = re.compile(r"\bthreadIdx\s*\.\s*[xyz]\b|\b(?:lane|lane_?[iI][dD]x?|tid)\b")
# The same for all lanes of a wave: its number, or a bound that is a multiple of its size.
_UNIFORM = re.compile(
    r"[wW]arp_?(?:[iI]d|[iI]dx|[nN]um)|[wW]ave_?(?:[iI]d|[iI]dx)|>>\s*[56]\b|/\s*(?:32|64|warpSize|WARP_SIZE|kWarpSize)\b"
    r"|<\s*(?:warpSize|WARP_SIZE|kWarpSize|64|128|192|256|512|1024)\b"
)
_HEADER = re.compile(r"\b(?P<keyword>if|while|for)\s*(?:constexpr\s*)?\((?P<condition>[^{}]*)\)\s*\Z")
_OF_STATEMENT = re.compile(r"\b(?P<keyword>if)\s*\((?P<condition>[^{};]*)\)[^{};]*\Z")
_RETURNS = re.compile(r"\bif\s*\((?P<condition>[^{};]*)\)\s*\{?\s*return\s*;")
_LONGEST = 300


class DivergentShuffle:
    """A shuffle below a condition on the number of the thread."""

    name = "divergent-shuffle"
    needles = ("__shfl",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        for found, line, column in file.search(SHUFFLE, guards=(Guard.NONE, Guard.AMD)):
            function = file.functions.at(found.start())
            if function is None or found.start() < function.start:
                continue
            names = _per_lane(file, function)
            if any(_diverges(one, names) for one in _conditions(file.code, function.start, found.start())):
                text = found[0].rstrip("( \t\n")
                yield Match(line, column, column + len(text), text)


def _per_lane(file: CFile, function: Function) -> re.Pattern[str]:
    """The numbers of threads, and the names that the function gives to them."""
    names = {
        found["name"]
        for found in _NUMBERED.finditer(file.code, function.start, function.end)
        if not _UNIFORM.search(found["name"] + " " + found["value"])
    }
    return re.compile("|".join([_LANE.pattern, *(rf"\b{name}\b" for name in sorted(names))]))


def _diverges(condition: str, names: re.Pattern[str]) -> bool:
    return names.search(condition) is not None and _UNIFORM.search(condition) is None


def _conditions(code: str, start: int, offset: int) -> Iterator[str]:
    """The conditions on which a place is reached: of the blocks around it, of returns above it."""
    of_statement = _OF_STATEMENT.search(code, max(start, offset - _LONGEST), offset)
    if of_statement:
        yield of_statement["condition"]
    depth = 0
    for at in range(offset - 1, start - 1, -1):
        char = code[at]
        if char == "}":
            depth += 1
        elif char == "{":
            depth -= 1
            if depth < 0:
                depth = 0
                header = _HEADER.search(code, max(start, at - _LONGEST), at)
                if header:
                    yield header["condition"]
    for found in _RETURNS.finditer(code, start, offset):
        yield found["condition"]


DETECTOR: Detector = DivergentShuffle()
