"""What the kernel log says of the driver and its devices while they start: `dmesg`, the journal, excerpts.

Only facts are read here; what a fault in the log means for a test is told elsewhere. Lines are those of the
kernel's amdgpu and amdkfd drivers, with or without a time stamp, host name or `kernel:` before them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu.observation import MAX_DEVICES, Collector, Device, Observation, Value, bus_address
from rocm_ci.gpu.quantity import hex_id, size_bytes, version
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.gpu.reader import Reader

_MAX_LINES = 200_000
_BUS = r"(?P<bus>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"
_LINE = re.compile(r"(?:^|[\s:\]])(?:amdgpu|kfd(?: kfd)?|\[drm\])[ :]")
DMESG = Tool(
    name="dmesg",
    commands=(("dmesg",),),
    recognise=lambda t: bool(re.search(rf"(?m)(?:\[drm\] amdgpu |amdgpu {_BUS}: |kfd kfd: )", t)),
    timeout_s=5.0,
    recorded=("/dmesg.txt", "/dmesg", "/var/log/kern.log"),
)
_DRIVER = re.compile(r"\[drm\] amdgpu version: (\S{1,60})")
_LOADED = re.compile(r"\[drm\] amdgpu kernel modesetting enabled|Initialized amdgpu \d")
_KERNEL = re.compile(r"(?m)(?:^|\] |kernel: )Linux version (\d\S{0,80})")
# A line behind its address: what it says, and under which name we keep it.
_SAYS: tuple[tuple[str, str], ...] = (
    ("ids", r"(?:\[drm\] )?initializing kernel modesetting \((?P<said>[^)\n]{1,120})\)"),
    ("vram", r"VRAM: (?P<said>\d{1,9}M) "),
    ("vbios", r"ATOM BIOS: (?P<said>[\w.-]{3,60})"),
    ("smc", r"[^\n]{0,160}smu fw version = 0x[0-9a-f]{1,8} \((?P<said>[\d.]{3,20})\)"),
    ("dead", r"(?:\[drm\] )?(?:\*ERROR\* )?(?P<said>Fatal error during GPU init|GPU posting failed)"),
    ("dead", r"(?:\[drm\] )?(?:\*ERROR\* )?(?P<said>device lost from bus|failed to init atombios)"),
    ("dead", r"(?P<said>probe with driver amdgpu failed with error -?\d{1,4})"),
)  # fmt: skip
_READ: tuple[tuple[str, re.Pattern[str]], ...] = (
    *((name, re.compile(rf"amdgpu {_BUS}: (?:amdgpu: )?{says}")) for name, says in _SAYS),
    (
        "up",
        re.compile(rf"Initialized amdgpu [\d.]{{1,20}}(?: \d{{8}})? for {_BUS} (?P<said>on minor \d{{1,4}})"),
    ),
    ("dead", re.compile(rf"(?P<said>probe of) {_BUS} failed with error -?\d{{1,4}}")),
)
# Older kernels print these without an address: one before the device's first line with it, one after.
_NEXT = re.compile(r"\[drm\] initializing kernel modesetting \(([^)\n]{1,120})\)")
_LAST = re.compile(r"amdgpu: ATOM BIOS: ([\w.-]{3,60})")
_ADDRESS = re.compile(rf"amdgpu {_BUS}: ")
_ADDED = re.compile(r"kfd kfd: (?:amdgpu: )?added device 1002:([0-9a-f]{4})")


def collect(reader: Reader) -> Observation:
    """The driver's version, the kernel, and per device its id, memory, firmware and whether it came up."""
    answer = reader.ask(DMESG)
    driver: dict[str, Value] = {}
    host: dict[str, Value] = {}
    seen: dict[str, dict[str, str]] = {}
    added: list[str] = []
    for output in answer.outputs:
        text = output.text
        kernel = _KERNEL.search(text)
        if kernel:
            host["kernel"] = kernel.group(1)
        waiting = last = ""
        for line in _lines(text):
            found = _DRIVER.search(line)
            if found:
                driver["version"] = version(found.group(1))
            if found or _LOADED.search(line):
                driver["loaded"] = True
            _read(line, seen)
            waiting, last = _read_unaddressed(line, seen, waiting, last)
        added += _ADDED.findall(text)[:MAX_DEVICES]
    devices = [_device(bus, said) for bus, said in sorted(seen.items())[:MAX_DEVICES]]
    if not seen:
        # `dmesg | grep kfd`: how many came up, and what they are.
        devices = [Device(values={"device_id": f"0x{found}", "driver": "amdgpu"}) for found in added]
    return Observation(
        source="dmesg",
        host=host,
        driver={key: value for key, value in driver.items() if value is not None},
        devices=tuple(device for device in devices if device is not None),
        problem="" if seen or driver or added else answer.problem or "the kernel log holds no line of amdgpu",
        notes=tuple(_given_up(seen)),
    )


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines()[:_MAX_LINES]:
        if _LINE.search(line) or "probe of" in line or "Initialized amdgpu" in line:
            yield line[:600]


def _read(line: str, seen: dict[str, dict[str, str]]) -> None:
    for name, pattern in _READ:
        found = pattern.search(line)
        bus = bus_address(found.group("bus")) if found else None
        if found and bus:
            # A driver that is loaded again says all of it again: what counts is the last time.
            seen.setdefault(bus, {})[name] = found.group("said")
            if name == "up":
                seen[bus].pop("dead", None)


def _read_unaddressed(line: str, seen: dict[str, dict[str, str]], waiting: str, last: str) -> tuple[str, str]:
    """Give a line without an address to its device; what still waits for one, and the last address."""
    begins, address, image = _NEXT.search(line), _ADDRESS.search(line), _LAST.search(line)
    if address:
        last = bus_address(address.group("bus")) or last
        if waiting:
            seen.setdefault(last, {})["ids"] = waiting
            waiting = ""
    elif begins:
        waiting = begins.group(1)
    elif image and last:
        seen.setdefault(last, {})["vbios"] = image.group(1)
    return waiting, last


def _device(bus: str, said: dict[str, str]) -> Device | None:
    """A device that came up, or of which at least the memory is told; one that failed is a note only."""
    if not said.keys() & {"vram", "up", "vbios"} or "dead" in said:
        return None
    device = re.search(r"0x1002:(0x[0-9A-Fa-f]{4})(?: \S+)?(?: 0x([0-9A-Fa-f]{2}))?", said.get("ids", ""))
    values: dict[str, Value] = {
        "bus": bus,
        "driver": "amdgpu",
        "device_id": hex_id(device.group(1)) if device else None,
        "revision": f"0x{device.group(2).lower()}" if device and device.group(2) else None,
        "vram_bytes": size_bytes(f"{said['vram']}B") if "vram" in said else None,
        "vbios": said.get("vbios"),
    }
    firmware = {"SMC": said["smc"]} if "smc" in said else {}
    return Device(
        values={key: value for key, value in values.items() if value is not None}, firmware=firmware
    )


def _given_up(seen: dict[str, dict[str, str]]) -> Iterator[str]:
    for bus, said in sorted(seen.items())[:16]:
        if "dead" in said:
            what = "its probe failed" if said["dead"] == "probe of" else said["dead"]
            yield f"{bus}: the kernel log says that the driver gave this device up: {what}"


COLLECTOR: Collector = Collector(name="kernel_messages", collect=collect)
