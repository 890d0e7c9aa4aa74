"""Python code that fixes the 8 bit float to the OCP flavour, which gfx94x does not compute in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPE = re.compile(r"^torch\.float8_(e4m3fn|e5m2)$")
# In NVFP4 and MXFP4 the type is the format of the stored scales, not what is computed in.
_HANDLED = re.compile(r"(?i)(nv|mx)?fp4")
# Asking what a value is, listing what is allowed, or knowing the other flavour as well is right.
_FINE = re.compile(r"^(compare|key.*|test|twin|message|call:(isinstance|.*assert.*|register_\w+))$")


class Fp8Dtype:
    """Uses of the type that choose it; a function that also names fnuz knows what it does."""

    name = "py-fp8-dtype"
    needles = ("float8_e4m3fn", "float8_e5m2")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        if _HANDLED.search(parsed.source.path) or "normalize_e4m3fn" in parsed.source.text:
            return
        for region in parsed.regions:
            if region.kind is not RegionKind.CODE or not _TYPE.match(region.text):
                continue
            listed = region.context[-2:-1] and region.context[-2].startswith("item:")
            if listed or any(_FINE.match(c) for c in region.context):
                continue
            if region.guard in (Guard.NONE, Guard.AMD):
                yield Match(region.line, region.column, region.column + len(region.text), region.text)


DETECTOR: Detector = Fp8Dtype()
