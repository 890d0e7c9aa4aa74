"""Names of GPU targets, and which code runs where."""

from __future__ import annotations

import pytest

from rocm_ci.kernels import target


@pytest.mark.parametrize(
    ("flags", "abi", "name"),
    [
        (0x3F, 2, "gfx90a"),
        (0x3F | 0x100 | 0x400, 2, "gfx90a"),
        (0x3F | 0x300 | 0x800, 2, "gfx90a:sramecc-:xnack+"),
        (0x4C | 0x200, 3, "gfx942:xnack-"),
        (0x3F | 0x100, 1, "gfx90a:xnack+"),
        (0x2A, 1, "gfx803"),
        (0x5F, 4, "gfx9-4-generic"),
        (0xFE, 2, None),
    ],
)
def test_the_bits_of_a_code_object_name_its_target(flags: int, abi: int, name: str | None) -> None:
    assert target.of_flags(flags, abi) == name


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("hipv4-amdgcn-amd-amdhsa--gfx90a", "gfx90a"),
        ("hip-amdgcn-amd-amdhsa-gfx1030", "gfx1030"),
        ("hipv4-amdgcn-amd-amdhsa-unknown-gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack-"),
        ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic"),
        ("hip-spirv64-amd-amdhsa--amdgcnspirv", "amdgcnspirv"),
        ("host-x86_64-unknown-linux-gnu", None),
        ("openmp-nvptx64-nvidia-cuda-sm_80", None),
    ],
)
def test_the_id_of_an_entry_names_its_target(entry: str, name: str | None) -> None:
    assert target.of_bundle_id(entry) == name


@pytest.mark.parametrize(
    ("code", "declared", "runs"),
    [
        ("gfx90a", "gfx90a", True),
        ("gfx90a", "gfx942", False),
        ("gfx90a:xnack-", "gfx90a", True),
        ("gfx90a:xnack+", "gfx90a", False),  # a GPU has XNACK off unless somebody turns it on
        ("gfx90a:xnack+", "gfx90a:xnack+", True),
        ("gfx90a", "gfx90a:xnack+", True),
        ("gfx90a:sramecc+", "gfx90a", True),
        ("gfx90a:sramecc-", "gfx90a", False),
        ("gfx9-4-generic", "gfx942", True),
        ("gfx9-4-generic", "gfx90a", False),
        ("gfx9-generic", "gfx90a", False),
        ("gfx11-generic", "gfx1151", True),
        ("amdgcnspirv", "gfx942", True),
    ],
)
def test_code_runs_on_a_declared_target(code: str, declared: str, *, runs: bool) -> None:
    assert target.runs_on(code, declared) is runs


def test_what_is_missing() -> None:
    assert target.missing(("gfx90a", "gfx942", "gfx1100"), ("gfx9-4-generic", "gfx90a:xnack-")) == (
        "gfx1100",
    )
