"""Units of two sides."""

from __future__ import annotations

import pytest

from rocm_ci.perf.units import factor


@pytest.mark.parametrize(
    ("unit", "wanted", "times"),
    [("us", "ns", 1000.0), ("ns", "s", 1e-9), ("B/s", "B/s", 1.0), ("B/s", "ns", None), ("", "ns", None)],
)
def test_times_are_converted_and_nothing_else(unit: str, wanted: str, times: float | None) -> None:
    assert factor(unit, wanted) == (None if times is None else pytest.approx(times))
