"""What the compiler made of one GPU kernel."""

from __future__ import annotations

from rocm_ci.model.base import Frozen


class Kernel(Frozen, frozen=True, kw_only=True):
    """Resources of one kernel for one target, from the code object's metadata note.

    Registers are per lane (VGPR, AGPR) or per wave (SGPR); `lds_bytes` is per work-group,
    `scratch_bytes` per lane; `occupancy` is waves per SIMD as far as registers and LDS allow.
    """

    name: str
    arch: str
    artifact: str
    vgpr: int
    agpr: int
    sgpr: int
    vgpr_spills: int
    sgpr_spills: int
    lds_bytes: int
    scratch_bytes: int
    wave_size: int
    occupancy: int | None = None


class KernelChange(Frozen, frozen=True, kw_only=True):
    """One number of one kernel that differs between merge base and head."""

    name: str
    arch: str
    metric: str
    base: int
    head: int
    is_regression: bool
