"""What machine a run happened on. Unknown is None with a reason in `Facts.unknown`, never a guess."""

from __future__ import annotations

from rocm_ci.model.base import Frozen


class Unknown(Frozen, frozen=True, kw_only=True):
    """A fact that could not be found out. `name` is its path, e.g. `gpus[0].vbios`."""

    name: str
    reason: str


class Host(Frozen, frozen=True, kw_only=True):
    """The operating system and what it runs on. Memory in bytes; `cpus` is what we may use."""

    os: str | None = None
    kernel: str | None = None
    architecture: str | None = None
    cpu: str | None = None
    cpus: int | None = None
    memory_bytes: int | None = None
    container: str | None = None
    image: str | None = None
    python: str | None = None


class Driver(Frozen, frozen=True, kw_only=True):
    """The amdgpu kernel driver. `source` says where the version was read."""

    loaded: bool | None = None
    version: str | None = None
    built_in: bool | None = None
    source: str | None = None


class Rocm(Frozen, frozen=True, kw_only=True):
    """The user-space stack. `version` is the ROCm release, `hip` the HIP runtime's own number."""

    version: str | None = None
    root: str | None = None
    hip: str | None = None
    hipcc: str | None = None
    clang: str | None = None
    torch: str | None = None
    torch_hip: str | None = None


class Gpu(Frozen, frozen=True, kw_only=True):
    """One device as the driver shows it (a partition of a card counts as one device)."""

    index: int
    name: str | None = None
    gfx: str | None = None
    compute_units: int | None = None
    vram_bytes: int | None = None
    device_id: str | None = None
    bus: str | None = None
    lds_bytes: int | None = None
    wave_size: int | None = None
    vbios: str | None = None
    firmware: dict[str, str] = {}
    compute_partition: str | None = None
    memory_partition: str | None = None
    power_cap_w: int | None = None
    integrated: bool | None = None
    virtual_function: bool | None = None


class Facts(Frozen, frozen=True, kw_only=True):
    """Everything known of a machine. Two results compare only when `hardware_key` is equal."""

    host: Host = Host()
    driver: Driver = Driver()
    rocm: Rocm = Rocm()
    gpus: tuple[Gpu, ...] = ()
    tools: dict[str, str] = {}
    hardware_key: str = "unknown"
    unknown: tuple[Unknown, ...] = ()
