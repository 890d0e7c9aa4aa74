"""`warpSize` where a constant expression is needed."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors.c_warpsize_constant import DETECTOR
from tests.unit.scan.detectors.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "constexpr int waves = 1024 / warpSize;",
        "static constexpr int waves{256 / warpSize};",
        "__shared__ int part[1024 / warpSize];",
        "float acc[4][warpSize];",
        "v = scan<warpSize>(v);",
        "using R = Reduce<float, warpSize>;",
        "static_assert(warpSize == 64);",
        "static_assert(sizeof(int) * warpSize == 256, );",
        "case warpSize:",
        "enum { kLanes = warpSize };",
        "__global__ void __launch_bounds__(4 * warpSize) k();",
        "template <typename T> typename std::enable_if<(W <= warpSize)>::type f();",
    ],
)
def test_constant_contexts_are_seen(text: str) -> None:
    assert seen(DETECTOR, text) == [(1, "warpSize")]


@pytest.mark.parametrize(
    "text",
    [
        "const int wave = threadIdx.x / warpSize;",
        "tails[threadIdx.x / warpSize] = v;",
        "return tails[wave % warpSize];",
        "int w = props.warpSize; int x = p->warpSize;",
        "for (int i = 0; i < warpSize; i++) {}",
        "if (a < warpSize && b > warpSize) {}",
        "bool less = i<warpSize;",
        "constexpr int warpSize = 32;\n__shared__ int part[1024 / warpSize];",
        "constexpr int n = 4; int m = warpSize;",
    ],
)
def test_run_time_arithmetic_and_own_constants_are_right(text: str) -> None:
    assert seen(DETECTOR, text) == []
