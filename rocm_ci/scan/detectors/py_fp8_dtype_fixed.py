"""The OCP 8 bit float in Python files that do not speak of AMD at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.detectors import py_fp8_dtype
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator


class Fp8DtypeFixed:
    """What `py-fp8-dtype` leaves: the file may well be for NVIDIA alone, or its caller may choose."""

    name = "py-fp8-dtype-fixed"
    needles = py_fp8_dtype.DETECTOR.needles  # type: ignore[attr-defined]

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:
        """See `Detector`."""
        known = {m.line for m in py_fp8_dtype.DETECTOR.find(parsed, surroundings)}
        yield from (m for m in py_fp8_dtype.choices(parsed) if m.line not in known)


DETECTOR: Detector = Fp8DtypeFixed()
