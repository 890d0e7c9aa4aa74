"""A GPU that can be leased: what it is called, and how the runtime counts it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu.watched import Watched

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rocm_ci.model.facts import Gpu


@dataclass(frozen=True, kw_only=True, eq=False)
class Device:
    """`id` is stable (a PCI address, `/N` for partition N of its card); `label` is for people.

    `card` names the physical card. `places` are paths below the host's root that show the device, as far
    as they were there at first.
    """

    id: str
    label: str
    card: str
    gpu: Gpu
    places: tuple[Path, ...] = ()

    @property
    def is_integrated(self) -> bool:
        """Whether it is graphics inside of a processor."""
        return self.gpu.integrated is True

    @property
    def is_gone(self) -> bool:
        """Whether one of its places vanished: it fell off the bus, or its driver let it go."""
        return not all(place.exists() for place in self.places)

    @property
    def watched(self) -> Watched:
        """The same for those who look after it."""
        bus = self.card if "/" in self.id and ":" in self.card else self.gpu.bus
        return Watched(id=self.id, label=self.label, bus=bus, kfd_id=self.gpu.kfd_id, render=self.gpu.render)


def devices(gpus: Iterable[Gpu], host: Path) -> tuple[Device, ...]:
    """One for each GPU, in the order of the facts."""
    found = tuple(gpus)
    slots = Counter(slot for gpu in found if (slot := _slot(gpu)))
    names: list[tuple[str, str, int | None]] = []
    taken: set[str] = set()
    for gpu in found:
        slot = _slot(gpu)
        if slot is None or slots[slot] == 1:
            own = gpu.bus or (f"node-{gpu.node}" if gpu.node is not None else f"gpu-{gpu.index}")
            number, card = None, own
        else:
            # Partitions share an address, or differ in its function only.
            card = f"{slot}.0"
            number = _number(gpu, card, taken)
            own = f"{card}/{number}"
        taken.add(own)
        names.append((own, card, number))
    return tuple(
        Device(id=own, label=_label(gpu, number, card), card=card, gpu=gpu, places=_places(gpu, host))
        for gpu, (own, card, number) in zip(found, names, strict=True)
    )


def counted(known: Sequence[Device]) -> tuple[Device, ...]:
    """In the order in which the runtime counts: that of the driver's topology nodes."""
    if all(device.gpu.node is not None for device in known):
        return tuple(sorted(known, key=lambda device: device.gpu.node or 0))
    return tuple(known)


def _slot(gpu: Gpu) -> str | None:
    """The card of a partition; virtual functions have one address each and share nothing."""
    return None if gpu.bus is None or gpu.virtual_function else gpu.bus.rsplit(".", 1)[0]


def _number(gpu: Gpu, card: str, taken: set[str]) -> int:
    if gpu.partition is not None and f"{card}/{gpu.partition}" not in taken:
        return gpu.partition
    return next(n for n in range(len(taken) + 1) if f"{card}/{n}" not in taken)


def _label(gpu: Gpu, partition: int | None, card: str) -> str:
    parts = [gpu.name or gpu.gfx or "AMD", card if partition is not None else gpu.bus or ""]
    parts += [] if partition is None else [f"partition {partition}"]
    return f"GPU {gpu.index} ({', '.join(part for part in parts if part)})"


def _places(gpu: Gpu, host: Path) -> tuple[Path, ...]:
    """What shows the device now: its entries on the bus, of its driver, and its file."""
    known = [host / "sys/bus/pci/devices" / gpu.bus] if gpu.bus else []
    if gpu.render:
        known += [host / "sys/class/drm" / gpu.render, host / "dev/dri" / gpu.render]
    return tuple(place for place in known if place.exists())
