"""The kernel's view of compute devices: /sys/class/kfd/kfd/topology/nodes.

Format as in the kernel's amdkfd driver: one `key value` per line, integers only. Processors are
nodes too, with `simd_count 0`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu.observation import MAX_DEVICES, Collector, Device, Observation, Value, bus_of_location
from rocm_ci.gpu.quantity import hex_id, whole

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

NODES = "/sys/class/kfd/kfd/topology/nodes"
_PROPERTY = re.compile(r"^(\w{1,64}) (\d{1,18})$", re.MULTILINE)
# Heap types of the kernel's memory banks: 1 and 2 are the device's own memory.
_DEVICE_HEAPS = (1, 2)


def collect(reader: Reader) -> Observation:
    """Every GPU node. A node that our control group may not see is unreadable and left out."""
    numbers = sorted(int(n) for n in reader.names(NODES) if re.fullmatch(r"\d{1,5}", n))
    if not numbers:
        return Observation(source="kfd", problem=_absent(reader))
    devices: list[Device] = []
    hidden: list[int] = []
    for number in numbers[: MAX_DEVICES * 2]:
        text = reader.text(f"{NODES}/{number}/properties")
        if text is None or not text.strip():
            hidden.append(number)
            continue
        properties = {key: int(value) for key, value in _PROPERTY.findall(text)}
        # An excerpt may hold the target alone; a processor's is 0.
        if properties.get("simd_count", properties.get("gfx_target_version", 0)) > 0:
            devices.append(_device(reader, number, properties))
    notes = (f"{len(hidden)} KFD node(s) cannot be read: {hidden[:16]}",) if hidden else ()
    problem = "" if devices else "the KFD topology holds no GPU node"
    return Observation(
        source="kfd",
        driver={"loaded": True} if devices else {},
        devices=tuple(devices[:MAX_DEVICES]),
        hidden=len(hidden),
        problem=problem,
        notes=notes,
    )


def _absent(reader: Reader) -> str:
    if not reader.names("/sys"):
        return "no sys tree was recorded"
    if reader.names("/sys/module/amdgpu"):
        return "no /sys/class/kfd, though the amdgpu driver is loaded"
    return "no /sys/class/kfd: the amdgpu driver is not loaded"


def target(encoded: int) -> str | None:
    """`gfx_target_version` → target name: 90010 is gfx90a, 90402 gfx942, 110501 gfx1151."""
    major, minor, step = encoded // 10000, encoded // 100 % 100, encoded % 100
    if major <= 0 or minor > 15 or step > 15:
        return None
    return f"gfx{major}{minor:x}{step:x}"


def _device(reader: Reader, number: int, properties: dict[str, int]) -> Device:
    values: dict[str, Value] = {
        "node": number,
        "gfx": target(properties.get("gfx_target_version", 0)),
        "compute_units": _compute_units(properties),
        "wave_size": properties.get("wave_front_size") or None,
        "lds_bytes": properties.get("lds_size_in_kb", 0) * 1024 or None,
        "device_id": hex_id(properties.get("device_id", 0)),
        "xcc": properties.get("num_xcc") or None,
        "vram_bytes": _vram(reader, number),
    }
    if properties.get("cpu_cores_count", 0) > 0:
        # Older accelerated processors are one node for both halves.
        values["integrated"] = True
    if properties.get("drm_render_minor", 0) > 0:
        values["render"] = f"renderD{properties['drm_render_minor']}"
    if properties.get("location_id", 0) > 0:
        values["bus"] = bus_of_location(properties["location_id"], properties.get("domain", 0))
    kfd_id = whole((reader.text(f"{NODES}/{number}/gpu_id") or "").strip())
    if kfd_id:
        values["kfd_id"] = kfd_id
    firmware = {
        name: str(properties[key])
        for name, key in (("MEC", "fw_version"), ("SDMA", "sdma_fw_version"))
        if properties.get(key, 0) > 0
    }
    return Device(values={k: v for k, v in values.items() if v is not None}, firmware=firmware)


def _compute_units(properties: dict[str, int]) -> int | None:
    per_unit = properties.get("simd_per_cu", 0)
    return properties.get("simd_count", 0) // per_unit or None if per_unit > 0 else None


def _vram(reader: Reader, number: int) -> int | None:
    """The sum of the device's own memory banks. `local_mem_size` is 0 on every modern driver."""
    total = 0
    for bank in reader.names(f"{NODES}/{number}/mem_banks")[:16]:
        text = reader.text(f"{NODES}/{number}/mem_banks/{bank}/properties") or ""
        properties = {key: int(value) for key, value in _PROPERTY.findall(text)}
        if properties.get("heap_type") in _DEVICE_HEAPS:
            total += properties.get("size_in_bytes", 0)
    return total or None


COLLECTOR: Collector = Collector(name="kfd", collect=collect)
