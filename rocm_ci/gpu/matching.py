"""Which device of one source is which device of another.

The best source that lists devices defines them: the kernel's topology, then the runtime, then the
management tools, then the PCI bus. Others are joined by the first key that fits: topology node,
driver id, render node, PCI address, place on the card (partitions share an address or differ in
the function only), and at last by order when both list equally many.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.gpu.observation import Device, Observation

ORDER = ("kfd", "rocminfo", "amd-smi", "rocm-smi", "sysfs", "lspci", "dmesg")
_KEYS = ("node", "kfd_id", "render", "bus")
_BUS_SOURCES = ("sysfs", "lspci", "dmesg")
# They name GPUs without telling which, or only the first: heard where nobody else speaks.
_HEARSAY = ("enumerator", "torch", "issue form")


@dataclass
class Group:
    """One GPU: what each source says of it."""

    said: dict[str, Device] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Matched:
    """All GPUs, the source that defines them, devices without a GPU, and counts per source."""

    groups: tuple[Group, ...] = ()
    base: str = ""
    strays: tuple[tuple[str, Device], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


def match(observations: Iterable[Observation]) -> Matched:
    """Join the devices of all sources. Nothing is invented: what fits nowhere is a stray."""
    lists = {o.source: _devices(o) for o in observations}
    hearsay = next((source for source in _HEARSAY if lists.get(source)), "")
    heard = lists.get(hearsay, [])
    told = {source: lists[source] for source in ORDER if lists.get(source)}
    if hearsay and not any(s not in _BUS_SOURCES or _driven(told[s]) for s in told):
        told[hearsay] = heard
    lists = told
    base = next((s for s in lists if s not in _BUS_SOURCES or _driven(lists[s])), "")
    if not base:
        return Matched(strays=tuple((s, d) for s in lists for d in lists[s]))
    groups = [Group(said={base: device}) for device in lists[base]]
    strays: list[tuple[str, Device]] = []
    for source, devices in lists.items():
        if source != base:
            strays += [(source, d) for d in _join(groups, source, devices)]
    if (
        hearsay == "torch"
        and base != hearsay
        and not any(_known(groups[0], k) for k in ("name", "gfx", "device_id"))
    ):
        # It tells of the first GPU, of which the others tell nothing.
        groups[0].said["torch"] = heard[0]
    counts = {s: len(d) for s, d in lists.items() if s not in _BUS_SOURCES or s == base}
    return Matched(groups=tuple(groups), base=base, strays=tuple(strays), counts=counts)


def _devices(observation: Observation) -> list[Device]:
    if observation.source in _BUS_SOURCES:
        # A partition's extra render nodes and a card's own entry are one PCI device.
        return list({d.values.get("bus") or n: d for n, d in enumerate(observation.devices)}.values())
    return list(observation.devices)


def _driven(devices: Sequence[Device]) -> bool:
    return any(d.values.get("driver") == "amdgpu" for d in devices)


def _join(groups: Sequence[Group], source: str, devices: Sequence[Device]) -> list[Device]:
    """Put each device into its group; return those that fit nowhere."""
    left = list(devices)
    if source in _BUS_SOURCES:
        # The bus shows a card once, however many partitions it has.
        left = _by_slot(groups, source, left)
    for key in _KEYS:
        left = _by_key(groups, source, left, key)
    left = _by_slot(groups, source, left)
    if not left:
        return []
    free = [g for g in groups if source not in g.said]
    addressed = any(_known(g, "bus") for g in free) and any(d.values.get("bus") for d in left)
    if len(left) == len(free) and not addressed and _plausible(free, left):
        for group, device in zip(free, left, strict=True):
            group.said[source] = device
        return []
    return left


def _known(group: Group, key: str) -> set[object]:
    return {v for d in group.said.values() if (v := d.values.get(key)) is not None}


def _by_key(groups: Sequence[Group], source: str, devices: list[Device], key: str) -> list[Device]:
    places: dict[object, list[Group]] = defaultdict(list)
    for group in groups:
        if source not in group.said:
            for value in _known(group, key):
                places[value].append(group)
    wanted: dict[object, int] = defaultdict(int)
    for device in devices:
        wanted[device.values.get(key)] += 1
    left = []
    for device in devices:
        value = device.values.get(key)
        # A key that several share (the address of a partitioned card) decides nothing.
        if value is not None and wanted[value] == 1 and len(places.get(value, ())) == 1:
            places[value][0].said[source] = device
        else:
            left.append(device)
    return left


def _by_slot(groups: Sequence[Group], source: str, devices: list[Device]) -> list[Device]:
    """Partitions: the k-th of a card in one source is the k-th in the other; one card serves all."""
    places: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        slots = {d.slot for d in group.said.values() if d.slot}
        if source not in group.said and len(slots) == 1:
            places[slots.pop()].append(group)
    mine: dict[str | None, list[Device]] = defaultdict(list)
    for device in devices:
        mine[device.slot].append(device)
    left = mine.pop(None, [])
    for slot, found in mine.items():
        here = places.get(slot or "", [])
        if not here:
            left += found
        elif len(found) == 1 and source in _BUS_SOURCES:
            for group in here:
                group.said[source] = found[0]
        else:
            for group, device in zip(here, found, strict=False):
                group.said[source] = device
            left += found[len(here) :]
    return left


def _plausible(groups: Sequence[Group], devices: Sequence[Device]) -> bool:
    """By order only while no identifying value speaks against it."""
    for group, device in zip(groups, devices, strict=True):
        for key in ("device_id", "gfx", "node"):
            value = device.values.get(key)
            known = _known(group, key)
            if value is not None and known and value not in known:
                return False
    return True
