"""Constants named after the warp size that are 32, in a file that does not show what they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.c_warps import Lanes
from rocm_ci.scan.detectors import c_warp_constants
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator


class WarpConstantsAlone:
    """What `warp-constants` leaves: right as the width of a group, wrong as that of the wave."""

    name = "warp-constants-alone"
    needles = c_warp_constants.WarpConstants.needles
    also = c_warp_constants.WarpConstants.also

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        return (match for match, lanes in c_warp_constants.fixed_sizes(parsed.tree) if lanes is Lanes.UNKNOWN)


DETECTOR: Detector = WarpConstantsAlone()
