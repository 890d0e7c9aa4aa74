"""Waves per SIMD. The figures are those of the compiler's «; Occupancy:» line (clang 15)."""

from __future__ import annotations

import pytest

from rocm_ci.kernels import occupancy


@pytest.mark.parametrize(
    ("arch", "vgpr", "waves"),
    [
        ("gfx90a", 69, 7),
        ("gfx90a", 158, 3),
        ("gfx90a", 352, 1),
        ("gfx90a", 512, 1),
        ("gfx90a:sramecc+:xnack-", 3, 8),
        ("gfx942", 64, 8),
        ("gfx908", 69, 3),
        ("gfx906", 3, 10),
        ("gfx1030", 92, 10),
        ("gfx1030", 221, 4),
        ("gfx1100", 96, 16),
        ("gfx1100", 120, 12),
        ("gfx1102", 120, 8),
    ],
)
def test_registers_limit_the_waves(arch: str, vgpr: int, waves: int) -> None:
    wave = 32 if arch.startswith("gfx1") else 64

    assert occupancy.waves(arch, vgpr=vgpr, sgpr=8, lds_bytes=0, wave_size=wave, group_size=256) == waves


def test_a_wave_of_64_lanes_takes_twice_the_registers_on_rdna() -> None:
    def of(wave: int) -> int | None:
        return occupancy.waves("gfx1030", vgpr=96, sgpr=8, lds_bytes=0, wave_size=wave, group_size=256)

    assert (of(32), of(64)) == (10, 5)


@pytest.mark.parametrize(("sgpr", "waves"), [(80, 10), (88, 9), (100, 8), (102, 7)])
def test_scalar_registers_limit_the_waves_on_gcn(sgpr: int, waves: int) -> None:
    assert occupancy.waves("gfx906", vgpr=8, sgpr=sgpr, lds_bytes=0, wave_size=64, group_size=256) == waves


@pytest.mark.parametrize(
    ("arch", "lds", "group", "waves"),
    [
        ("gfx90a", 16_384, 256, 4),  # 4 groups of 4 waves over 4 SIMDs
        ("gfx90a", 65_536, 256, 1),
        ("gfx90a", 65_536, 1024, 4),
        ("gfx90a", 1_024, 256, 8),
        ("gfx950", 65_536, 256, 2),
    ],
)
def test_shared_memory_limits_the_waves(arch: str, lds: int, group: int, waves: int) -> None:
    assert occupancy.waves(arch, vgpr=8, sgpr=8, lds_bytes=lds, wave_size=64, group_size=group) == waves


def test_an_unknown_gpu_has_no_figure() -> None:
    assert occupancy.waves("gfx1310", vgpr=8, sgpr=8, lds_bytes=0, wave_size=32, group_size=256) is None
