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


OVERLOAD = (
    "half __shfl_sync(unsigned mask, Half v, int lane) {\n  return __shfl_sync(mask, v.native(), lane);\n}\n"
)


def test_an_overload_that_hands_a_narrow_mask_on_is_seen_at_its_call() -> None:
    assert seen(DETECTOR, OVERLOAD) == [(2, "mask")]


@pytest.mark.parametrize(
    "body",
    [
        "return __shfl(v, lane);",
        "return __shfl_sync(uint64_t(mask), v, lane);",
        "return sizeof v > 4 ? pair(__shfl_sync(mask, low(v), lane)) : __shfl(v, lane);",
        "return __builtin_amdgcn_ds_bpermute(lane, v);",
    ],
)
def test_a_function_that_does_the_work_is_a_port(body: str) -> None:
    assert seen(DETECTOR, f"int __shfl_sync(unsigned mask, int v, int lane) {{\n{body}\n}}\n") == []


def test_an_overload_for_nvidia_is_left_alone() -> None:
    assert seen(DETECTOR, f"#ifndef USE_ROCM\n{OVERLOAD}#endif\n") == []


DROPPED = "#ifdef USE_ROCM\n#define SHFL(m, v, l) __shfl(v, l)\n#else\n#define SHFL __shfl_sync\n#endif\n"
FULL = "#define FULL_MASK 0xffffffff\n"


def test_a_mask_that_only_a_macro_without_use_for_it_gets_is_right() -> None:
    assert seen(DETECTOR, f"{FULL}{DROPPED}a = SHFL(FULL_MASK, v, 1);\nb = SHFL( FULL_MASK , v, 2);\n") == []


@pytest.mark.parametrize(
    "rest",
    [
        "",
        f"{DROPPED}a = SHFL(FULL_MASK, v, 1); b = FULL_MASK;",
        f"{DROPPED}a = SHFL(FULL_MASK, v, 1); b = __ballot_sync(FULL_MASK, v);",
        "#define SHFL(m, v, l) __shfl_sync(m, v, l)\na = SHFL(FULL_MASK, v, 1);",
        "#define SHFL __shfl_sync\na = SHFL(FULL_MASK, v, 1);",
        "#ifndef USE_ROCM\n#define SHFL(m, v, l) __shfl(v, l)\n#endif\na = SHFL(FULL_MASK, v, 1);",
        "a = shuffle(FULL_MASK, v, 1);",
    ],
)
def test_a_mask_that_something_else_gets_is_seen(rest: str) -> None:
    assert seen(DETECTOR, FULL + rest) == [(1, "0xffffffff")]
