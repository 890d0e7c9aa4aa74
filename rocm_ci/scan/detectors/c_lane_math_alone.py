"""Lane arithmetic with 32 in code that, as far as it shows, exchanges nothing between lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.c_warps import Lanes
from rocm_ci.scan.detectors import c_lane_math
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator


class LaneMathAlone:
    """What `lane-math` leaves: threads counted in groups of 32, right unless the groups are waves."""

    name = "lane-math-alone"
    needles = c_lane_math.LaneMath.needles
    also = c_lane_math.LaneMath.also

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        return (m for m, lanes in c_lane_math.lane_arithmetic(parsed.tree) if lanes is Lanes.UNKNOWN)


DETECTOR: Detector = LaneMathAlone()
