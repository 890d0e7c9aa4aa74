"""Triton configurations that need more LDS than the targets have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.scan import python_tiles as tiles
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.python_places import match_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class TritonLds:
    """Tiles of known size in a launch or a default configuration, half precision assumed."""

    name = "py-triton-lds"
    needles = ("num_stages",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:
        """See `Detector`."""
        most = tiles.limit(surroundings)
        for one in tiles.configurations(parsed):
            if one.lds > most and not one.tuned:
                message = (
                    f"these tiles take about {one.lds // 1024} KiB of LDS with {one.stages} stages; "
                    f"a workgroup has {most // 1024} KiB"
                )
                yield replace(match_of(one.node, parsed), message=message)


DETECTOR: Detector = TritonLds()
