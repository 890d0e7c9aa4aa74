"""Uses of the compute capability that AMD passes, or that only decide about a test: worth a note."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.detectors.py_capability import NEEDLES, decisions
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.python_places import match_of
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

_ASKED = re.compile(r"(^|\.)(has_device_capability|is_device_capability(_family)?)$")


class CapabilityFloor:
    """What `py-capability` leaves out, and questions to a platform object."""

    name = "py-capability-floor"
    needles = (*NEEDLES, "has_device_capability", "is_device_capability")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        for node, weak in decisions(parsed):
            if weak:
                yield match_of(node, parsed)
        for region in parsed.regions:
            if region.kind is not RegionKind.CODE or not _ASKED.search(region.text):
                continue
            quiet = {"message", "beside-vendor", "test", "script"} & set(region.context)
            if "use:callee" in region.context and not quiet and region.guard in (Guard.NONE, Guard.AMD):
                yield Match(region.line, region.column, region.column + len(region.text), region.text)


DETECTOR: Detector = CapabilityFloor()
