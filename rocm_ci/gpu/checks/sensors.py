"""The state of each GPU: temperature, uncorrectable errors, throttling, its power cap."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.gpu.amdsmi_records import looks_like, records
from rocm_ci.gpu.checks.outcome import ELSEWHERE, NO_GPU, advice, fine, label, silent, some, unknown, wrong
from rocm_ci.gpu.observation import bus_address
from rocm_ci.gpu.quantity import number, whole, word
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.gpu.amdsmi_records import Record
    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.model.facts import Facts, Gpu
    from rocm_ci.model.result import Check

# ROCm/rocm-tests refuses a GPU above it before a test.
WARM_C = 90
# Where the driver names no critical temperature: junctions of Instinct cards shut down above it.
CRITICAL_C = 105
# The list comes first: its device numbers are those of the metrics, and only it names the bus address.
METRICS = Tool(
    name="amd-smi",
    commands=(("amd-smi", "list", "--json"), ("amd-smi", "metric", "--json")),
    recognise=looks_like,
    timeout_s=20.0,
)
# amd-smi words it; older releases print the library's truth value.
_IS_ACTIVE = {"ACTIVE": True, "NOT ACTIVE": False, "TRUE": True, "FALSE": False}
_ASK = "install amd-smi (package amd-smi-lib), or mount the host's /sys read-only"


@dataclass(frozen=True, kw_only=True)
class Sensors:
    """What one GPU tells of itself; None where nothing tells.

    `errors` are uncorrectable errors since the driver was loaded by part, `corrected` their harmless
    kin. `throttled` names what holds the clock back now; `cap_w` is (now, by default) in watts.
    """

    temperature_c: float | None = None
    critical_c: float | None = None
    errors: Mapping[str, int] | None = None
    corrected: int | None = None
    retired_pages: int | None = None
    throttled: tuple[str, ...] | None = None
    cap_w: tuple[int, int] | None = field(default=None)


def look(facts: Facts, reader: Reader) -> dict[int, Sensors]:
    """Sensors of each GPU by its index."""
    told = _metrics(reader) if facts.gpus else {}
    return {gpu.index: _sensors(gpu, reader, told.get(gpu.bus or "", {})) for gpu in facts.gpus}


def _metrics(reader: Reader) -> dict[str, Record]:
    """What amd-smi measures, by bus address."""
    addresses: dict[str, str] = {}
    measured: dict[str, Record] = {}
    for output in reader.ask(METRICS).outputs:
        for record in records(output.text):
            ordinal = record.get("gpu") or record.get("gpu_id") or ""
            bus = bus_address(record.get("bdf") or record.get("bus.bdf"))
            if bus:
                addresses[ordinal] = bus
            measured.setdefault(ordinal, {}).update(record)
    return {addresses[ordinal]: record for ordinal, record in measured.items() if ordinal in addresses}


def _sensors(gpu: Gpu, reader: Reader, told: Record) -> Sensors:
    folder = f"/sys/bus/pci/devices/{gpu.bus}"
    errors, corrected = _errors(reader, f"{folder}/ras")
    if errors is None and (count := whole(told.get("ecc.total_uncorrectable_count"))) is not None:
        errors, corrected = {"all parts": count}, whole(told.get("ecc.total_correctable_count"))
    critical, cap = _hwmon(reader, f"{folder}/hwmon")
    heat = gpu.state.temperature_c
    return Sensors(
        temperature_c=heat if heat is not None else number(told.get("temperature.hotspot")),
        critical_c=critical,
        errors=errors,
        corrected=corrected,
        retired_pages=_retired(reader, f"{folder}/ras"),
        throttled=_throttled(told),
        cap_w=cap,
    )


def _errors(reader: Reader, folder: str) -> tuple[dict[str, int] | None, int | None]:
    """Counters of the driver's RAS files: `ue: 0` and `ce: 0`, one file for each part of the GPU."""
    errors: dict[str, int] = {}
    corrected: dict[str, int] = {}
    for name in reader.names(folder)[:128]:
        part = re.fullmatch(r"(?:aca_)?(\w{1,40}?)(?:_err_count)?", name)
        text = (
            reader.text(f"{folder}/{name}")
            if name.endswith("_err_count") or name.startswith("aca_")
            else None
        )
        found = dict(re.findall(r"(?m)^\s*(ue|ce):\s*(\d{1,18})", text or ""))
        if part and "ue" in found:
            # A newer driver keeps both files for one part: they count the same errors.
            key = part.group(1)
            errors[key] = max(errors.get(key, 0), int(found["ue"]))
            corrected[key] = max(corrected.get(key, 0), int(found.get("ce", 0)))
    return (errors, sum(corrected.values())) if errors else (None, None)


