"""Lane numbers of 32 in kernels of TileLang, whose own reductions may have that width on AMD too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.detectors import py_warp_size
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.python_places import match_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class WarpSizeTiles:
    """What `py-warp-size` leaves, once for each kernel."""

    name = "py-warp-size-tiles"
    needles = py_warp_size.DETECTOR.needles  # type: ignore[attr-defined]

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        told: set[str] = set()
        for node, kernel in py_warp_size.suspects(parsed):
            if kernel and kernel not in told:
                told.add(kernel)
                yield match_of(node, parsed)


DETECTOR: Detector = WarpSizeTiles()
