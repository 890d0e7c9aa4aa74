"""The files of a device below /sys that change while it runs: memory in use, error counters, the bus."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.gpu.watched import Watched

_MAX_READ = 65_536
_RAS_BLOCKS = 64
# Longer than any 64-bit number; of thousands of digits Python makes none.
_MAX_DIGITS = 22


@dataclass(frozen=True, kw_only=True)
class State:
    """A device at one moment; None is unknown.

    `present` lists the places below the host's root that show it. `errors` are uncorrectable errors
    so far by counter, `ancestors` the PCI addresses of the bridges above it.
    """

    used_bytes: int | None = None
    total_bytes: int | None = None
    present: frozenset[str] = frozenset()
    answers: bool | None = None
    errors: Mapping[str, int] = field(default_factory=dict)
    ancestors: frozenset[str] = frozenset()


def used(device: Watched, host: Path = Path("/")) -> tuple[int | None, int | None]:
    """Bytes of the card's memory in use, and what it has. None where the driver does not say."""
    for folder in _folders(device):
        in_use = _number(host / folder / "mem_info_vram_used")
        if in_use is not None:
            return in_use, _number(host / folder / "mem_info_vram_total")
    return None, None


def state(device: Watched, host: Path = Path("/")) -> State:
    """The device now. A few small files, and never an exception."""
    in_use, total = used(device, host)
    places = {folder for folder in _folders(device) if (host / folder).exists()}
    if device.render and (host / "dev/dri" / device.render).exists():
        places.add(f"dev/dri/{device.render}")
    if device.kfd_id and device.kfd_id in kfd_ids(host):
        places.add(f"kfd gpu {device.kfd_id}")
    return State(
        used_bytes=in_use,
        total_bytes=total,
        present=frozenset(places),
        answers=_answers(device, host),
        errors=_errors(device, host),
        ancestors=_ancestors(device, host),
    )


def kfd_ids(host: Path = Path("/")) -> frozenset[int]:
    """The ids of the GPUs that the compute driver shows."""
    nodes = host / "sys/class/kfd/kfd/topology/nodes"
    return frozenset(n for name in _names(nodes) if (n := _number(nodes / name / "gpu_id")))


def cards(host: Path = Path("/")) -> int:
    """How many AMD GPUs the driver holds on this host."""
    bound = [n for n in _names(host / "sys/bus/pci/drivers/amdgpu") if n.count(":") == 2]
    return len(bound) or len(kfd_ids(host))


def _folders(device: Watched) -> tuple[str, ...]:
    bus = f"sys/bus/pci/devices/{device.bus}" if device.bus else ""
    render = f"sys/class/drm/{device.render}/device" if device.render else ""
    return tuple(f for f in (bus, render) if f)


def _answers(device: Watched, host: Path) -> bool | None:
    """Whether the bus still reaches it: a device that fell off reads as all ones."""
    if not device.bus:
        return None
    head = _read(host / f"sys/bus/pci/devices/{device.bus}/config")[:4]
    return head != b"\xff\xff\xff\xff" if len(head) == 4 else None


def _errors(device: Watched, host: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for folder in _folders(device):
        ras = host / folder / "ras"
        for name in _names(ras)[:_RAS_BLOCKS]:
            if name.endswith("_err_count"):
                for line in _read(ras / name).decode("ascii", "replace").splitlines():
                    word, _, number = line.partition(":")
                    if word.strip() == "ue" and _is_count(number):
                        found[f"ECC {name.removesuffix('_err_count')}"] = int(number)
        for name in ("fatal", "nonfatal"):
            for line in _read(host / folder / f"aer_dev_{name}").decode("ascii", "replace").splitlines():
                word, _, number = line.partition(" ")
                if word.startswith("TOTAL_ERR_") and _is_count(number):
                    found[f"PCIe {name}"] = int(number)
        if found:
            break
    return found


def _is_count(text: str) -> bool:
    return text.strip().isdigit() and len(text) <= _MAX_DIGITS


def _ancestors(device: Watched, host: Path) -> frozenset[str]:
    if not device.bus:
        return frozenset()
    try:
        real = os.path.realpath(host / f"sys/bus/pci/devices/{device.bus}")
    except OSError:
        return frozenset()
    above = (part for part in Path(real).parts if part.count(":") == 2 and "." in part)
    return frozenset(above) - {device.bus}


def _read(path: Path) -> bytes:
    try:
        # sysfs is not ours alone under a host root: a pipe there must not be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _MAX_READ)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _number(path: Path) -> int | None:
    text = _read(path)[:40].strip()
    return int(text) if text.isdigit() else None


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names only, in one call
    except OSError:
        return []
