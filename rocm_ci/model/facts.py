"""What machine a run happened on. Unknown is None with a reason in `Facts.unknown`, never a guess."""

from __future__ import annotations

from rocm_ci.model.base import Frozen


class Unknown(Frozen, frozen=True, kw_only=True):
    """A fact that could not be found out. `name` is its path, e.g. `gpus[0].vbios`."""

    name: str
    reason: str


class Conflict(Frozen, frozen=True, kw_only=True):
    """Sources that disagree about a fact; `said` maps each source to its answer, as text."""

    name: str
    said: dict[str, str]


class Host(Frozen, frozen=True, kw_only=True):
    """The operating system and what it runs on. Memory in bytes.

    `cpus` is what we may use (affinity and cgroup quota), `cpus_total` what the machine has. `image` is
    the container's as it was asked for, `image_digest` what that was (`sha256:…`).
    """

    os: str | None = None
    kernel: str | None = None
    architecture: str | None = None
    cpu: str | None = None
    cpus: int | None = None
    cpus_total: int | None = None
    memory_bytes: int | None = None
    memory_limit_bytes: int | None = None
    container: str | None = None
    image: str | None = None
    image_digest: str | None = None
    python: str | None = None


class Driver(Frozen, frozen=True, kw_only=True):
    """The amdgpu kernel driver. `source` says where the version was read.

    `version` is the module's, `number` that of the driver it belongs to (`6.16.6` is of driver 30.20).
    """

    loaded: bool | None = None
    version: str | None = None
    number: str | None = None
    built_in: bool | None = None
    source: str | None = None


class Rocm(Frozen, frozen=True, kw_only=True):
    """The user-space stack. `version` is the ROCm release, `hip` the HIP runtime's own number.

    `build` is the release as its own file spells it (`6.4.1-83`), `others` are installed prefixes
    that are not in use (`/opt/rocm-7.2.1 7.2.1`), `hsa` is the version of the HSA interface.
    """

    version: str | None = None
    build: str | None = None
    root: str | None = None
    others: tuple[str, ...] = ()
    hip: str | None = None
    hip_platform: str | None = None
    hsa: str | None = None
    amd_smi: str | None = None
    hipcc: str | None = None
    clang: str | None = None
    torch: str | None = None
    torch_hip: str | None = None
    torch_cuda: str | None = None


class GpuState(Frozen, frozen=True, kw_only=True):
    """What a device did when it was looked at: changes from moment to moment, never part of a key."""

    vram_used_bytes: int | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    sclk_mhz: int | None = None
    mclk_mhz: int | None = None
    busy_pct: float | None = None
    performance_level: str | None = None
    ecc_correctable: int | None = None
    ecc_uncorrectable: int | None = None


class Gpu(Frozen, frozen=True, kw_only=True):
    """One device as the driver shows it (a partition of a card counts as one device).

    `node` and `kfd_id` are the driver's topology node and its id, `render` the device file below
    /dev/dri, `partition` the ordinal on its card, `features` the target features of the ISA
    (`sramecc+:xnack-`). `visible` is False when the runtime hides it from this process.
    """

    index: int
    name: str | None = None
    gfx: str | None = None
    compute_units: int | None = None
    vram_bytes: int | None = None
    device_id: str | None = None
    revision: str | None = None
    bus: str | None = None
    node: int | None = None
    kfd_id: int | None = None
    render: str | None = None
    numa_node: int | None = None
    partition: int | None = None
    xcc: int | None = None
    features: str | None = None
    lds_bytes: int | None = None
    wave_size: int | None = None
    vbios: str | None = None
    firmware: dict[str, str] = {}
    compute_partition: str | None = None
    memory_partition: str | None = None
    power_cap_w: int | None = None
    integrated: bool | None = None
    virtual_function: bool | None = None
    visible: bool | None = None
    state: GpuState = GpuState()


class Facts(Frozen, frozen=True, kw_only=True):
    """Everything known of a machine. Two results compare only when `hardware_key` is equal.

    `notes` are warnings that the tools printed and oddities that the collectors saw.
    """

    host: Host = Host()
    driver: Driver = Driver()
    rocm: Rocm = Rocm()
    gpus: tuple[Gpu, ...] = ()
    tools: dict[str, str] = {}
    hardware_key: str = "unknown"
    unknown: tuple[Unknown, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
