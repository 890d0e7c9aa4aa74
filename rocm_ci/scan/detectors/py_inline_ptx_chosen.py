"""PTX in Triton kernels that run only where somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.detectors import py_inline_ptx
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator


class InlinePtxChosen:
    """What `py-inline-ptx` leaves: behind a constant parameter, or for one generation of NVIDIA's GPUs."""

    name = "py-inline-ptx-chosen"
    needles = py_inline_ptx.DETECTOR.needles  # type: ignore[attr-defined]

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        yield from (match for match, chosen in py_inline_ptx.texts(parsed) if chosen)


DETECTOR: Detector = InlinePtxChosen()
