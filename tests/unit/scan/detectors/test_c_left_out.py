"""What conditions leave out on AMD: bodies of kernels, and code behind versions of NVIDIA's libraries."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors import (
    c_capability_amounts,
    c_capability_compare,
    c_empty_kernels,
    c_library_versions,
)
from tests.unit.scan.detectors.seen import seen

ASKED = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n  out[0] = 1;\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "#endif\n"),
        ("  const int i = threadIdx.x + 1;\n  if (i > n) { return; }\n", "#endif\n"),
        (
            "  extern __shared__ float lds[];\n  using T = float;\n",
            "#else\n  assert(false);\n#endif\n  return;\n",
        ),
        ("", "#ifdef DEBUG\n#else\n#endif\n#endif\n"),
    ],
)
def test_a_kernel_that_only_prepares_its_work_is_empty(before: str, after: str) -> None:
    text = f"__global__ void k(float* out, int n) {{\n{before}{ASKED}{after}}}\n"

    assert seen(c_empty_kernels.DETECTOR, text) == [(before.count("\n") + 2, "k")]


@pytest.mark.parametrize(
    "text",
    [
        f"__global__ void k(float* out) {{\n  out[1] = 2;\n{ASKED}#endif\n}}\n",
        f"__global__ void k(float* out) {{\n{ASKED}#endif\n  out[1] = 2;\n}}\n",
        f"__global__ void k(float* out) {{\n{ASKED}#else\n  out[0] = 2;\n#endif\n}}\n",
        f"__global__ void k(float* out) {{\n{ASKED}#else\n  __trap();\n#endif\n}}\n",
        f"__global__ void k(float* out) {{\n{ASKED}#elif defined(__HIP_DEVICE_COMPILE__)\n#endif\n}}\n",
        f"__device__ void k(float* out) {{\n{ASKED}#endif\n}}\n",
        f"#ifdef USE_CUDA\n__global__ void k(float* out) {{\n{ASKED}#endif\n}}\n#endif\n",
        f"#define __CUDA_ARCH__ 800\n__global__ void k(float* out) {{\n{ASKED}#endif\n}}\n",
        "__global__ void k(float* out) {\n#if !(__CUDA_ARCH__ >= 800)\n  out[0] = 1;\n#endif\n}\n",
    ],
)
def test_a_kernel_that_works_or_says_so_is_none(text: str) -> None:
    assert seen(c_empty_kernels.DETECTOR, text) == []


def test_long_preparations_are_read_in_no_time() -> None:
    many = "  const int i =   threadIdx.x  +  1;\n  if (i > n)   return;   \n" * 300
    text = f"__global__ void k(float* out, int n) {{\n{many}  out[1] = 2;\n{ASKED}#endif\n}}\n"

    assert seen(c_empty_kernels.DETECTOR, text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#if CUBLAS_VERSION >= 11600\nrun();\n#endif", [(1, "CUBLAS_VERSION")]),
        (
            "#if defined(CUDNN_VERSION) && CUDNN_VERSION > 8000\nint f() { return 1; }\n#endif",
            [(1, "CUDNN_VERSION")],
        ),
        ("#if CUSPARSE_VER_MAJOR >= 12\nrun();\n#endif", [(1, "CUSPARSE_VER_MAJOR")]),
        ("#if CUBLAS_VERSION < 11600\nrun();\n#endif", []),
        ("#if !defined(CUBLAS_VERSION) || CUBLAS_VERSION >= 11600\nrun();\n#endif", []),
        ("#if CUBLAS_VERSION >= 11600 || defined(USE_ROCM)\nrun();\n#endif", []),
        ("#if CUBLAS_VERSION >= 11600\nrun();\n#elif defined(USE_ROCM)\nother();\n#endif", []),
        ("#if CUBLAS_VERSION >= 11600\n#include <cublasLt.h>\nusing T = int;\n\n\n#endif", []),
        ('#if CUDNN_VERSION >= 8000\ncase A: return "a";\ncase B: break;\n#endif', []),
        ("#if defined(CUBLAS_VERSION) && \\\n  CUBLAS_VERSION >= 1\n#endif", []),
        ("#if CUBLAS_VERSION >= 1", []),
        ("#if NCCL_VERSION_CODE >= 22703\nrun();\n#endif", []),
        ("#ifdef USE_CUDA\n#if CUBLAS_VERSION >= 11600\nrun();\n#endif\n#endif", []),
        (f"#if CUBLAS_VERSION >= 1\n{' ' * 5000}x();\n#endif", [(1, "CUBLAS_VERSION")]),
    ],
)
def test_code_behind_a_version_that_no_library_of_rocm_has(text: str, found: list[tuple[int, str]]) -> None:
    assert seen(c_library_versions.DETECTOR, text) == found


@pytest.mark.parametrize(
    ("statement", "is_amount"),
    [
        ("size_t workspaceSize = 1024 * 1024 * (p.major >= 9 ? 32 : 4);", True),
        ("size_t bytes{p.major > 8 ? 1 << 20 : 65536};", True),
        ("size_t bytes = p.major == 9 ? 32 : 4;", False),
        ("size_t bytes = p.major >= 9 ? hopper() : 4;", False),
        ("int rows = p.major >= 9 ? 32 : 4;", False),
        ("if (p.major >= 9) bytes = 4;", False),
    ],
)
def test_a_minimum_that_sizes_a_buffer_is_told_from_others(statement: str, *, is_amount: bool) -> None:
    text = f"hipDeviceProp_t p;\n{statement}"

    assert bool(seen(c_capability_amounts.DETECTOR, text)) is is_amount
    assert bool(seen(c_capability_compare.DETECTOR, text)) is not is_amount
