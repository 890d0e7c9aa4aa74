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
    "6.1": ("5.7", "6.0", "6.1", "6.2", "6.3", "6.4"),
    "6.2": ("6.0", "6.1", "6.2", "6.3", "6.4", "30.10"),
    "6.3": ("6.1", "6.2", "6.3", "6.4", "30.10", "30.30"),
    "6.4": ("6.1", "6.2", "6.3", "6.4", "30.10", "30.30"),
    "7.0": ("6.2", "6.3", "6.4", "30.10", "30.30"),
    "7.1": ("6.4", "30.10", "30.20", "30.30"),
    "7.2": ("6.4", "30.10", "30.20", "30.30"),
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
# Release → systems that its page names; what those since then dropped.
SYSTEMS: dict[str, dict[str, tuple[str, ...]]] = {
    "5.7": {"ubuntu": ("20.04", "22.04")},
    "6.0": {"ubuntu": ("20.04", "22.04"), "rhel": ("8.8", "9.3"), "sles": ("15.4", "15.5"), "centos": ("7.9",)},
    "6.1": {"ubuntu": ("20.04", "22.04"), "rhel": ("8.8", "9.4"), "sles": ("15.4", "15.5"), "centos": ("7.9",)},
    "6.2": {"ubuntu": ("22.04", "24.04"), "rhel": ("8.9", "9.4")},
    "6.3": {"ubuntu": ("22.04", "24.04"), "rhel": ("8.10", "9.5"), "sles": ("15.5", "15.6"), "debian": ("12",)},
    "6.4": {"ubuntu": ("22.04", "24.04"), "debian": ("12",)},
    "7.0": {"ubuntu": ("22.04", "24.04"), "rhel": ("8.10", "9.4", "9.6"), "sles": ("15.7",), "debian": ("12",),
            "rocky": ("9",), "azurelinux": ("3.0",), "ol": ("9",)},
}  # fmt: skip
# Device → GFLOPS that its GEMM must reach, random and (where there is one) trigonometric input
# (rvs/conf/<GPU>/gst_single.conf).
FLOORS = {
    "0x740f": {"fp16": (150000, None), "bf16": (41000, None), "dgemm": (30000, None)},
    "0x74a1": {"fp8": (1215000, 981000), "fp16": (639000, 523000), "bf16": (581000, 552000),
               "sgemm": (100000, None), "dgemm": (70000, None)},
    "0x74a5": {"fp8": (1438000, 983000), "fp16": (696000, 524000), "bf16": (669000, 554000)},
    "0x74a2": {"fp8": (343415, None), "fp16": (176191, None), "bf16": (174364, None), "sgemm": (26000, None)},
    "0x75a0": {"fp8": (2061000, None), "fp16": (946000, None), "bf16": (956000, None)},
    "0x75a3": {"fp8": (2061000, None), "fp16": (946000, None), "bf16": (956000, None)},
    "0x75a8": {"fp8": (1513000, None), "fp16": (665000, None), "bf16": (694000, None)},
}  # fmt: skip
# Device → dense peaks in TFLOPS: FP64, FP64 of the matrix cores, FP32, FP16, BF16, FP8.
PEAKS = {
    "0x738c": (11.5, None, 23.1, 184.6, 92.3, None),
    "0x740f": (22.6, 45.3, 22.6, 181.0, 181.0, None),
    "0x740c": (45.3, 90.5, 45.3, 362.1, 362.1, None),
    "0x7408": (47.9, 95.7, 47.9, 383.0, 383.0, None),
    "0x74a0": (61.3, 122.6, 122.6, 980.6, 980.6, 1961.0),
    "0x74a1": (81.7, 163.4, 163.4, 1307.4, 1307.4, 2614.9),
    "0x74a5": (81.7, 163.4, 163.4, 1307.4, 1307.4, 2614.9),
    "0x75a0": (72.1, 72.1, 144.2, 2307.0, 2307.0, 4614.0),
    "0x75a3": (78.6, 78.6, 157.3, 2517.0, 2517.0, 5033.0),
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
    assert row.drivers.accepted == DRIVERS[line]


@pytest.mark.parametrize("line", TORCH)
def test_a_release_lists_its_versions_of_torch(line: str) -> None:
    assert set(TORCH[line]) <= set(matrix().releases[line].torch)


@pytest.mark.parametrize("line", SYSTEMS)
def test_a_release_names_the_systems_of_its_page(line: str) -> None:
    named = matrix().releases[line].os

    assert {name: set(versions) - set(named.get(name, ())) for name, versions in SYSTEMS[line].items()} == {
        name: set() for name in SYSTEMS[line]
    }


@pytest.mark.parametrize("device", FLOORS)
def test_floors_of_a_gemm_are_those_of_the_validation_suite(device: str) -> None:
    model = names.by_id(device)

    assert model
    assert {
        kind: (floor["random"], floor.get("trig")) for kind, floor in model.gemm_floors.items()
    } == FLOORS[device]


@pytest.mark.parametrize("device", PEAKS)
def test_peaks_are_those_of_the_page(device: str) -> None:
    model = names.by_id(device)

    assert model
    kinds = ("fp64", "fp64_matrix", "fp32", "fp16", "bf16", "fp8")
    assert tuple(model.peaks.get(kind) for kind in kinds) == PEAKS[device]


def test_two_workstation_cards_have_what_their_page_says() -> None:
    w7900, v710 = names.by_id("0x7448"), names.by_id("0x7460")

    assert w7900
    assert v710
    assert (w7900.cu, w7900.lds_wgp_kib, w7900.vram_gib) == (96, 128, 48)
    assert (v710.cu, v710.lds_wgp_kib, v710.vram_gib) == (54, 128, 28)


def test_a_target_came_with_its_release_and_not_before() -> None:
    table = matrix()

    assert {gfx: table.first_release[gfx].release for gfx in ("gfx942", "gfx950", "gfx1250")} == {
        "gfx942": "6.0.0", "gfx950": "7.0.0", "gfx1250": "7.14.0",
    }  # fmt: skip
    assert {"gfx950", "gfx1150", "gfx1151"} <= set(table.wheel_targets["7.1"].gfx)
    assert not {"gfx1150", "gfx1151"} & set(table.wheel_targets["7.0"].gfx)


def test_what_partitions_need_and_the_oldest_kernel_are_those_of_the_pages() -> None:
    table = matrix()

    lowest = table.partitioning
    assert (lowest.kernel, lowest.module, lowest.amd_smi) == ("5.15", "6.12.12", "25.3.0")
    assert table.kernels["ubuntu"]["20.04"] == table.kernels["ubuntu"]["22.04"] == "5.15"
    bundles = table.firmware["7.2"].bundles
    assert (
        bundles["AMD Instinct MI355X"]
        == bundles["AMD Instinct MI350X"]
        == ("01.26.00.02", "01.25.17.07", "01.25.16.03")
    )


def test_previews_have_no_row_and_are_never_judged_by_their_neighbours() -> None:
    assert [line for line in matrix().releases if line in {"7.9", "7.10", "7.11", "7.12", "7.13"}] == []


def test_memory_modes_go_with_the_compute_modes_that_allow_them() -> None:
    """NPS1 with any, NPS2 with DPX, NPS4 with QPX and CPX and never with SPX."""
    for device in ("0x74a1", "0x74a5"):
        model = names.by_id(device)
        assert model
        assert {name: mode.memory for name, mode in model.modes.items()} == {
            "SPX": ("NPS1",), "DPX": ("NPS1", "NPS2"), "QPX": ("NPS1", "NPS4"), "CPX": ("NPS1", "NPS4"),
        }  # fmt: skip


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
