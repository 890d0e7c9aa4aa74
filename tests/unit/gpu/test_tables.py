"""The tables hold what the vendor's pages say: the rows are written down here once more, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from rocm_ci.gpu import names
from rocm_ci.gpu.matrix import matrix

# Target, id, id of the virtual function, compute units, LDS in KiB, memory in GiB, TB/s, FP8 of one card
# (ROCm documentation «GPU hardware specifications»; device-metrics-exporter, testrunner.go; amdgpu.ids).
CARDS = [
    ("gfx908", "0x738c", None, 120, 64, 32, 1.229, None),
    ("gfx90a", "0x740f", "0x7410", 104, 64, 64, 1.638, None),
    ("gfx90a", "0x7408", None, 220, 64, 128, 3.2, None),
    ("gfx942", "0x74a0", "0x74b4", 228, 64, 128, 5.3, "fnuz"),
    ("gfx942", "0x74a1", "0x74b5", 304, 64, 192, 5.3, "fnuz"),
    ("gfx942", "0x74a2", "0x74b6", 80, 64, None, None, "fnuz"),
    ("gfx942", "0x74a5", "0x74b9", 304, 64, 256, 6.0, "fnuz"),
    ("gfx942", "0x74a8", "0x74bc", None, 64, None, None, "fnuz"),
    ("gfx942", "0x74a9", "0x74bd", None, 64, None, None, "fnuz"),
    ("gfx950", "0x75a0", "0x75b0", 256, 160, 288, 8.0, "ocp"),
    ("gfx950", "0x75a3", "0x75b3", 256, 160, 288, 8.0, "ocp"),
    ("gfx950", "0x75a8", "0x75b8", None, 160, None, None, "ocp"),
]
# Release → drivers that its pages accept (user/kernel-space matrix of install-on-linux, amdgpu-docs PR#97).
DRIVERS = {
    "5.7": ("5.5", "5.6", "5.7", "6.0", "6.1"),
    "6.0": ("5.6", "5.7", "6.0", "6.1", "6.2"),
    "6.1": ("5.7", "6.0", "6.1", "6.2", "6.3"),
    "6.2": ("6.0", "6.1", "6.2", "6.3", "30.10"),
    "6.3": ("6.1", "6.2", "6.3", "30.10", "30.30"),
    "6.4": ("6.4", "30.10", "30.30"),
    "7.0": ("30.10", "30.30"),
    "7.1": ("30.20", "30.30"),
    "7.2": ("30.10", "30.20", "30.30"),
}
TORCH = {
    "5.7": ("1.12", "1.13", "2.0", "2.1"),
    "6.0": ("1.13", "2.0", "2.1"),
    "6.2": ("1.13", "2.0", "2.1", "2.2", "2.3"),
    "6.3": ("2.4", "2.7"),
    "6.4": ("2.8", "2.9"),
    "7.0": ("2.10",),
    "7.1": ("2.10", "2.13"),
    "7.2": ("2.7", "2.13", "2.14", "2.15"),
    "7.14": ("2.14",),
    "10.0": ("2.12", "2.13", "2.14"),
}


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card[1])
def test_a_card_is_as_its_page_says(card: tuple[Any, ...]) -> None:
    gfx, device, vf, cu, lds, vram, tbps, fp8 = card
    model = names.by_id(device)
    assert model is not None

    assert (model.gfx, model.wave, model.lds_kib, model.fp8) == (gfx, 64, lds, fp8)
    assert (model.cu and model.cu * model.dies, model.vram_gib and model.vram_gib * model.dies) == (cu, vram)
    assert model.tbps == tbps
    if vf is not None:
        function = names.by_id(vf)
        assert function is not None
        assert (function.vf_of, function.gfx, function.fp8) == (device, gfx, fp8)


@pytest.mark.parametrize(
    ("device", "gfx"),
    [("0x7448", "gfx1100"), ("0x744c", "gfx1100"), ("0x7460", "gfx1101"), ("0x7550", "gfx1201"),
     ("0x7551", "gfx1201"), ("0x7590", "gfx1200")],
)  # fmt: skip
def test_a_radeon_is_of_its_target_and_of_waves_of_32(device: str, gfx: str) -> None:
    model = names.by_id(device)

    assert model
    assert (model.gfx, model.wave) == (gfx, 32)


@pytest.mark.parametrize("line", DRIVERS)
def test_a_release_accepts_the_drivers_that_its_page_names(line: str) -> None:
    row = matrix().releases[line]

    assert row.drivers
    assert set(DRIVERS[line]) <= set(row.drivers.accepted)


@pytest.mark.parametrize("line", TORCH)
def test_a_release_lists_its_versions_of_torch(line: str) -> None:
    assert set(TORCH[line]) <= set(matrix().releases[line].torch)


def test_mi350_and_mi355_differ_in_speed_only_and_their_computed_figures_are_marked() -> None:
    slower, faster = names.by_id("0x75a0"), names.by_id("0x75a3")
    assert slower
    assert faster

    assert (slower.cu, slower.vram_gib, slower.modes) == (faster.cu, faster.vram_gib, faster.modes)
    assert faster.peaks["fp32"] == 157.3
    assert "fp32" not in faster.computed
    assert {"fp16", "fp8"} <= set(slower.computed) & set(faster.computed)


def test_fp8_of_mi300x_is_not_taken_for_its_fp16() -> None:
    """One web page gives the FP8 figure as the dense FP16 one."""
    model = names.by_id("0x74a1")

    assert model
    assert (model.peaks["fp16"], model.peaks["fp8"]) == (1307.4, 2614.9)


def test_partition_modes_leave_the_right_number_of_dies() -> None:
    def modes(device: str) -> dict[str, int]:
        model = names.by_id(device)
        return {name: mode.xcc for name, mode in model.modes.items()} if model else {}

    assert modes("0x74a1") == modes("0x74a5") == {"SPX": 8, "DPX": 4, "QPX": 2, "CPX": 1}
    assert modes("0x74a0") == {"SPX": 6, "TPX": 2, "CPX": 1}
    assert modes("0x74a2") == {"SPX": 4, "DPX": 2, "CPX": 1}
    assert modes("0x740f") == modes("0x738c") == {}
