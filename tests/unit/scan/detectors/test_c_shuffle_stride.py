"""Shuffle reductions that fold 32 lanes only."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors.c_shuffle_stride import DETECTOR
from tests.unit.scan.detectors.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "for (int s = 16; s > 0; s >>= 1) v += __shfl_down(v, s);",
        "for (int s = 16; s; s /= 2) { v = max(v, __shfl_xor(v, s)); }",
        "for (unsigned s = 32 / 2; s >= 1; s = s / 2)\n  v += __shfl_xor_sync(m, v, s);",
        "for (int s = 16; s > 0; s >>= 1) {\n  for (int i = 0; i < 4; ++i) { v[i] += __shfl_xor(v[i], s); }\n}",
        "v += __shfl_down(v, 16); v += __shfl_down(v, 8); v += __shfl_down(v, 4);",
        "x = __shfl_sync(m, v, 31);",
        "x = __shfl(v, 31u);",
    ],
)
def test_a_reduction_over_half_a_wave_is_seen(text: str) -> None:
    assert [line for line, _ in seen(DETECTOR, text)] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "for (int s = warpSize / 2; s > 0; s >>= 1) v += __shfl_down(v, s);",
        "for (int s = 16; s > 0; s >>= 1) v += __shfl_down(v, s, 32);",
        "for (int s = 16; s > 0; s >>= 1) v += __shfl_xor_sync(m, v, s, 32);",
        "for (int i = 16; i < n; i++) v += __shfl_down(v, i);",
        "for (int s = 16; s > 0; s >>= 1) v += w[s];\nv += __shfl_down(v, 1);",
        "v += __shfl_down(v, 32); v += __shfl_down(v, 16); v += __shfl_down(v, 8);",
        "v = __shfl_xor(v, 16);",
        "#ifndef USE_ROCM\nx = __shfl_sync(m, v, 31);\n#endif",
        "x = __shfl(v, 0); y = __shfl(v, 31, 32);",
        "for (int s = 16; s > 0; s >>= 1",
    ],
)
def test_whole_waves_stated_widths_and_other_loops_are_right(text: str) -> None:
    assert seen(DETECTOR, text) == []
