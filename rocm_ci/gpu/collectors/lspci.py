"""`lspci -nn`: AMD devices on the bus where /sys was not recorded."""

from __future__ import annotations

import re

from rocm_ci.gpu.observation import MAX_DEVICES, Collector, Device, Observation, Value, bus_address
from rocm_ci.gpu.quantity import word
from rocm_ci.gpu.reader import Reader, Tool

# 0c:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] NAME [1002:74a1] (rev c8)
_LINE = re.compile(
    r"(?m)^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) [^\[\n]{0,60}\[(03\d\d|12\d\d)\]: "
    r"([^\n]{0,200}?) ?\[1002:([0-9a-f]{4})\](?: \(rev ([0-9a-f]{2})\))?"
)
# The same without -nn: no ids, but still an address and a name.
_PLAIN = re.compile(
    r"(?m)^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) "
    r"(?:Processing accelerators|VGA compatible controller|Display controller): "
    r"(Advanced Micro Devices, Inc\. [^\n]{0,200}?)(?: \(rev ([0-9a-f]{2})\))?$"
)
# Nothing is run on a live machine: /sys/bus/pci says the same and more.
LSPCI = Tool(
    name="lspci", commands=(), recognise=lambda text: bool(_LINE.search(text) or _PLAIN.search(text))
)


def collect(reader: Reader) -> Observation:
    """Devices that `lspci -nn` lists, with the driver where `-k` was given."""
    devices: list[Device] = []
    for output in reader.ask(LSPCI).outputs:
        found = list(_LINE.finditer(output.text))
        for n, match in enumerate(found[:MAX_DEVICES]):
            rest = output.text[
                match.end() : found[n + 1].start() if n + 1 < len(found) else match.end() + 2000
            ]
            devices.append(_device(match, rest))
        if not found:
            devices += [
                _device_of(address, None, text, revision)
                for address, text, revision in _PLAIN.findall(output.text)[:MAX_DEVICES]
            ]
    return Observation(source="lspci", devices=tuple(devices), problem="" if devices else "no lspci output")


def _device(match: re.Match[str], rest: str) -> Device:
    address, _, text, device, revision = match.groups()
    # Details belong to this device only until the next unindented line.
    details = re.split(r"(?m)^(?=\S)", rest, maxsplit=1)[0]
    driver = re.search(r"Kernel driver in use: (\S{1,40})", details)
    return _device_of(address, device, text, revision, driver=driver.group(1) if driver else None)


def _device_of(
    address: str, device: str | None, text: str, revision: str | None, *, driver: str | None = None
) -> Device:
    name = re.search(r"\[AMD/ATI\] (.+)$", text)
    values: dict[str, Value] = {
        "bus": bus_address(address),
        "device_id": f"0x{device}" if device else None,
        "revision": f"0x{revision}" if revision else None,
        "name": word(name.group(1)) if name else None,
        "driver": driver,
    }
    return Device(values={k: v for k, v in values.items() if v is not None})


COLLECTOR: Collector = Collector(name="lspci", collect=collect)
