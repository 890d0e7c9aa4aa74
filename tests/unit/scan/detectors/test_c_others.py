"""Shared objects, capabilities and warp-synchronous steps."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors import c_capability_compare, c_shared_objects, c_warp_synchronous
from tests.unit.scan.detectors.seen import seen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('dlopen("libcudart.so.12", 1);', [(1, "libcudart.so.12")]),
        ('LoadLibraryA("nvcuda.dll");', [(1, "nvcuda.dll")]),
        ('dlopen("/usr/lib/libnccl.so.2", 1);', [(1, "libnccl.so.2")]),
        ('const char* names[] = {"libamdhip64.so", "libcudart.so"};', []),
        ('puts("libfoocuda.so");', []),
        ('#ifdef USE_CUDA\ndlopen("libcuda.so.1", 1);\n#endif', []),
    ],
)
def test_libraries_loaded_by_name(text: str, found: list[tuple[int, str]]) -> None:
    assert seen(c_shared_objects.DETECTOR, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hipDeviceProp_t p;\nuse(p.major >= 8);", [(2, "p.major >= 8")]),
        ("cudaDeviceProp* p;\nif (p->major == 9) {}", [(2, "p->major == 9")]),
        ("hipDeviceProp_t p;\nint cc = p.major * 10 + p.minor >= 80;", [(2, "p.major * 10 + p.minor >= 80")]),
        ("hipDeviceProp_t p;\nprint(p.major);", []),
        ("if (v.major >= 2) {}", []),
    ],
)
def test_capabilities_compared(text: str, found: list[tuple[int, str]]) -> None:
    assert seen(c_capability_compare.DETECTOR, text) == found


def test_steps_without_a_barrier_are_seen_once_and_barriers_make_them_right() -> None:
    steps = [f"s[tid] += s[tid + {n}];" for n in (16, 8, 4, 2, 1)]

    assert [at for at, _ in seen(c_warp_synchronous.DETECTOR, "\n".join(steps))] == [1]
    assert seen(c_warp_synchronous.DETECTOR, " __syncwarp();\n".join(steps)) == []
    assert seen(c_warp_synchronous.DETECTOR, "\n".join(steps[:2])) == []
