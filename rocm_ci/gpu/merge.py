"""One value per fact: the best source wins, the others are checked against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.facts import Conflict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.gpu.observation import Value

# Best first. What the kernel says beats what a tool says of the kernel; a name comes from the tool
# that keeps the list of names.
_DEFAULT = (
    "sysfs", "kfd", "module", "proc", "rocminfo", "amd-smi", "rocm-smi", "rocm", "torch", "lspci", "dmesg",
    "table", "enumerator", "issue form",
)  # fmt: skip
BEST: dict[str, tuple[str, ...]] = {
    "name": ("amd-smi", "rocminfo", "rocm-smi", "torch", "table", "lspci"),
    # With HSA_OVERRIDE_GFX_VERSION the runtime names another target than the device has.
    "gfx": ("kfd", "table", "rocminfo", "amd-smi", "rocm-smi"),
    "compute_units": ("kfd", "rocminfo", "amd-smi"),
    "bus": ("kfd", "sysfs", "rocminfo", "amd-smi", "rocm-smi", "lspci"),
    "vram_bytes": ("sysfs", "amd-smi", "rocm-smi", "kfd", "rocminfo", "dmesg"),
    "integrated": ("rocminfo", "amd-smi", "table", "kfd"),
    "version": ("module", "rocm", "rocminfo", "amd-smi", "rocm-smi", "dmesg"),
    "kernel": ("proc", "dmesg"),
}
# Values that only make sense as exact facts are compared; names, revisions and moments are not.
_COMPARED = ("gfx", "compute_units", "device_id", "wave_size", "lds_bytes", "compute_partition", "version")
_SIZES = ("vram_bytes",)
_TOLERANCE = 0.03
# A moment passes between two looks, so only a gap that no moment explains counts (the driver's own
# account of free memory can be wrong by gigabytes: ROCm/amdgpu#223).
_MOMENTS = ("vram_used_bytes",)
_GAP_BYTES = 1 << 30


def order_of(field: str) -> tuple[str, ...]:
    """The sources of a field, best first."""
    return BEST.get(field, _DEFAULT)


def choose(field: str, said: Mapping[str, Value]) -> tuple[Value, str | None]:
    """The best answer that is not None, and whose it is."""
    order = order_of(field)
    for source in sorted(said, key=lambda s: order.index(s) if s in order else len(order)):
        if said[source] is not None:
            return said[source], source
    return None, None


def conflict(name: str, field: str, said: Mapping[str, Value]) -> Conflict | None:
    """A conflict when two sources give answers that cannot both be true; None otherwise."""
    answers = {source: value for source, value in said.items() if value is not None}
    if len(answers) < 2 or not _differ(field, list(answers.values())):
        return None
    return Conflict(name=name, said={source: str(value)[:100] for source, value in sorted(answers.items())})


def _differ(field: str, values: Sequence[Value]) -> bool:
    if field in _SIZES:
        sizes = [float(v) for v in values if isinstance(v, (int, float)) and v > 0]
        return bool(sizes) and max(sizes) > min(sizes) * (1 + _TOLERANCE)
    if field in _MOMENTS:
        sizes = [float(v) for v in values if isinstance(v, (int, float))]
        return bool(sizes) and max(sizes) - min(sizes) > max(_GAP_BYTES, min(sizes) * 0.1)
    return field in _COMPARED and len({str(v).lower() for v in values}) > 1
