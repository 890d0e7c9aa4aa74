"""Lane and warp numbers for 32 lanes."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors import c_lane_math_alone
from rocm_ci.scan.detectors.c_lane_math import DETECTOR
from tests.unit.scan.detectors.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "const int lane = threadIdx.x & 31;",
        "int lane_id = threadIdx.x % 32;",
        "int warp = (threadIdx.x) >> 5;",
        "auto wid = tid / 32;",
        "const unsigned laneId{threadIdx.x & 0x1f};",
        "x = s[threadIdx.x >> 5];",
    ],
)
def test_lane_numbers_are_seen_where_something_crosses_the_lanes_of_a_wave(text: str) -> None:
    assert len(seen(DETECTOR, f"{text}\nv = __shfl(v, 0);")) == 1
    assert seen(DETECTOR, text) == []
    assert seen(DETECTOR, f"{text}\nv = __shfl(v, 0, 32);") == []


@pytest.mark.parametrize(
    ("text", "count"),
    [("const int lane = threadIdx.x & 31;", 1), ("x = s[threadIdx.x >> 5];", 0)],
)
def test_a_number_of_a_lane_that_nothing_crosses_is_worth_a_note(text: str, count: int) -> None:
    assert len(seen(c_lane_math_alone.DETECTOR, text)) == count
    assert seen(c_lane_math_alone.DETECTOR, f"{text}\nv = __shfl(v, 0);") == []


@pytest.mark.parametrize(
    "text",
    [
        "const int lane = threadIdx.x % warpSize;",
        "int column = threadIdx.x % 32;",
        "int word = index >> 5; int bit = index & 31;",
        "int lane = threadIdx.x & 315;",
        "int half = threadIdx.x / 320;",
        "const int lanes = width / 32;",
    ],
)
def test_tiles_bits_and_other_numbers_are_right(text: str) -> None:
    assert seen(DETECTOR, text) == []