def _retired(reader: Reader, folder: str) -> int | None:
    """Pages of memory that the driver no longer hands out: one line each, `address : size : R`."""
    text = reader.text(f"{folder}/gpu_vram_bad_pages")
    return None if text is None else len(re.findall(r"(?m)^\s*0x[0-9a-fA-F]+ *:", text))


def _hwmon(reader: Reader, folder: str) -> tuple[float | None, tuple[int, int] | None]:
    """(critical temperature of the junction, (power cap, default cap)); millidegrees and microwatts."""
    for name in reader.names(folder)[:8]:
        base = f"{folder}/{name}"
        critical = whole(word(reader.text(f"{base}/temp2_crit") or reader.text(f"{base}/temp1_crit")))
        cap, usual = (whole(word(reader.text(f"{base}/power1_{what}"))) for what in ("cap", "cap_default"))
        caps = (round(cap / 1e6), round(usual / 1e6)) if cap and usual else None
        return (critical / 1000 if critical else None), caps
    return None, None


def _throttled(told: Record) -> tuple[str, ...] | None:
    """What holds the clock back: `throttle.ppt_violation_status: ACTIVE`, or the older one word."""
    states = {
        key.removeprefix("throttle.").removesuffix("_violation_status").replace("_", " "): value.upper()
        for key, value in told.items()
        if key.startswith("throttle.") and key.endswith("_violation_status")
    }
    known = {
        key: value for key, value in states.items() if value in ("ACTIVE", "NOT ACTIVE", "TRUE", "FALSE")
    }
    if known:
        return tuple(key for key, value in known.items() if value in ("ACTIVE", "TRUE"))
    single = (told.get("power.throttle_status") or told.get("throttle_status") or "").upper()
    return {"THROTTLED": ("its power or heat",), "UNTHROTTLED": ()}.get(single)


def _unlooked(name: str, machine: Machine, needed: str, what: str) -> Check:
    if not machine.facts.gpus:
        return unknown(name, NO_GPU, needed, ELSEWHERE)
    return unknown(name, f"neither the driver's files in /sys nor amd-smi tell {what}", needed, _ASK)


def _as_needed(
    name: str, seen: str, needed: str, machine: Machine, known: Sequence[tuple[Gpu, object]]
) -> Check:
    """Fine, unless some cards tell nothing: what is wrong with those nobody knows."""
    quiet = silent(machine.facts.gpus, [gpu for gpu, _ in known])
    return unknown(name, f"{seen}; not told by {quiet}", needed, _ASK) if quiet else fine(name, seen, needed)


def _fatal(machine: Machine, needs: Needs, bad: int) -> bool:
    """Whether too few GPUs are left without these."""
    return needs.must_have_gpu and machine.usable - bad < needs.gpus


def _all(machine: Machine) -> list[tuple[Gpu, Sensors]]:
    return [(gpu, machine.sensors_of(gpu)) for gpu in machine.facts.gpus]


