"""Guards on the passes of the NVIDIA compiler without a HIP twin."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors.c_arch_guards import DETECTOR
from tests.unit.scan.detectors.seen import seen


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#ifdef __CUDACC__\n#endif", 1),
        ("#if defined(__CUDA_ARCH__)\n#else\n#endif", 1),
        ("#ifndef __CUDA_ARCH__\n#endif", 1),
        ("#if FOO\n#elif defined(__NVCC__)\n#endif", 2),
        ("#if FOO\n#if defined(__CUDACC__) && BAR\n#endif\n#endif", 2),
        ("#ifdef __CUDACC__", 1),
    ],
)
def test_a_lost_device_path_is_seen(text: str, line: int) -> None:
    assert [at for at, _ in seen(DETECTOR, text)] == [line]


@pytest.mark.parametrize(
    "text",
    [
        "#if defined(__CUDACC__) || defined(__HIPCC__)\n#endif",
        "#ifdef __CUDACC__\n#elif defined(__HIP_DEVICE_COMPILE__)\n#endif",
        "#if defined(USE_CUDA)\n#ifdef __CUDA_ARCH__\n#endif\n#endif",
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n#endif",
        "#ifdef __HIPCC__\n#define __CUDACC__\n#endif\n#ifdef __CUDACC__\n#endif",
        "// #ifdef __CUDACC__\n",
    ],
)
def test_twins_versions_and_nvidia_branches_are_right(text: str) -> None:
    assert seen(DETECTOR, text) == []
