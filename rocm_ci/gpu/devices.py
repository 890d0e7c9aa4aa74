"""From matched devices to `Gpu` facts: values chosen, names found, disagreements kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from rocm_ci.gpu import merge, names
from rocm_ci.model.facts import Conflict, Gpu, GpuState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.gpu.matching import Group, Matched
    from rocm_ci.gpu.observation import Value

_STATE = tuple(f.name for f in msgspec.structs.fields(GpuState))
_FACTS = tuple(
    f.name
    for f in msgspec.structs.fields(Gpu)
    if f.name not in ("index", "firmware", "state", "visible", "name", "virtual_function")
)
_MAX_CONFLICTS = 64


@dataclass
class Devices:
    """All GPUs with, per GPU, what each source said of each field and the id that stays here."""

    gpus: tuple[Gpu, ...] = ()
    said: list[dict[str, dict[str, Value]]] = field(default_factory=list)
    uuids: tuple[str | None, ...] = ()
    called: tuple[dict[str, str], ...] = ()
    conflicts: list[Conflict] = field(default_factory=list)


def build(matched: Matched, *, guest: bool) -> Devices:
    """`Gpu` facts in the order of the defining source. `guest`: the driver runs in a virtual machine."""
    slots = [_slot(group) for group in matched.groups]
    result = Devices()
    gpus, uuids, called = [], [], []
    for index, group in enumerate(matched.groups):
        shared = slots[index] is not None and slots.count(slots[index]) > 1
        said = _said(group, partitioned=shared)
        gpus.append(_gpu(index, group, said, matched, guest=guest))
        uuids.append(_uuid(group))
        called.append({source: str(name) for source, name in said.get("name", {}).items() if name})
        result.said.append(said)
        result.conflicts += _conflicts(index, said, integrated=gpus[-1].integrated is True)
    if len(set(matched.counts.values())) > 1:
        counts = {source: str(n) for source, n in matched.counts.items()}
        result.conflicts.insert(0, Conflict(name="gpu count", said=counts))
    result.conflicts = result.conflicts[:_MAX_CONFLICTS]
    result.gpus, result.uuids, result.called = tuple(gpus), tuple(uuids), tuple(called)
    return result


def _slot(group: Group) -> str | None:
    return next((d.slot for d in group.said.values() if d.slot), None)


def _said(group: Group, *, partitioned: bool) -> dict[str, dict[str, Value]]:
    """Field → source → value, with what the table knows of the device id as one more source."""
    said: dict[str, dict[str, Value]] = {}
    for source, device in group.said.items():
        for name, value in device.values.items():
            if partitioned and source == "sysfs" and name in ("vram_bytes", "vram_used_bytes"):
                # The card's file tells the memory of all partitions together.
                continue
            said.setdefault(name, {})[source] = value
    device_id, _ = merge.choose("device_id", said.get("device_id", {}))
    revision, _ = merge.choose("revision", said.get("revision", {}))
    model = names.by_id(str(device_id)) if device_id else None
    if model is not None:
        said.setdefault("gfx", {})["table"] = model.gfx
        said.setdefault("integrated", {})["table"] = model.integrated
        if model.wave:
            said.setdefault("wave_size", {})["table"] = model.wave
        if model.lds_kib:
            said.setdefault("lds_bytes", {})["table"] = model.lds_kib * 1024
        known = names.product(str(device_id), str(revision) if revision else None)
        if known:
            said.setdefault("name", {})["table"] = known
        said.setdefault("virtual_function", {})["table"] = model.vf_of is not None
        mode = names.mode_of(model, _count(said.get("xcc", {})))
        if mode:
            said.setdefault("compute_partition", {})["table"] = mode
    return said


def _count(said: Mapping[str, Value]) -> int | None:
    value, _ = merge.choose("xcc", said)
    return value if isinstance(value, int) else None


def _gpu(
    index: int, group: Group, said: Mapping[str, Mapping[str, Value]], matched: Matched, *, guest: bool
) -> Gpu:
    values: dict[str, Any] = {name: merge.choose(name, said.get(name, {}))[0] for name in _FACTS}
    name = _name(said.get("name", {}))
    firmware: dict[str, str] = {}
    for source in sorted(group.said, key=lambda s: s == "kfd"):
        for part, text in group.said[source].firmware.items():
            firmware.setdefault(part, text)
    state = {key: merge.choose(key, said.get(key, {}))[0] for key in _STATE}
    return msgspec.convert(
        {
            **values,
            "index": index,
            "name": name,
            "firmware": firmware,
            "virtual_function": _is_virtual(name, said.get("virtual_function", {}), guest=guest),
            "visible": _visible(group, matched),
            "state": state,
        },
        Gpu,
        strict=False,
    )


def _name(said: Mapping[str, Value]) -> str | None:
    """The best source's name; a fuller spelling of the same wins (`MI300A`, `AMD Instinct MI300A`)."""
    ranked = [str(said[s]) for s in merge.order_of("name") if said.get(s) is not None]
    telling = [n for n in ranked if not names.is_bare(n)]
    if not telling:
        return ranked[0] if ranked else None
    return next((n for n in telling[1:] if n.endswith(" " + telling[0])), telling[0])


def _is_virtual(name: str | None, said: Mapping[str, Value], *, guest: bool) -> bool | None:
    if guest or any(value is True for value in said.values()):
        return True
    if name and name.endswith((" VF", "MxGPU")):
        return True
    return False if said else None


def _visible(group: Group, matched: Matched) -> bool | None:
    if "rocminfo" in group.said:
        return True
    return False if "rocminfo" in matched.counts else None


def _uuid(group: Group) -> str | None:
    for source in ("rocminfo", "rocm-smi", "amd-smi"):
        device = group.said.get(source)
        if device is not None and isinstance(device.values.get("uuid"), str):
            return str(device.values["uuid"])
    return None


def _conflicts(index: int, said: Mapping[str, Mapping[str, Value]], *, integrated: bool) -> list[Conflict]:
    found = []
    for name, answers in said.items():
        if integrated and name == "vram_bytes":
            # Tools differ on purpose: carve-out, carve-out with shared memory, or all of it.
            continue
        conflict = merge.conflict(f"gpus[{index}].{name}", name, answers)
        if conflict is not None:
            found.append(conflict)
    return found
