"""Facts of a machine: all collectors side by side, their devices matched, their answers merged."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from rocm_ci.gpu import collectors, devices, identity, matching, merge, names, unknowns
from rocm_ci.gpu.driver import installed_driver
from rocm_ci.gpu.key import hardware_key
from rocm_ci.gpu.live import live_reader
from rocm_ci.gpu.observation import Collector, Observation
from rocm_ci.model.facts import Conflict, Driver, Facts, Host, Rocm, Unknown
from rocm_ci.registry import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.gpu.matching import Matched
    from rocm_ci.gpu.observation import Value
    from rocm_ci.gpu.reader import Reader

__all__ = ["Inventory", "collect", "inventory", "live_reader"]

_MAX_NOTES = 50


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """Facts, and per GPU its own id, which no report ever carries, and what each source calls it."""

    facts: Facts
    uuids: tuple[str | None, ...] = ()
    called: tuple[dict[str, str], ...] = ()


def collect(reader: Reader) -> Facts:
    """Everything the machine says about itself. Never raises for what it finds there."""
    return inventory(reader).facts


def inventory(reader: Reader) -> Inventory:
    """`collect`, with the devices' own ids for the user who owns the machine."""
    observations = _observe(reader)
    problems = {o.source: o.problem for o in observations}
    matched = matching.match(observations)
    host = _merge(Host, "host", {o.source: o.host for o in observations})[0]
    driver, driver_conflicts = installed_driver(observations, host)
    guest = any(o.driver.get("guest") for o in observations)
    built = devices.build(matched, guest=guest)
    rocm, rocm_conflicts = _merge(Rocm, "rocm", {o.source: o.rocm for o in observations})
    others = tuple(path for o in observations for path in o.others)
    rocm = msgspec.structs.replace(rocm, others=others)
    missing = [
        *unknowns.of_host(host),
        *unknowns.of_driver(driver, problems),
        *unknowns.of_rocm(rocm, problems),
    ]
    missing += unknowns.of_gpus(built.gpus, built.said, problems)
    if not built.gpus:
        missing.insert(0, Unknown(name="gpus", reason=_no_gpu(matched, driver, problems)))
    facts = Facts(
        host=host,
        driver=driver,
        rocm=rocm,
        gpus=built.gpus,
        tools=_tools(observations, rocm),
        unknown=tuple(missing),
        conflicts=tuple(built.conflicts + driver_conflicts + rocm_conflicts),
        notes=_notes(observations, matched),
    )
    # A warning or a complaint that a tool printed may hold what no report may show.
    facts = identity.without_ids(facts, _ids(observations))
    keyed = msgspec.structs.replace(facts, hardware_key=hardware_key(facts))
    return Inventory(facts=keyed, uuids=built.uuids, called=built.called)


def primary(facts: Facts) -> int | None:
    """The index of the GPU to use first: a card before a processor's graphics, whatever their memory."""
    ranked = sorted(facts.gpus, key=lambda g: (g.visible is False, g.integrated is True, g.index))
    return ranked[0].index if ranked else None


def _ids(observations: Sequence[Observation]) -> set[str]:
    found = {str(device.values.get("uuid") or "") for o in observations for device in o.devices}
    return {text.removeprefix("GPU-") for text in found} - {""}


def _observe(reader: Reader) -> list[Observation]:
    """All collectors at once: most of their time is waiting for other programs to start."""
    found = load(collectors, "COLLECTOR", Collector)
    pool = ThreadPoolExecutor(max_workers=len(found))
    try:
        return list(pool.map(lambda c: _guarded(c, reader), found.values()))
    finally:
        # When we are interrupted, a tool that hangs must not hold the report back.
        pool.shutdown(wait=False, cancel_futures=True)


def _guarded(collector: Collector, reader: Reader) -> Observation:
    try:
        return collector.collect(reader)
    except Exception as error:  # noqa: BLE001 - one odd answer must not hide what the others know
        problem = f"rocm-ci could not understand {collector.name}: {type(error).__name__}: {error}"[:300]
        return Observation(source=collector.name, problem=problem, notes=(problem,))


def _merge(kind: type[Any], prefix: str, said: dict[str, Any]) -> tuple[Any, list[Conflict]]:
    values: dict[str, Value] = {}
    conflicts = []
    for field in (f.name for f in msgspec.structs.fields(kind)):
        answers = {source: facts[field] for source, facts in said.items() if field in facts}
        value, _ = merge.choose(field, answers)
        if value is not None:
            values[field] = value
        clash = merge.conflict(f"{prefix}.{field}", field, answers)
        if clash is not None:
            conflicts.append(clash)
    return msgspec.convert(values, kind, strict=False), conflicts


def _no_gpu(matched: Matched, driver: Driver, problems: dict[str, str]) -> str:
    if matched.strays:
        seen = len({d.values.get("bus") for _, d in matched.strays})
        state = "the amdgpu driver is not loaded" if not driver.loaded else "the driver made no node for it"
        return f"{seen} AMD GPU(s) on the PCI bus, but {state}"
    told = [problems[s] for s in ("kfd", "rocminfo", "amd-smi", "rocm-smi") if problems.get(s)]
    # What a tool complains of says more than that something was not recorded.
    told.sort(key=lambda problem: problem.endswith("recorded"))
    return told[0] if told else "no source lists a GPU"


def _tools(observations: Sequence[Observation], rocm: Rocm) -> dict[str, str]:
    found = {name: text for o in observations for name, text in o.tools.items()}
    if rocm.hipcc:
        found["hipcc"] = rocm.hipcc
    return dict(sorted(found.items()))


def _notes(observations: Sequence[Observation], matched: Matched) -> tuple[str, ...]:
    notes = [note for o in observations for note in o.notes]
    # In a container that owns one card of eight, the bus still shows all eight.
    hidden = sum(o.hidden for o in observations)
    by_source = Counter(source for source, _ in matched.strays)
    for source, device in matched.strays[:16] if matched.groups else ():
        if by_source[source] <= hidden:
            continue
        values = device.values
        name = values.get("name") or names.product(str(values.get("device_id") or ""), None) or "AMD GPU"
        notes.append(
            f"{values.get('bus') or 'somewhere'}: {name} ({values.get('device_id') or 'id unknown'}) "
            f"is listed by {source} but not by {matched.base}"
        )
    return tuple(dict.fromkeys(notes))[:_MAX_NOTES]
