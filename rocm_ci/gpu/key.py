"""The hardware key: results compare only between machines whose key is equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocm_ci.model.facts import Facts, Gpu

# Targets whose firmware bundle AMD releases together with driver and ROCm.
_BUNDLED = ("gfx942", "gfx950")


def hardware_key(facts: Facts) -> str:
    """One readable, stable line: the kinds of GPU with mode and power cap, ROCm, driver, image.

    How many GPUs there are is not part of it; what cannot be known is written as `?`, so that it
    equals only another unknown.
    """
    # A tag moves; a digest does not.
    exact = facts.host.image_digest or facts.host.image
    image = f" / image {exact}" if exact else ""
    if not facts.gpus:
        return f"cpu-only: {facts.host.cpu or 'unknown CPU'}{image}"
    kinds = sorted({_kind(gpu) for gpu in facts.gpus})
    return f"{' + '.join(kinds)} / ROCm {_rocm(facts)} / amdgpu {_driver(facts)}{image}"


def _kind(gpu: Gpu) -> str:
    parts = [gpu.gfx or "gfx?", gpu.device_id or "id?"]
    if gpu.compute_partition or gpu.memory_partition:
        parts.append("/".join(p or "?" for p in (gpu.compute_partition, gpu.memory_partition)))
    if gpu.virtual_function:
        parts.append("virtual function")
    build = gpu.firmware.get("IFWI") or gpu.firmware.get("VBIOS") if gpu.gfx in _BUNDLED else None
    if build:
        parts.append(f"firmware {build}")
    if gpu.power_cap_w:
        parts.append(f"{gpu.power_cap_w} W")
    return f"{gpu.name or 'AMD GPU'} ({', '.join(parts)})"


def _rocm(facts: Facts) -> str:
    if facts.rocm.version:
        return facts.rocm.version
    return f"? (HIP {facts.rocm.hip})" if facts.rocm.hip else "?"


def _driver(facts: Facts) -> str:
    if facts.driver.version:
        return facts.driver.version
    # A driver without a version of its own changes with the kernel.
    kernel = f" kernel {facts.host.kernel}" if facts.driver.loaded and facts.host.kernel else ""
    return f"of{kernel}" if kernel and facts.driver.source else f"?{kernel}"
