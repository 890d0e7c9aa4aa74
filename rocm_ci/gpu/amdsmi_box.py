"""The box that amd-smi 26 and later print when they are run without a subcommand.

Each device has two lines: address, name, temperature, power; then its numbers, partition mode and memory.
"""

from __future__ import annotations

import re

from rocm_ci.gpu.observation import MAX_DEVICES

_HEAD = re.compile(
    r"(?m)^[ \t>]*\| AMD-SMI (?P<tool>\S{1,60}) +amdgpu version: (?P<driver>\S{1,60}) +"
    r"ROCm version: (?P<rocm>\S{1,40})"
)
_PLATFORM = re.compile(r"(?m)^[ \t>]*\| Platform: ([^|\n]{1,60}?) +\|")
_VBIOS = re.compile(r"(?m)^[ \t>]*\| VBIOS version: (\S{1,60}) +\|")
_DEVICE = re.compile(
    r"(?m)^[ \t>]*\| (?P<bdf>[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]) +"
    r"(?P<name>\S[^|\n]{0,60}?) +\|(?P<state>[^|\n]{0,120})\|\s*\n"
    r"[ \t>]*\| +(?P<gpu>\d{1,4}) +(?P<ids>[^|\n]{0,60}?) +"
    r"(?P<modes>[A-Z]{3}/NPS\d|N/A)[^|\n]{0,20}\|(?P<use>[^|\n]{0,120})\|"
)


def looks_like(text: str) -> bool:
    """Whether the text holds such a box."""
    return "| AMD-SMI " in text and _HEAD.search(text) is not None


def records(text: str) -> list[dict[str, str]]:
    """One record for the tool and one per device, with the paths that the subcommands use."""
    head = _HEAD.search(text)
    if head is None:
        return []
    platform, vbios = _PLATFORM.search(text), _VBIOS.search(text)
    found = [
        {
            "tool": "AMDSMI Tool",
            "version": head.group("tool"),
            "rocm_version": head.group("rocm"),
            "amdgpu_version": head.group("driver"),
            "platform": platform.group(1) if platform else "",
        }
    ]
    devices = list(_DEVICE.finditer(text))[:MAX_DEVICES]
    # One line speaks of all devices; with several kinds nobody knows whose it is.
    shared = vbios.group(1) if vbios and len({d.group("name") for d in devices}) == 1 else ""
    return found + [_device(match, shared) for match in devices]


def _device(match: re.Match[str], vbios: str) -> dict[str, str]:
    state, use = match.group("state"), match.group("use")
    record = {
        "gpu": match.group("gpu"),
        "bus.bdf": match.group("bdf"),
    }
    # A name that is wider than its column has lost its beginning.
    if not match.group("name").startswith("..."):
        record["asic.market_name"] = match.group("name")
    # What the box calls the VBIOS is the version of the firmware image.
    record |= {"ifwi.version": vbios} if vbios else {}
    if "/" in match.group("modes"):
        compute, memory = match.group("modes").split("/")[:2]
        if compute != "N":
            record |= {"partition.accelerator_partition": compute, "partition.memory_partition": memory}
    heat = re.search(r"(\d{1,3}) ?°?C\b", state)
    power = re.search(r"(\d{1,5}|N/A)/(\d{1,5}) W", state)
    # Utilisation, temperature, uncorrectable errors, power; each may be N/A.
    errors = re.match(r" *(?:\d{1,3} %|N/A) +(?:\d{1,3} ?°?C|N/A) +(\d{1,9}) ", state)
    memory_use = re.search(r"(\d{1,9})/(\d{1,9}) MB", use)
    busy = re.search(r"^ *(\d{1,3}) %", use)
    if heat:
        record["temperature.hotspot"] = heat.group(1)
    if power:
        record["power.socket_power"] = power.group(1)
        # A card that tells no cap has one of 0.
        record |= {"limit.socket_power": power.group(2)} if int(power.group(2)) else {}
    if errors:
        record["ecc.total_uncorrectable_count"] = errors.group(1)
    if memory_use:
        record |= {"mem_usage.used_vram": memory_use.group(1), "mem_usage.total_vram": memory_use.group(2)}
    if busy:
        record["usage.gfx_activity"] = busy.group(1)
    return record
