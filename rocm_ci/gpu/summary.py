"""Facts as a short table for people, and as the document that `rocm-ci facts` prints."""

from __future__ import annotations

import math
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from rocm_ci.gpu import names
from rocm_ci.gpu.collect import Inventory, primary
from rocm_ci.gpu.identity import without_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.model.facts import Driver, Facts, Gpu, Rocm

_WIDTH = 10
_MAX_UNKNOWN = 12


def document(inventory: Inventory, *, identities: bool) -> dict[str, Any]:
    """The JSON of `rocm-ci facts`: the facts, counts, and per GPU what is derived from them.

    `identities` adds each device's own id. Those stay on the user's machine: facts that go into a
    report never have them.
    """
    facts = inventory.facts
    first = primary(facts)
    found: dict[str, Any] = msgspec.to_builtins(facts)
    for gpu, uuid, called in zip(found["gpus"], inventory.uuids, inventory.called, strict=True):
        gpu["called"] = called if identities else without_ids(called)
        gpu["lds_kib"] = gpu["lds_bytes"] // 1024 if gpu["lds_bytes"] else None
        if identities:
            gpu["uuid"] = uuid
    found["gpu_count"] = len(facts.gpus)
    found["card_count"] = _cards(facts.gpus)
    found["primary"] = first
    found["primary_gfx"] = facts.gpus[first].gfx if first is not None else None
    found["warning_count"] = sum(1 for note in facts.notes if " warns: " in note)
    return found


def _cards(gpus: Iterable[Gpu]) -> int:
    """Partitions share an address; the two dies of an MI250 have one each."""
    places = {gpu.bus.rsplit(".", 1)[0] if gpu.bus else f"#{gpu.index}": gpu for gpu in gpus}
    models = Counter(gpu.device_id for gpu in places.values())
    return sum(
        math.ceil(count / model.dies) if (model := names.by_id(device_id)) else count
        for device_id, count in models.items()
    )


def text(facts: Facts) -> str:
    """At most a screen: one line per topic, equal GPUs on one line, then what is not known and why."""
    host = facts.host
    rows = [
        ("host", _join(host.os, f"kernel {host.kernel}" if host.kernel else None, host.container)),
        ("cpu", _join(host.cpu, _cpus(facts), _size(host.memory_bytes, "memory"), _limit(facts))),
        ("driver", _driver(facts.driver)),
        ("ROCm", _rocm(facts.rocm)),
        ("torch", _torch(facts.rocm)),
        ("tools", _join(*(f"{name} {version}" for name, version in facts.tools.items()))),
        *(("GPU", line) for line in _gpus(facts.gpus)),
        ("key", facts.hardware_key),
    ]
    lines = [f"{name:<{_WIDTH}}{value}" for name, value in rows if value]
    lines += [f"{'conflict':<{_WIDTH}}{c.name}: {_said(c.said)}" for c in facts.conflicts]
    lines += [f"{'note':<{_WIDTH}}{note}" for note in facts.notes]
    lines += [f"{'unknown':<{_WIDTH}}{u.name}: {u.reason}" for u in facts.unknown[:_MAX_UNKNOWN]]
    if len(facts.unknown) > _MAX_UNKNOWN:
        lines.append(f"{'':<{_WIDTH}}… and {len(facts.unknown) - _MAX_UNKNOWN} more (--format json)")
    return "\n".join(lines)


def _join(*parts: str | None) -> str:
    return " · ".join(part for part in parts if part)


def _said(said: dict[str, str]) -> str:
    return ", ".join(f"{source} says {value}" for source, value in said.items())


def _cpus(facts: Facts) -> str | None:
    usable, total = facts.host.cpus, facts.host.cpus_total
    if usable and total and usable != total:
        return f"{usable} of {total} CPUs"
    return f"{usable} CPUs" if usable else None


def _size(count: int | None, what: str) -> str | None:
    return f"{count / (1 << 30):.0f} GiB {what}" if count else None


def _limit(facts: Facts) -> str | None:
    return _size(facts.host.memory_limit_bytes, "of it allowed")


def _driver(driver: Driver) -> str:
    if driver.loaded is None:
        return ""
    if not driver.loaded:
        return "amdgpu is not loaded"
    unversioned = {
        True: "built into the kernel",
        False: "of the kernel's own tree",
        None: "of unknown version",
    }
    version = driver.version or unversioned[driver.built_in]
    source = f" ({driver.source})" if driver.source else ""
    return _join(f"amdgpu {version}{source}", f"driver {driver.number}" if driver.number else None)


def _rocm(rocm: Rocm) -> str:
    return _join(
        rocm.version,
        rocm.root,
        f"HIP {rocm.hip}" if rocm.hip else None,
        f"clang {rocm.clang}" if rocm.clang else None,
        f"not in use: {', '.join(rocm.others)}" if rocm.others else None,
    )


def _torch(rocm: Rocm) -> str:
    stack = (
        f"HIP {rocm.torch_hip}" if rocm.torch_hip else f"CUDA {rocm.torch_cuda}" if rocm.torch_cuda else ""
    )
    return _join(rocm.torch, f"built for {stack}" if stack else None) if rocm.torch else ""


def _gpus(gpus: Iterable[Gpu]) -> list[str]:
    lines = []
    for line, same in groupby(gpus, key=_gpu):
        indexes = [gpu.index for gpu in same]
        which = f"{indexes[0]}" if len(indexes) == 1 else f"{indexes[0]}-{indexes[-1]}"
        lines.append(f"{which}: {line}")
    return lines or ["none"]


def _gpu(gpu: Gpu) -> str:
    modes = "/".join(m for m in (gpu.compute_partition, gpu.memory_partition) if m)
    return _join(
        gpu.name or "AMD GPU",
        gpu.gfx,
        f"{gpu.compute_units} CU" if gpu.compute_units else None,
        _size(gpu.vram_bytes, "VRAM"),
        modes,
        f"{gpu.power_cap_w} W" if gpu.power_cap_w else None,
        gpu.device_id,
        "virtual function" if gpu.virtual_function else None,
        "integrated" if gpu.integrated else None,
        "hidden from this process" if gpu.visible is False else None,
    )
