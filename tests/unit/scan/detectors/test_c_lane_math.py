"""Lane and warp numbers for 32 lanes."""

from __future__ import annotations

import pytest

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
        "v = __shfl(v, 0);\nx = s[threadIdx.x >> 5];",
    ],
)
def test_lane_numbers_are_seen(text: str) -> None:
    assert len(seen(DETECTOR, text)) == 1


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
