"""Why a fact is not known: which source was asked, and what it answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.facts import Gpu, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.gpu.observation import Value
    from rocm_ci.model.facts import Driver, Host, Rocm

# Field → the sources that can tell it. Fields that many devices rightly lack are not listed.
_GPU: dict[str, tuple[str, ...]] = {
    "name": ("amd-smi", "rocminfo", "rocm-smi"),
    "gfx": ("kfd", "rocminfo", "amd-smi", "rocm-smi"),
    "compute_units": ("kfd", "rocminfo", "amd-smi"),
    "vram_bytes": ("sysfs", "amd-smi", "rocm-smi", "rocminfo"),
    "device_id": ("kfd", "sysfs", "rocminfo", "amd-smi", "rocm-smi"),
    "bus": ("kfd", "sysfs", "rocminfo", "amd-smi", "rocm-smi"),
    "lds_bytes": ("kfd", "rocminfo"),
    "wave_size": ("kfd", "rocminfo"),
    "vbios": ("sysfs", "amd-smi", "rocm-smi"),
    "compute_partition": ("sysfs", "amd-smi", "rocm-smi"),
    "memory_partition": ("sysfs", "amd-smi", "rocm-smi"),
    "power_cap_w": ("sysfs", "amd-smi", "rocm-smi"),
    "integrated": ("rocminfo", "amd-smi"),
}
_ROCM: dict[str, tuple[str, ...]] = {
    "version": ("rocm", "amd-smi"),
    "root": ("rocm",),
    "hip": ("rocm",),
    "hipcc": ("rocm",),
    "torch": ("torch",),
}
_HOST = ("os", "kernel", "cpu", "cpus", "memory_bytes")
_MAX_REASON = 400


def of_host(host: Host) -> list[Unknown]:
    """Host facts that are missing."""
    return [
        Unknown(name=f"host.{name}", reason="neither /proc, /etc nor a tool tells it")
        for name in _HOST
        if getattr(host, name) is None
    ]


def of_rocm(rocm: Rocm, problems: Mapping[str, str]) -> list[Unknown]:
    """ROCm facts that are missing."""
    return [
        Unknown(name=f"rocm.{name}", reason=_reason(sources, problems, {}))
        for name, sources in _ROCM.items()
        if getattr(rocm, name) is None
    ]


def of_driver(driver: Driver, problems: Mapping[str, str]) -> list[Unknown]:
    """The driver's version, when there is none."""
    if driver.version is not None:
        return []
    if driver.loaded and driver.built_in:
        reason = "the driver is built into the kernel and has no version of its own"
    elif driver.loaded and driver.built_in is False:
        reason = "the driver comes from the kernel's own tree and has no version of its own"
    else:
        reason = _reason(("module", "rocminfo", "amd-smi", "rocm-smi"), problems, {})
    return [Unknown(name="driver.version", reason=reason)]


def of_gpus(
    gpus: Sequence[Gpu], said: Sequence[Mapping[str, Mapping[str, Value]]], problems: Mapping[str, str]
) -> list[Unknown]:
    """Missing facts of GPUs; one entry `gpus[*].x` when all lack it for the same reason."""
    found: list[Unknown] = []
    for name, sources in _GPU.items():
        reasons = {
            gpu.index: _reason(sources, problems, said[gpu.index].get(name, {}))
            for gpu in gpus
            if getattr(gpu, name) is None
        }
        if len(reasons) == len(gpus) > 1 and len(set(reasons.values())) == 1:
            found.append(Unknown(name=f"gpus[*].{name}", reason=next(iter(reasons.values()))))
        else:
            found += [Unknown(name=f"gpus[{i}].{name}", reason=reason) for i, reason in reasons.items()]
    return found


def _reason(sources: Sequence[str], problems: Mapping[str, str], said: Mapping[str, Value]) -> str:
    asked = [source for source in sources if source in said]
    if asked:
        return f"{' and '.join(asked)} report{'s' if len(asked) == 1 else ''} N/A"
    told = list(dict.fromkeys(problems[source] for source in sources if problems.get(source)))
    silent = [source for source in sources if not problems.get(source)]
    if silent:
        told.append(f"{', '.join(silent)} {'does' if len(silent) == 1 else 'do'} not tell it")
    return "; ".join(told)[:_MAX_REASON]