def temperature(machine: Machine, needs: Needs) -> Check:
    """Is every GPU cool before the work begins?"""
    needed = f"at most {WARM_C} °C before work begins"
    known = [
        (gpu, s) for gpu in machine.facts.gpus if (s := machine.sensors_of(gpu)).temperature_c is not None
    ]
    if not known:
        return _unlooked("temperature", machine, needed, "a temperature")
    hot = [(gpu, s) for gpu, s in known if (s.temperature_c or 0) > WARM_C]
    if not hot:
        most = max(s.temperature_c or 0 for _, s in known)
        return _as_needed(
            "temperature", f"{len(known)} GPU(s), the warmest {most:.0f} °C", needed, machine, known
        )
    seen = some([f"{label(gpu)} has {s.temperature_c:.0f} °C" for gpu, s in hot])
    critical = [gpu for gpu, s in hot if (s.temperature_c or 0) >= (s.critical_c or CRITICAL_C)]
    fix = "see what runs on it (`rocm-smi --showpids`); where nothing does, look at fans and air flow"
    return wrong(
        "temperature", seen, needed, fix, fatal=bool(critical) and _fatal(machine, needs, len(critical))
    )


def ecc(machine: Machine, needs: Needs) -> Check:
    """Has the memory, or another part, failed beyond repair since the driver was loaded?"""
    needed = "no uncorrectable error"
    known = [(gpu, s) for gpu, s in _all(machine) if s.errors is not None]
    if not known:
        return _unlooked("ecc", machine, needed, "error counts")
    bad = [(gpu, s) for gpu, s in known if any((s.errors or {}).values())]
    if not bad:
        corrected = sum(s.corrected or 0 for _, s in known)
        retired = sum(s.retired_pages or 0 for _, s in known)
        more = f", {corrected} corrected" + (f", {retired} memory pages retired" if retired else "")
        return _as_needed("ecc", f"none on {len(known)} GPU(s){more}", needed, machine, known)
    seen = some([f"{label(gpu)}: {_counts(s)}" for gpu, s in bad])
    fix = "take the GPU out of use, restart the host, and have the card replaced where it comes again"
    return wrong("ecc", seen, needed, fix, fatal=_fatal(machine, needs, len(bad)))


def _counts(sensors: Sensors) -> str:
    parts = [f"{count} in {part}" for part, count in (sensors.errors or {}).items() if count]
    return f"uncorrectable errors: {', '.join(parts[:4])}"


def throttling(machine: Machine, _needs: Needs) -> Check:
    """Is a clock held back before anything runs? Then no measurement means much."""
    needed = "nothing that holds the clock back"
    known = [(gpu, s.throttled) for gpu, s in _all(machine) if s.throttled is not None]
    if not known:
        if not machine.facts.gpus:
            return unknown("throttling", NO_GPU, needed, ELSEWHERE)
        fix = "install amd-smi (package amd-smi-lib) of ROCm 6.4 or later"
        return unknown("throttling", "amd-smi does not tell it", needed, fix)
    held = [f"{label(gpu)}: {', '.join(why)}" for gpu, why in known if why]
    if not held:
        return _as_needed("throttling", f"none on {len(known)} GPU(s)", needed, machine, known)
    fix = "wait until the GPU is cool, or look at cooling, power supply and cap (`amd-smi metric --throttle`)"
    return advice("throttling", some(held), needed, fix)


def power_cap(machine: Machine, _needs: Needs) -> Check:
    """Has somebody turned the power limit down? Results then compare with no other machine's."""
    needed = "the card's default power limit"
    known = [(gpu, s.cap_w) for gpu, s in _all(machine) if s.cap_w is not None]
    if not known:
        return _unlooked("power-cap", machine, needed, "limit and default")
    low = [f"{label(gpu)}: {cap[0]} W of {cap[1]} W" for gpu, cap in known if cap[0] < cap[1]]
    if not low:
        watts = sorted({f"{cap[0]} W" for _, cap in known})
        return _as_needed("power-cap", f"{len(known)} GPU(s) at {', '.join(watts)}", needed, machine, known)
    return advice("power-cap", some(low), needed, "on the host: `rocm-smi --resetpoweroverdrive` as root")
