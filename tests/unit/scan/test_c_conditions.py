"""Preprocessor conditions on both platforms, in three-valued logic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.scan.c_conditions import Reach, evaluate
from rocm_ci.scan.c_macros import Vendor

YES, NO, MAYBE = True, False, None


@pytest.mark.parametrize(
    ("condition", "amd", "nvidia"),
    [
        ("defined(USE_ROCM)", YES, NO),
        ("defined USE_ROCM", YES, NO),
        ("!defined(USE_ROCM)", NO, YES),
        ("USE_ROCM", YES, NO),
        ("USE_ROCM == 1", YES, NO),
        ("defined(__HIP_PLATFORM_AMD__) || defined(__HIPCC__)", YES, NO),
        ("defined(__CUDACC__)", NO, MAYBE),
        ("!defined(__CUDA_ARCH__)", YES, MAYBE),
        ("__CUDA_ARCH__ >= 800", NO, MAYBE),
        ("__CUDA_ARCH__ < 800", YES, MAYBE),
        ("defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)", YES, MAYBE),
        ("defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 && !defined(USE_ROCM)", NO, MAYBE),
        ("CUDA_VERSION >= 12000", NO, MAYBE),
        ("HIP_VERSION >= 60000000", MAYBE, NO),
        ("defined(__gfx942__)", MAYBE, NO),
        ("defined(__GFX9__) || defined(USE_CUDA)", MAYBE, YES),
        ("GGML_USE_HIP", YES, NO),
        ("defined(SIM_USE_CUDA)", NO, YES),
        ("KOKKOS_ENABLE_CUDA", NO, YES),
        ("BACKEND == BACKEND_HIP", YES, NO),
        ("BACKEND != BACKEND_CUDA", YES, NO),
        ("__has_include(<cuda_runtime.h>)", NO, YES),
        ('__has_include("hip/hip_runtime.h")', YES, MAYBE),
        ("0", NO, NO),
        ("1 + 1 == 2 && (3 & 2) == 2", YES, YES),
        ("DEBUG", MAYBE, MAYBE),
        ("DEBUG && 0", NO, NO),
        ("DEBUG || defined(USE_ROCM)", YES, MAYBE),
        ("USE_ROCM ? 1 : 0", YES, NO),
        ("FOO(1, 2) > 3", MAYBE, MAYBE),
        ("0x10UL == 16 && 1'000 == 1000 && 010 == 8", YES, YES),
        ("CUSTOM_SHIP && HIPSTER", MAYBE, MAYBE),
        ("SIM_HIP_WAVE == 64", MAYBE, MAYBE),
        ("(1", MAYBE, MAYBE),
        ("", MAYBE, MAYBE),
        ("1 / 0", NO, NO),
    ],
)
def test_a_condition_is_judged_for_each_platform(
    condition: str, amd: bool | None, nvidia: bool | None
) -> None:
    assert evaluate(condition, {}) == Reach(amd, nvidia)


def test_a_macro_that_the_file_taught_counts_like_a_known_one() -> None:
    assert evaluate("defined(MY_GPU)", {"MY_GPU": Vendor.AMD}) == Reach(amd=True, nvidia=False)


@given(st.text(alphabet="()!&|<>=?:+-~ 01aX_'", max_size=80))
def test_nonsense_is_unknown_and_never_raises(condition: str) -> None:
    assert isinstance(evaluate(condition, {}), Reach)


def test_deep_nesting_is_unknown() -> None:
    assert evaluate("(" * 5000 + "1" + ")" * 5000, {}) == Reach(None, None)
