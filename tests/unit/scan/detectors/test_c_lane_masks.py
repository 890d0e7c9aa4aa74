"""32-bit lane masks, also by another name."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors.c_lane_masks import DETECTOR
from tests.unit.scan.detectors.seen import seen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("__shfl_sync(0xffffffff, v, 0);", [(1, "0xffffffff")]),
        ("__ballot_sync(0xFFFFFFFFu, p);", [(1, "0xFFFFFFFFu")]),
        ("__any_sync(\n    0xffffffffU, p);", [(2, "0xffffffffU")]),
        ("__syncwarp(~0u);", [(1, "~0u")]),
        ("__all_sync(UINT32_MAX, p);", [(1, "UINT32_MAX")]),
        ("#define ALL 0xffffffff\n__shfl_sync(ALL, v, 0);", [(1, "0xffffffff")]),
        ("constexpr unsigned kAll = 0xffffffffu;\n__shfl_sync(kAll, v, 0);", [(1, "0xffffffffu")]),
        ("f(unsigned m = 0xffffffff) { __shfl_sync(m, v, 0); }", [(1, "0xffffffff")]),
    ],
)
def test_narrow_masks_are_seen_where_they_are_written(text: str, found: list[tuple[int, str]]) -> None:
    assert seen(DETECTOR, text) == found


@pytest.mark.parametrize(
    "text",
    [
        "__shfl_sync(0xffffffffffffffff, v, 0);",
        "__shfl_sync(0xffffffffull, v, 0);",
        "__shfl_sync(~0ull, v, 0);",
        "__shfl_sync(__activemask(), v, 0);",
        "#define ALL 0xffffffff\nhash(ALL);",
        "#ifdef USE_ROCM\n#define ALL 0xffffffffffffffffull\n#else\n#define ALL 0xffffffff\n#endif\n__shfl_sync(ALL, v, 0);",
        "__syncwarp();",
        "__shfl_sync(",
    ],
)
def test_wide_masks_and_other_constants_are_right(text: str) -> None:
    assert seen(DETECTOR, text) == []
