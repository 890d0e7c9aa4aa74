"""The PCI bus: which AMD cards are on it, who drives them, atomics, IOMMU, cards that answer nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import NO_GPU, advice, fine, some, unknown, wrong
from rocm_ci.gpu.observation import bus_address
from rocm_ci.gpu.quantity import whole, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.model.result import Check

_BUS = "/sys/bus/pci/devices"
_NODES = "/sys/class/kfd/kfd/topology/nodes"
_GROUPS = "/sys/kernel/iommu_groups"
_CLASS = re.compile(r"0x(?:03|12)[0-9a-f]{4}")
# Link flags and types of the kernel's kfd_crat.h: bits 2 and 3 exclude 32- and 64-bit atomics; 2 is PCIe.
_NO_ATOMICS = 0b1100
_PCIE = 2
_MOST = 512
_ASK_LINK = "on the host: `lspci -vv -d 1002:` shows LnkCap (able to) and LnkSta (now)"


@dataclass(frozen=True, kw_only=True)
class Card:
    """An AMD GPU on the bus. `silent`: its configuration space reads as all ones, so it is gone.

    `lanes` is (now, at most). `iommu` is the kind of its IOMMU domain (`identity`, `DMA`, `DMA-FQ`).
    """

    bus: str
    device_id: str | None = None
    driver: str | None = None
    silent: bool = False
    iommu: str | None = None
    lanes: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Bus:
    """`atomics` is None where nobody tells, else the KFD nodes whose PCIe link excludes them.

    `looked` tells whether there was a bus to look at.
    """

    cards: tuple[Card, ...] = ()
    atomics: tuple[int, ...] | None = None
    is_translated: bool | None = None
    looked: bool = False


def look(reader: Reader) -> Bus:
    """See `Bus`; reads small files only."""
    kinds = dict(_domains(reader))
    cards = []
    for name in reader.names(_BUS)[:4096]:
        card = _card(reader, name, kinds) if bus_address(name) else None
        if card is not None:
            cards.append(card)
    return Bus(
        cards=tuple(cards),
        atomics=_atomics(reader),
        is_translated=bool(reader.names(_GROUPS)) if reader.names("/sys/kernel") else None,
        looked=bool(reader.names(_BUS)),
    )


def _card(reader: Reader, name: str, kinds: dict[str, str]) -> Card | None:
    folder = f"{_BUS}/{name}"
    if word(reader.text(f"{folder}/vendor")) != "0x1002":
        return None
    if not _CLASS.fullmatch(word(reader.text(f"{folder}/class")) or ""):
        return None
    uevent = reader.text(f"{folder}/uevent") or ""
    driver = re.search(r"(?m)^DRIVER=(\S{1,40})$", uevent)
    # The file is binary: bytes of all ones are no UTF-8, so each becomes one replacement character.
    head = (reader.text(f"{folder}/config") or "")[:4]
    lanes = [whole(word(reader.text(f"{folder}/{which}_link_width"))) for which in ("current", "max")]
    return Card(
        bus=bus_address(name) or name,
        device_id=word(reader.text(f"{folder}/device")),
        driver=driver.group(1) if driver else None,
        silent=head == "\ufffd" * 4,
        iommu=kinds.get(name),
        lanes=(lanes[0], lanes[1]) if lanes[0] and lanes[1] else None,
    )


def _domains(reader: Reader) -> Iterator[tuple[str, str]]:
    for group in reader.names(_GROUPS)[:_MOST]:
        kind = word(reader.text(f"{_GROUPS}/{group}/type"))
        for device in reader.names(f"{_GROUPS}/{group}/devices")[:64]:
            if kind:
                yield device, kind


def _atomics(reader: Reader) -> tuple[int, ...] | None:
    """KFD nodes of GPUs whose PCIe link excludes atomics; None when no such link is described."""
    without, told = [], False
    for node in [n for n in reader.names(_NODES) if n.isdecimal()][:_MOST]:
        if not whole(word(reader.text(f"{_NODES}/{node}/gpu_id"))):
            continue
        for link in reader.names(f"{_NODES}/{node}/io_links")[:64]:
            text = reader.text(f"{_NODES}/{node}/io_links/{link}/properties") or ""
            values = {key: int(value) for key, value in re.findall(r"(?m)^(\w{1,40}) (\d{1,18})$", text)}
            if values.get("type") == _PCIE and "flags" in values:
                told = True
                if values["flags"] & _NO_ATOMICS:
                    without.append(int(node))
    return tuple(sorted(set(without))) if told else None


def pcie_atomics(machine: Machine, needs: Needs) -> Check:
    """Does the way to the card take PCIe atomics? Without them the driver skips it, or queues fail."""
    needed = "atomic operations on the whole PCIe path of each GPU"
    fix = "put the card into a slot that hangs directly on a CPU with PCIe 3 atomics: no software repairs it"
    refused = machine.history.refused
    if refused:
        return wrong("pcie-atomics", f"kernel: {refused[-1][:200]}", needed, fix, fatal=needs.must_have_gpu)
    nodes = machine.bus.atomics
    if nodes is None:
        if not machine.facts.gpus:
            return unknown("pcie-atomics", NO_GPU, needed)
        ask = "as root on the host: `lspci -vvv` shows AtomicOpsCap and AtomicOpsCtl on the way"
        return unknown("pcie-atomics", "the kernel describes no PCIe link of a GPU", needed, ask)
    if not nodes:
        return fine("pcie-atomics", "no GPU's link excludes them", needed)
    seen = f"excluded by the link of KFD node {', '.join(map(str, nodes[:16]))}"
    return wrong("pcie-atomics", seen, needed, fix, fatal=False)


def iommu(machine: Machine, needs: Needs) -> Check:
    """With several GPUs a translating IOMMU makes collectives hang (rccl#1026, ROCm/vllm#390)."""
    needed = "`iommu=pt` (or no IOMMU) where several GPUs work together"
    several = max(len(machine.facts.gpus), needs.gpus) > 1
    told = machine.kernel.command_line
    mode = re.search(r"(?:^|\s)((?:amd_|intel_)?iommu=\S+)", told or "")
    said = mode.group(1)[:60] if mode else "no iommu= on the kernel's command line"
    if told is None:
        said = "the kernel's command line is not known"
    if not machine.facts.gpus:
        return unknown("iommu", f"{NO_GPU}; {said}", needed)
    kinds = sorted({card.iommu for card in machine.bus.cards if card.iommu})
    if "iommu=pt" in (told or "").split() or kinds == ["identity"]:
        return fine("iommu", f"passed through ({said})", needed)
    if machine.bus.is_translated is False:
        return fine("iommu", "the kernel uses no IOMMU", needed)
    if not several:
        return fine("iommu", "there is one GPU, and it matters for several", needed)
    if told is None and not kinds:
        return unknown(
            "iommu", "neither /proc/cmdline nor IOMMU groups can be read", needed, "mount /proc and /sys"
        )
    seen = f"{said}; the GPUs' domains: {', '.join(kinds) or 'not told'}"
    fix = (
        "add `iommu=pt` to the host's kernel command line (GRUB_CMDLINE_LINUX, then update-grub and restart)"
    )
    return advice("iommu", seen, needed, fix)


def dead_devices(machine: Machine, needs: Needs) -> Check:
    """Is there a card on the bus that nobody can use any more?"""
    needed = "every AMD GPU on the bus answers and has a driver"
    cards = machine.bus.cards
    if not cards:
        if machine.facts.gpus:
            ask = "`lspci -d 1002:` on the host shows what is on the bus; mount /sys into the container"
            return unknown("dead-devices", "/sys shows no AMD GPU on the PCI bus", needed, ask)
        return unknown("dead-devices", "no AMD GPU is on the PCI bus in /sys", needed)
    dead = [f"{card.bus} answers nothing (all ones)" for card in cards if card.silent]
    known = {gpu.bus for gpu in machine.facts.gpus}
    if machine.facts.driver.loaded:
        for card in cards:
            if not card.silent and card.bus not in known and card.driver in (None, "amdgpu"):
                whose = "amdgpu made no device of it" if card.driver else "it has no driver"
                dead.append(f"{card.bus} ({card.device_id or 'id unknown'}): {whose}")
    hidden = any("cannot be read" in note for note in machine.facts.notes)
    if hidden:
        # A container that owns one card of eight still sees all of them on the bus.
        dead = [text for text in dead if "all ones" in text]
    if not dead:
        each = "none silent; those of others are not told apart" if hidden else "each with its device"
        return fine("dead-devices", f"{len(cards)} on the bus, {each}", needed)
    fix = "see `dmesg | grep -i amdgpu`, then power the host off and on: a mere restart may not help"
    fatal = needs.must_have_gpu and machine.usable < needs.gpus
    return wrong("dead-devices", some(dead), needed, fix, fatal=fatal)


def pcie_link(machine: Machine, _needs: Needs) -> Check:
    """Does each card have all its lanes? A badly seated one runs at half of its speed, and says nothing."""
    needed = "all lanes that the card and its slot have"
    known = [card for card in machine.bus.cards if card.lanes is not None]
    if not known:
        if not machine.facts.gpus and not machine.bus.cards:
            return unknown("pcie-link", NO_GPU, needed)
        return unknown("pcie-link", "the kernel tells no link width", needed, _ASK_LINK)
    narrow = [
        f"{c.bus} has x{c.lanes[0]} of x{c.lanes[1]}" for c in known if c.lanes and c.lanes[0] < c.lanes[1]
    ]
    if not narrow:
        widths = sorted({f"x{card.lanes[0]}" for card in known if card.lanes})
        seen = f"{len(known)} card(s) at {', '.join(widths)}"
        quiet = [card.bus for card in machine.bus.cards if card.lanes is None]
        if quiet:
            return unknown("pcie-link", f"{seen}; not told by {some(quiet)}", needed, _ASK_LINK)
        return fine("pcie-link", seen, needed)
    return advice("pcie-link", some(narrow), needed, "reseat the card or its riser; try it in another slot")
