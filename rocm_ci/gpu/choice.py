"""Which of the free devices a lease gets: alike, near to each other, cards before integrated graphics."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.gpu.device import Device


def choose(free: Sequence[Device], count: int, *, cards: int) -> tuple[Device, ...] | None:
    """`count` of them in the order of `free`, or None when there are too few.

    Graphics inside a processor are given only to who wants more than the `cards` of this host: what is
    built for a card does not run there. GPUs of one kind and one NUMA node belong together; of those that
    have enough, the fullest is taken, so that larger leases find room elsewhere.
    """
    usable = [device for device in free if count > cards or not device.is_integrated]
    if len(usable) < count:
        return None
    order = {device.id: position for position, device in enumerate(free)}
    usable.sort(key=lambda device: (device.is_integrated, order[device.id]))
    for alike in (_near, _kind):
        groups = defaultdict(list)
        for device in usable:
            groups[alike(device)].append(device)
        enough = [group for group in groups.values() if len(group) >= count and not group[0].is_integrated]
        if enough:
            return tuple(min(enough, key=len)[:count])
    return tuple(sorted(usable[:count], key=lambda device: order[device.id]))


def _kind(device: Device) -> tuple[object, ...]:
    return device.gpu.gfx, device.gpu.name, device.is_integrated


def _near(device: Device) -> tuple[object, ...]:
    return (*_kind(device), device.gpu.numa_node)
