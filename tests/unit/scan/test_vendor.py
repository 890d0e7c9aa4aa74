"""Words and paths → the vendor they name."""

from __future__ import annotations

import pytest

from rocm_ci.scan import vendor
from rocm_ci.scan.source import Guard

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        ("USE_ROCM", AMD),
        ("isHipBuild", AMD),
        ("rocm6", AMD),
        ("gfx942", AMD),
        ("MI300X", AMD),
        ("WITH_CUDA", NV),
        ("cu121", NV),
        ("NvidiaPlatform", NV),
        ("sm_90a", NONE),
        ("sm90a", NV),
        ("xpu", NV),
        # A switch for no GPU code at all, which the project's ROCm build obeys as well.
        ("NO_CUDA", NONE),
        ("BUILD_NO_CUDA", NONE),
        ("SKIP_CUDA_BUILD", NONE),
        ("WITHOUT_CUDA", NONE),
        ("not_cuda", AMD),
        ("NO_NVIDIA", AMD),
        ("skipIfCuda", AMD),
        ("not-rocm", NV),
        ("cuda_alike", NONE),
        ("cuda_and_rocm", NONE),
        # Words that only look alike.
        ("amd64", NONE),
        ("linux-amd64", NONE),
        ("ship", NONE),
        ("custom", NONE),
        ("chip", NONE),
        ("rock", NONE),
        ("envy", NONE),
        ("", NONE),
    ],
)
def test_a_word_counts_only_whole(text: str, guard: Guard) -> None:
    assert vendor.of(text) is guard


def test_short_gpu_names_count_on_labels_only() -> None:
    assert vendor.of("l4", labels=True) is NV
    assert vendor.of("l4") is NONE


@pytest.mark.parametrize(
    ("outer", "inner", "both"),
    [
        (NONE, NV, NV),
        (NV, NONE, NV),
        (AMD, AMD, AMD),
        (AMD, NV, NV),
        (EITHER, NV, NV),
        (AMD, EITHER, EITHER),
    ],
)
def test_a_region_inside_two_guards(outer: Guard, inner: Guard, both: Guard) -> None:
    assert vendor.both(outer, inner) is both


def test_a_region_reached_either_way_keeps_what_both_ways_share() -> None:
    assert vendor.either(NV, NV) is NV
    assert vendor.either(NV, AMD) is NONE
    assert vendor.either(NV, EITHER) is EITHER


@pytest.mark.parametrize(
    ("path", "code", "guard"),
    [
        ("docker/Dockerfile.cuda", False, NV),
        ("requirements/rocm.txt", False, AMD),
        ("ci/cuda/run.sh", False, NV),
        ("tests/cuda/test_rocm.py", True, AMD),
        ("tests/cuda/test_a.py", True, NV),
        ("pkg/cuda.py", True, NV),
        ("pkg/a_cuda.py", True, NONE),
        ("src/main.py", True, NONE),
    ],
)
def test_paths(path: str, code: bool, guard: Guard) -> None:
    assert vendor.of_path(path, code=code) is guard


def test_a_plain_file_beside_one_for_amd_is_the_nvidia_one() -> None:
    assert vendor.of_path("Dockerfile", beside=lambda name: name == "Dockerfile.rocm") is NV
    assert vendor.of_path("setup.sh", beside=lambda name: name == "setup-rocm.sh") is NV
    assert vendor.of_path("mod.py", beside=lambda name: name == "mod_rocm.py", code=True) is NONE
