"""Device properties compared with NVIDIA compute capabilities: `props.major >= 8`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPARED = re.compile(
    r"(?:\b\w+(?:\[\w+\])?\s*(?:\.|->)\s*|(?:\b[\w:]+\s*\([^();]*\)|\))\s*->\s*)major\b\s*(?:(?:\*\s*10+\s*\+[^<>=;&|]*)?(?:[<>]=?|[=!]=)\s*\d+)"
)

# `size_t workspace = … (props->major >= 9 ? 32 : 4)`: how much memory is set aside, enough in either case.
_AMOUNT = re.compile(r"(?i)\b\w*(?:work_?space|scratch|bytes|buffer)\w*\s*(?:=|\{)[^;{}=]*\Z")
_NUMBERS = re.compile(r"\s*\)?\s*\?\s*[\w*+<() ]*\d[\w]*\)?\s*:\s*[\w*+<() ]*\d\w*\s*\)?\s*[;)*,}]")
_NEAR = 200


class Capability:
    """AMD devices report the gfx version there, whose numbers mean something else."""

    name = "capability-compare"
    needles = ("major",)
    also = ("hipDeviceProp", "cudaDeviceProp", "getCurrentDeviceProperties", "getDeviceProperties")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        return (match for match, is_amount in compared(parsed) if not is_amount)


def compared(parsed: Parsed) -> Iterator[tuple[Match, bool]]:
    """Every comparison, and whether it only chooses how much memory is set aside."""
    file = parsed.tree
    if not isinstance(file, CFile) or not any(word in file.code for word in Capability.also):
        return
    for found, line, column in file.search(_COMPARED, guards=(Guard.NONE,)):
        text = found[0]
        yield Match(line, column, column + len(text), " ".join(text.split())), _is_amount(found, file)


def _is_amount(found: re.Match[str], file: CFile) -> bool:
    """Whether a minimum chooses between two numbers for the size of a buffer."""
    start, end = found.span()
    if (
        "==" in found[0]
        or "!=" in found[0]
        or "<" in found[0]
        or not _NUMBERS.match(file.code, end, end + _NEAR)
    ):
        return False
    return _AMOUNT.search(file.code, max(0, start - _NEAR), start) is not None


DETECTOR: Detector = Capability()
