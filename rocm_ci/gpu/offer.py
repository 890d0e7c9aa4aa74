"""Which devices of this host are ours to lease: what cluster, container and variables leave of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.errors import MachineError
from rocm_ci.gpu import podinfo
from rocm_ci.gpu.device import counted, devices
from rocm_ci.gpu.visibility import HIP, RUNTIME, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rocm_ci.gpu.device import Device
    from rocm_ci.model.facts import Facts

_ONE_WAY = "let one source choose: the pod's files, or ROCR_VISIBLE_DEVICES, or HIP_VISIBLE_DEVICES"


@dataclass(frozen=True, kw_only=True)
class Offer:
    """`counted` are all devices that the runtime counts when nothing is hidden, in its order; of these
    `ours` may be leased. `problem` says why none may, `notes` are for the log.
    """

    counted: tuple[Device, ...] = ()
    ours: tuple[Device, ...] = ()
    problem: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()


def offer(facts: Facts, environment: Mapping[str, str], host: Path) -> Offer:
    """Never raises: what is wrong is `problem`, and then nothing is ours."""
    base = counted([d for d in devices(facts.gpus, host) if _is_counted(d, environment, host)])
    try:
        allotted = podinfo.read(host, environment, gpus=len(base))
        ours = _allotted(base, allotted, _selected(base, environment))
    except MachineError as error:
        return Offer(counted=base, problem=str(error), hint=error.hint)
    return Offer(counted=base, ours=ours, notes=allotted.notes)


def _is_counted(device: Device, environment: Mapping[str, str], host: Path) -> bool:
    """Whether our control group lets the runtime see it. What a variable hides is counted all the same."""
    if device.gpu.visible is not False:
        return True
    if not any(environment.get(name) is not None for name in (RUNTIME, *HIP)):
        return False
    nodes = host / "dev/dri"
    return device.gpu.render is None or not nodes.is_dir() or (nodes / device.gpu.render).exists()


def _selected(base: Sequence[Device], environment: Mapping[str, str]) -> tuple[Device, ...]:
    """What the variables leave: ROCR_VISIBLE_DEVICES counts all, the others within what it leaves."""
    left = tuple(base)
    is_ordered = True
    if RUNTIME in environment:
        entries = listed(environment[RUNTIME])
        if any(not entry.isdecimal() for entry in entries[: len(base)]) and entries[:1] != ["-1"]:
            # Ids of single devices: which they are, the runtime itself has told.
            left = _shown(base, entries)
            is_ordered = len(left) < 2
        else:
            left = _by_ordinal(base, entries)
    name = next((name for name in HIP if name in environment), None)
    if name is None:
        return left
    entries = listed(environment[name])
    chosen = _by_ordinal(left, entries)
    if not is_ordered and len(chosen) < len(left):
        message = f"{RUNTIME} names GPUs by id and {name} counts within them: which are meant is not clear"
        raise MachineError(message, hint=f"use ordinals in {RUNTIME}, or take {name} away")
    if entries and not chosen and not re.fullmatch(r"-\d+", entries[0]):
        message = f"{name} names no GPU that is here ({len(left)} to choose from)"
        raise MachineError(message, hint="count from 0, within what ROCR_VISIBLE_DEVICES leaves")
    return chosen


def _shown(base: Sequence[Device], entries: Sequence[str]) -> tuple[Device, ...]:
    shown = tuple(device for device in base if device.gpu.visible is True)
    if not shown or len(shown) > len(entries):
        message = f"{RUNTIME} names GPUs by id, and which they are cannot be found out without rocminfo"
        raise MachineError(message, hint=f"use ordinals in {RUNTIME}, or install rocminfo")
    return shown


def _by_ordinal(devices: Sequence[Device], entries: Sequence[str]) -> tuple[Device, ...]:
    """As the runtimes read it: up to the first entry that names no device, or one again."""
    chosen: list[Device] = []
    for entry in entries:
        if not entry.isdecimal() or int(entry) >= len(devices) or devices[int(entry)] in chosen:
            break
        chosen.append(devices[int(entry)])
    return tuple(chosen)


def _allotted(
    base: Sequence[Device], allotted: podinfo.Allotment, selected: tuple[Device, ...]
) -> tuple[Device, ...]:
    """What the pod was given and the environment selects; both must be about the same GPUs."""
    by_file = selected
    if allotted.variables:
        by_file = _selected(base, allotted.variables)
        _agree(selected, base, by_file, podinfo.ISOLATION)
    if allotted.render is None:
        return tuple(device for device in selected if device in by_file)
    here = {device.gpu.render: device for device in base}
    lost = sorted(allotted.render - set(here))
    if lost:
        message = f"{podinfo.RENDER} allots {', '.join(lost[:8])}, which the driver does not show here"
        raise MachineError(message, hint="check the amdgpu driver and the devices of the runner's pod")
    by_node = tuple(device for device in base if device.gpu.render in allotted.render)
    if allotted.variables and set(by_node) != set(by_file):
        message = (
            f"{podinfo.RENDER} allots {_named(by_node)}, but {podinfo.ISOLATION} {_named(by_file)}:"
            " render nodes and ordinals do not agree"
        )
        raise MachineError(message, hint=_ONE_WAY)
    _agree(selected, base, by_node, podinfo.RENDER)
    return tuple(device for device in selected if device in by_node)


def _agree(selected: Sequence[Device], base: Sequence[Device], given: Sequence[Device], source: str) -> None:
    """A job may narrow what its pod was given, never widen it."""
    if len(selected) < len(base) and not set(selected) <= set(given):
        message = f"the environment selects {_named(selected)}, but {source} allots {_named(given)}"
        raise MachineError(message, hint=_ONE_WAY)


def _named(devices: Sequence[Device]) -> str:
    return ", ".join(f"GPU {d.gpu.index} ({d.gpu.render or d.id})" for d in devices[:8]) or "no GPU"
