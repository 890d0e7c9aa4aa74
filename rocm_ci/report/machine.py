"""The machine in one line and in a table. Plain text; still to be made inert."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rocm_ci.report import words

if TYPE_CHECKING:
    from rocm_ci.model.facts import Facts, Gpu

_VENDOR = re.compile(
    r"^(?:Advanced Micro Devices,? Inc\.?|AMD)?\s*(?:\[AMD/ATI\])?\s*(?:Instinct|Radeon(?: Pro| RX)?)?\s*"
)


def usable(facts: Facts) -> tuple[Gpu, ...]:
    """The devices that the runtime does not hide from us."""
    return tuple(gpu for gpu in facts.gpus if gpu.visible is not False)


def short_name(facts: Facts) -> str:
    """`MI300X`, `2 × MI300X`; empty without a GPU."""
    names = Counter(_VENDOR.sub("", g.name or "") or g.gfx or "GPU" for g in usable(facts))
    return words.joined([f"{n} × {name}" if n > 1 else name for name, n in names.items()])


def line(facts: Facts) -> str:
    """GPU, driver, ROCm and system in one line. It is never left out of a comment."""
    host = facts.host
    parts = [_gpus(facts), _driver(facts)]
    parts.append(_rocm(facts))
    system = host.os or "unknown system"
    parts.append(f"{system}, kernel {host.kernel}" if host.kernel else system)
    return " · ".join(parts)


def table(facts: Facts) -> tuple[tuple[str, str], ...]:
    """Name and value of everything known, in the order a reader asks for it."""
    host, rocm = facts.host, facts.rocm
    software = [
        f"{name} {version}"
        for name, version in (
            ("ROCm", rocm.version),
            ("HIP", rocm.hip),
            ("hipcc", rocm.hipcc),
            ("clang", rocm.clang),
            ("torch", rocm.torch),
            ("Python", host.python),
        )
        if version
    ]
    memory = words.size(host.memory_bytes) if host.memory_bytes else None
    others = f"also installed: {', '.join(rocm.others[:4])}" if rocm.others else None
    threads = words.count(host.cpus, "thread") if host.cpus else None
    rows = [
        *[(f"GPU {gpu.index}", _gpu_row(gpu)) for gpu in facts.gpus],
        ("Driver", _driver(facts) if facts.driver.loaded is not None else None),
        ("Software", "; ".join(part for part in (", ".join(software), others) if part)),
        ("System", ", ".join(part for part in (host.os, _kernel(facts), host.architecture) if part)),
        ("CPU", ", ".join(part for part in (host.cpu, threads, memory) if part)),
        ("Image", " in ".join(part for part in (host.image, host.container) if part)),
        ("Tools", ", ".join(f"{name} {version}" for name, version in sorted(facts.tools.items()))),
        ("Comparable with", facts.hardware_key),
    ]
    return tuple((name, value) for name, value in rows if value)


def doubts(facts: Facts) -> tuple[tuple[str, str], ...]:
    """What could not be found out and why, where sources disagree, and what looked odd."""
    disagree = [
        (c.name, ", ".join(f"{who} says {what}" for who, what in c.said.items())) for c in facts.conflicts
    ]
    return (
        *((u.name, u.reason) for u in facts.unknown),
        *disagree,
        *(("note", note) for note in facts.notes),
    )


def _rocm(facts: Facts) -> str:
    """Distributions ship HIP without a ROCm release around it."""
    if facts.rocm.version:
        return f"ROCm {facts.rocm.version}"
    hip = facts.rocm.hip or facts.rocm.hipcc
    return f"HIP {hip}" if hip else "ROCm not found"


def _kernel(facts: Facts) -> str:
    return f"kernel {facts.host.kernel}" if facts.host.kernel else ""


def _gpus(facts: Facts) -> str:
    if not facts.gpus:
        return "no AMD GPU"
    alike = Counter(_one_gpu(gpu) for gpu in facts.gpus)
    return ", ".join(f"{n} × {what}" for what, n in alike.items())


def _one_gpu(gpu: Gpu) -> str:
    partition = "/".join(part for part in (gpu.compute_partition, gpu.memory_partition) if part)
    inside = [
        gpu.gfx,
        f"{gpu.compute_units} CU" if gpu.compute_units else None,
        words.size(gpu.vram_bytes) if gpu.vram_bytes else None,
        partition,
    ]
    known = ", ".join(part for part in inside if part)
    return (gpu.name or "AMD GPU") + (f" ({known})" if known else "")


def _driver(facts: Facts) -> str:
    driver = facts.driver
    if driver.loaded is False:
        return "driver not loaded"
    if driver.version:
        return f"amdgpu {driver.version}{' (of the kernel)' if driver.built_in else ''}"
    return "amdgpu of the kernel" if driver.built_in else "driver unknown"


def _gpu_row(gpu: Gpu) -> str:
    """Without serial numbers and UUIDs: they name one card of one owner."""
    flags = [
        word
        for word, is_set in (
            ("integrated", gpu.integrated),
            ("virtual function", gpu.virtual_function),
            ("hidden from this process", gpu.visible is False),
        )
        if is_set
    ]
    parts = [
        _one_gpu(gpu),
        gpu.device_id,
        f"wave {gpu.wave_size}" if gpu.wave_size else None,
        f"LDS {words.size(gpu.lds_bytes)}" if gpu.lds_bytes else None,
        f"VBIOS {gpu.vbios}" if gpu.vbios else None,
        ", ".join(f"{name} {version}" for name, version in sorted(gpu.firmware.items())[:8]),
        f"power cap {gpu.power_cap_w} W" if gpu.power_cap_w else None,
        *flags,
    ]
    return ", ".join(part for part in parts if part)
