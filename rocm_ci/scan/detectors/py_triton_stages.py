"""Triton configurations with a pipeline as deep as NVIDIA GPUs like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan import python_tiles as tiles
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.python_places import match_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class TritonStages:
    """What `py-triton-lds` cannot compute, or what the autotuner will skip."""

    name = "py-triton-stages"
    needles = ("num_stages",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:
        """See `Detector`."""
        most = tiles.limit(surroundings)
        for one in tiles.configurations(parsed):
            if (one.lds > most) if one.tuned else (one.lds <= most):
                yield match_of(one.node, parsed)


DETECTOR: Detector = TritonStages()
