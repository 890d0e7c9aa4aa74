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


class Capability:
    """AMD devices report the gfx version there, whose numbers mean something else."""

    name = "capability-compare"
    needles = ("major",)
    also = ("hipDeviceProp", "cudaDeviceProp", "getCurrentDeviceProperties", "getDeviceProperties")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or not any(word in file.code for word in self.also):
            return
        for found, line, column in file.search(_COMPARED, guards=(Guard.NONE,)):
            text = found[0]
            yield Match(line, column, column + len(text), " ".join(text.split()))


DETECTOR: Detector = Capability()
