"""Units of measurements: two sides of a comparison may use different ones. Pure."""

from __future__ import annotations

_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0}


def factor(unit: str, wanted: str) -> float | None:
    """What a figure in `unit` is to be multiplied with to be in `wanted`; None when that cannot be."""
    if unit == wanted:
        return 1.0
    if unit in _SECONDS and wanted in _SECONDS:
        return _SECONDS[unit] / _SECONDS[wanted]
    return None
