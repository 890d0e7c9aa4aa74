"""Partial facts: what one source says of the machine and of each of its devices."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rocm_ci.gpu.reader import Reader

# None means that the source was asked and answered "not available".
Value: TypeAlias = "str | int | float | bool | None"
Values: TypeAlias = "Mapping[str, Value]"

MAX_DEVICES = 1024
_BUS = re.compile(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")


@dataclass(frozen=True, kw_only=True)
class Device:
    """One GPU as one source shows it.

    Keys are the field names of `model.facts.Gpu` and `GpuState`, plus `uuid`, which never leaves
    the process by itself. Firmware versions stand apart.
    """

    values: Values
    firmware: Mapping[str, str] = field(default_factory=dict)

    @property
    def slot(self) -> str | None:
        """Domain, bus and device without the function: the card that a partition belongs to."""
        bus = self.values.get("bus")
        return bus.rsplit(".", 1)[0] if isinstance(bus, str) else None


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What one source says. `problem` says in one sentence why it says little or nothing.

    `hidden` counts devices that the source shows to be there but not for this process.
    """

    source: str
    host: Values = field(default_factory=dict)
    driver: Values = field(default_factory=dict)
    rocm: Values = field(default_factory=dict)
    others: tuple[str, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[Device, ...] = ()
    hidden: int = 0
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Collector:
    """A source of facts; the registry finds it by `name`."""

    name: str
    collect: Callable[[Reader], Observation]


def bus_address(text: object) -> str | None:
    """`3:00.0`-like text → `0000:03:00.0`; None when there is no PCI address in it."""
    found = _BUS.search(text) if isinstance(text, str) else None
    if found is None:
        return None
    domain, bus, device, function = found.groups()
    return f"{int(domain or '0', 16):04x}:{bus.lower()}:{device.lower()}.{function}"


def bus_of_location(location: int, domain: int = 0) -> str:
    """The PCI address behind the kernel's `location_id` (and rocminfo's BDFID)."""
    return (
        f"{domain & 0xFFFFFFFF:04x}:{(location >> 8) & 0xFF:02x}:{(location >> 3) & 0x1F:02x}.{location & 7}"
    )
