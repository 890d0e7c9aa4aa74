"""Compute capabilities of NVIDIA that choose how much memory is set aside: worth a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.detectors.c_capability_compare import Capability, compared
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator


class CapabilityAmounts:
    """What `capability-compare` leaves: `props.major >= 9 ? 32 : 4` for the size of a buffer."""

    name = "capability-amounts"
    needles = Capability.needles
    also = Capability.also

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        return (match for match, is_amount in compared(parsed) if is_amount)


DETECTOR: Detector = CapabilityAmounts()
