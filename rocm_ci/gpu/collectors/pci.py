"""AMD display and accelerator devices on the PCI bus, and what amdgpu tells of each in sysfs.

A card that fell off the driver but not off the bus is seen only here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu.observation import MAX_DEVICES, Collector, Device, Observation, Value, bus_address
from rocm_ci.gpu.quantity import hex_id, number, whole, word

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

_BUS = "/sys/bus/pci/devices"
_DRM = "/sys/class/drm"
_AMD = "0x1002"
# PCI classes: display controllers (0x03) and processing accelerators (0x12).
_CLASS = re.compile(r"0x(03|12)[0-9a-f]{4}")


def collect(reader: Reader) -> Observation:
    """Every AMD device of these classes, by PCI address; serial numbers are left alone."""
    found: dict[str, Device] = {}
    for folder in _folders(reader):
        device = _device(reader, folder)
        if device is not None:
            found.setdefault(str(device.values.get("bus") or folder), device)
    problem = ""
    if not found:
        problem = "no AMD GPU on the PCI bus in /sys" if reader.names("/sys") else "no sys tree was recorded"
    return Observation(
        source="sysfs", devices=tuple(found[k] for k in sorted(found))[:MAX_DEVICES], problem=problem
    )


def _folders(reader: Reader) -> list[str]:
    by_bus = [f"{_BUS}/{name}" for name in reader.names(_BUS) if bus_address(name)]
    cards = [n for n in reader.names(_DRM) if re.fullmatch(r"card\d{1,4}", n)]
    # A render node is the same device once more.
    cards = cards or [n for n in reader.names(_DRM) if re.fullmatch(r"renderD\d{1,4}", n)]
    by_card = [f"{_DRM}/{name}/device" for name in sorted(cards, key=lambda n: (len(n), n))]
    return by_bus + by_card


def _device(reader: Reader, folder: str) -> Device | None:
    def read(name: str) -> str | None:
        return word(reader.text(f"{folder}/{name}"))

    if read("vendor") != _AMD:
        return None
    kind = read("class")
    if kind is not None and not _CLASS.fullmatch(kind):
        return None
    uevent = dict(re.findall(r"(?m)^([A-Z_]{1,40})=(.{0,200})$", reader.text(f"{folder}/uevent") or ""))
    values: dict[str, Value] = {
        "bus": bus_address(uevent.get("PCI_SLOT_NAME", "")) or bus_address(folder.rsplit("/", 1)[-1]),
        "device_id": hex_id(read("device")),
        "revision": read("revision"),
        "vram_bytes": whole(read("mem_info_vram_total")),
        "vram_used_bytes": whole(read("mem_info_vram_used")),
        "vbios": read("vbios_version"),
        "compute_partition": read("current_compute_partition"),
        "memory_partition": read("current_memory_partition"),
        "numa_node": _numa(read("numa_node")),
        "busy_pct": number(read("gpu_busy_percent")),
        "performance_level": read("power_dpm_force_performance_level"),
        "render": _render(reader, folder),
        "driver": uevent.get("DRIVER") or ("amdgpu" if read("mem_info_vram_total") else None),
        **_sensors(reader, folder),
        **_errors(reader, folder),
    }
    if reader.names(f"{folder}/physfn"):
        values["virtual_function"] = True
    return Device(
        values={k: v for k, v in values.items() if v is not None}, firmware=_firmware(reader, folder)
    )


def _render(reader: Reader, folder: str) -> str | None:
    nodes = [n for n in reader.names(f"{folder}/drm") if re.fullmatch(r"renderD\d{1,4}", n)]
    if nodes:
        return nodes[0]
    name = folder.removeprefix(f"{_DRM}/").split("/")[0]
    return name if name.startswith("renderD") else None


def _numa(text: str | None) -> int | None:
    node = whole(text)
    return node if node is not None and node >= 0 else None


def _sensors(reader: Reader, folder: str) -> dict[str, Value]:
    """hwmon: power in microwatts, temperature in millidegrees, clocks in hertz."""
    for name in reader.names(f"{folder}/hwmon")[:8]:
        base = f"{folder}/hwmon/{name}"
        cap = whole(word(reader.text(f"{base}/power1_cap")))
        power = whole(word(reader.text(f"{base}/power1_average") or reader.text(f"{base}/power1_input")))
        heat = whole(word(reader.text(f"{base}/temp2_input") or reader.text(f"{base}/temp1_input")))
        clocks = [whole(word(reader.text(f"{base}/freq{n}_input"))) for n in (1, 2)]
        return {
            "power_cap_w": round(cap / 1e6) if cap else None,
            "power_w": round(power / 1e6, 1) if power else None,
            "temperature_c": heat / 1000 if heat else None,
            "sclk_mhz": round(clocks[0] / 1e6) if clocks[0] else None,
            "mclk_mhz": round(clocks[1] / 1e6) if clocks[1] else None,
        }
    return {}


def _errors(reader: Reader, folder: str) -> dict[str, Value]:
    """Errors of all blocks that ECC guards: `ue: 0` and `ce: 3` in each file; none without such files."""
    found: dict[str, int] = {}
    for name in reader.names(f"{folder}/ras")[:64]:
        if name.endswith("_err_count"):
            for kind, count in re.findall(
                r"(?m)^(ue|ce): (\d{1,15})$", reader.text(f"{folder}/ras/{name}") or ""
            ):
                found[kind] = found.get(kind, 0) + int(count)
    return {"ecc_correctable": found.get("ce"), "ecc_uncorrectable": found.get("ue")}


def _firmware(reader: Reader, folder: str) -> dict[str, str]:
    found = {}
    for name in reader.names(f"{folder}/fw_version")[:64]:
        value = word(reader.text(f"{folder}/fw_version/{name}"))
        if name.endswith("_fw_version") and value and whole(value) != 0:
            found[name.removesuffix("_fw_version").upper()] = value
    return found


COLLECTOR: Collector = Collector(name="pci", collect=collect)
