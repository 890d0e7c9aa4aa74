"""How many waves of a kernel fit on one SIMD unit, as far as registers and LDS allow.

Source: LLVM `AMDGPUBaseInfo.cpp` (getVGPRAllocGranule, getTotalNumVGPRs, getMaxWavesPerEU) and
`AMDGPUSubtarget.cpp` (getOccupancyWithNumSGPRs); held against the «; Occupancy:» line of its
assembly in tests. The metadata's VGPR count already holds the accumulation registers: added where
one file serves both (gfx90a and later), the larger of the two where each has its own (gfx908).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rocm_ci.kernels.target import processor


@dataclass(frozen=True, slots=True)
class Simd:
    """One SIMD unit: registers per lane, allocation step, and waves. LDS per compute unit in bytes."""

    registers: int
    step: int
    waves: int
    lds_bytes: int = 65_536
    simds: int = 4


_UNIFIED = Simd(registers=512, step=8, waves=8)
_TABLE: tuple[tuple[str, Simd], ...] = (
    (r"gfx950", Simd(registers=512, step=8, waves=8, lds_bytes=163_840)),
    (r"gfx90a|gfx94[0-2]|gfx9-4-generic", _UNIFIED),
    (r"gfx9(0[024689c]|-generic)", Simd(registers=256, step=4, waves=10)),
    (r"gfx10(1[0-3]|-1-generic)", Simd(registers=1024, step=8, waves=20, simds=2)),
    (r"gfx10(3[0-6]|-3-generic)", Simd(registers=1024, step=16, waves=16, simds=2)),
    (r"gfx11(00|01|51)|gfx120[01]", Simd(registers=1536, step=24, waves=16, simds=2)),
    (r"gfx11(0[23]|5[023]|-generic)|gfx12-generic", Simd(registers=1024, step=16, waves=16, simds=2)),
)


def waves(arch: str, *, vgpr: int, sgpr: int, lds_bytes: int, wave_size: int, group_size: int) -> int | None:
    """Waves per SIMD for the largest allowed work-group; None for an arch we have no figures of.

    LDS that is asked for at launch is not in the file and not counted.
    """
    name = processor(arch)
    simd = next((simd for pattern, simd in _TABLE if re.fullmatch(pattern, name)), None)
    if simd is None:
        return None
    # RDNA counts registers for 32 lanes; a 64-lane wave takes them twice.
    halves = 2 if simd.registers >= 1024 and wave_size == 64 else 1
    total, step = simd.registers // halves, max(1, simd.step // halves)
    limits = [simd.waves, max(1, total // _rounded(max(vgpr, 1), step))]
    if name.startswith("gfx9"):
        limits.append(_by_sgpr(sgpr))
    if lds_bytes:
        groups = max(1, simd.lds_bytes // lds_bytes)
        waves_per_group = -(-max(group_size, 1) // wave_size)
        limits.append(max(1, -(-groups * waves_per_group // simd.simds)))
    return min(limits)


def _by_sgpr(sgpr: int) -> int:
    """A GCN or CDNA SIMD has 800 scalar registers, given out in sixteens; RDNA never runs short."""
    for most, allowed in ((80, 10), (88, 9), (100, 8)):
        if sgpr <= most:
            return allowed
    return 7


def _rounded(count: int, step: int) -> int:
    return -(-count // step) * step
