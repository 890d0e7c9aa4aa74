"""`rocminfo`: what the HSA runtime shows to this process.

Text blocks «Agent N». Inside an agent, the first occurrence of a key is the agent's own: pools and
ISAs further down repeat names like `Name` and `Size`.
"""

from __future__ import annotations

import re

from rocm_ci.gpu.observation import MAX_DEVICES, Collector, Device, Observation, Value, bus_of_location
from rocm_ci.gpu.quantity import gfx, hex_id, version, whole, word
from rocm_ci.gpu.reader import Reader, Tool

_SHAPE = re.compile(
    r"(?m)^ROCk module |^HSA (?:System Attributes|Agents)|^ *Agent \d+ *$|^Unable to open /dev/kfd|"
    r"^hsa api call failure at"
)
# `rocminfo | grep -E "Name|…"`, as AMD's form for bug reports asks for: agents without their headings.
_NAMED = re.compile(r"(?m)^[ \t]*Name:[ \t]+gfx[0-9a-f]{3,5}[ \t]*$")
_NAME = re.compile(r"(?m)^(?=[ \t]*Name:[ \t]+(?!amdgcn-)\S)")
ROCMINFO = Tool(
    name="rocminfo",
    commands=(("rocminfo",),),
    recognise=lambda t: bool(_SHAPE.search(t) or _NAMED.search(t)),
)
_AGENT = re.compile(r"(?m)^[ *]*Agent \d{1,5}[ *]*$")
_PAIR = re.compile(r"(?m)^[ \t]{0,12}([A-Z][^:\n]{0,60}?):[ \t]*([^\n]{0,300}?)[ \t]*$")
_DETAILS = re.compile(r"(?m)^\s*(?:Pool Info|ISA Info|Cache Info):")
_FIRMWARE = {"Packet Processor uCode:": "MEC", "SDMA engine uCode:": "SDMA"}


def collect(reader: Reader) -> Observation:
    """Agents, the runtime's version, and the module's version where it is printed."""
    answer = reader.ask(ROCMINFO)
    driver: dict[str, Value] = {}
    rocm: dict[str, Value] = {}
    host: dict[str, Value] = {}
    devices: list[Device] = []
    for output in answer.outputs:
        head, *agents = _AGENT.split(output.text)
        agents = agents or _grepped(output.text)
        driver |= _driver(head)
        runtime = re.search(r"(?m)^Runtime Version:\s*(\d[\d.]{0,20})", head)
        if runtime:
            rocm["hsa"] = runtime.group(1)
        for block in agents[: MAX_DEVICES + 64]:
            own = _own(block)
            kind = own.get("Device Type", "").upper() or ("GPU" if gfx(own.get("Name")) else "CPU")
            if kind == "GPU":
                devices.append(_device(own, block))
            elif kind == "CPU" and "cpu" not in host:
                name = word(own.get("Marketing Name")) or word(own.get("Name"))
                host |= {"cpu": name} if name else {}
    return Observation(
        source="rocminfo",
        host=host,
        driver=driver,
        rocm=rocm,
        devices=tuple(devices[:MAX_DEVICES]),
        problem=answer.problem,
    )


def _grepped(text: str) -> list[str]:
    """An agent begins with its name; those of its ISAs begin with the triple."""
    return [part for part in _NAME.split(text) if _NAME.match(part)] if _NAMED.search(text) else []


def _driver(head: str) -> dict[str, Value]:
    if re.search(r"ROCk module is NOT loaded", head):
        return {"loaded": False}
    found = re.search(r"ROCk module(?: version (\S{1,80}))? is loaded", head)
    if not found:
        return {}
    return {"loaded": True} | ({"version": version(found.group(1))} if found.group(1) else {})


def _own(block: str) -> dict[str, str]:
    """The agent's own pairs: all before pools and ISAs, then what only stands after them."""
    pairs: dict[str, str] = {}
    details = _DETAILS.search(block)
    head = block[: details.start()] if details else block
    for key, value in [*_PAIR.findall(head), *_PAIR.findall(block[len(head) :][:200_000])]:
        # `Packet Processor uCode::` carries its own colon.
        pairs.setdefault(key if not value.startswith(":") else f"{key}:", value.lstrip(": "))
    return pairs


def _device(own: dict[str, str], block: str) -> Device:
    memory = own.get("Memory Properties")
    isa = re.search(r"amdgcn-amd-amdhsa--gfx[0-9a-f]{3,5}:([a-z+:-]{1,60})", block)
    location = whole(own.get("BDFID"))
    uuid = word(own.get("Uuid"))
    values: dict[str, Value] = {
        "name": word(own.get("Marketing Name")),
        "gfx": gfx(own.get("Name")) or gfx(block),
        "compute_units": whole(own.get("Compute Unit")) or None,
        "wave_size": _leading(own.get("Wavefront Size")),
        "device_id": hex_id(own.get("Chip ID")),
        "node": whole(own.get("Node")),
        "bus": bus_of_location(location, whole(own.get("Domain")) or 0) if location else None,
        "integrated": "APU" in memory.upper().split() if memory is not None else None,
        "features": isa.group(1).rstrip(":") if isa else None,
        "xcc": whole(own.get("Num XCC")) or None,
        "uuid": None if uuid is None or uuid.upper().endswith("-XX") else uuid,
        **_pools(block),
    }
    firmware = {name: text for key, name in _FIRMWARE.items() if (text := word(own.get(key))) and text != "0"}
    return Device(values={k: v for k, v in values.items() if v is not None}, firmware=firmware)


def _leading(text: str | None) -> int | None:
    """`64(0x40)` → 64."""
    found = re.match(r"\d{1,18}", text or "")
    return int(found.group()) if found else None


def _pools(block: str) -> dict[str, Value]:
    """Device memory is the first coarse-grained global pool, LDS the group pool; rocminfo counts KiB."""
    found: dict[str, Value] = {}
    pools = re.findall(r"Segment:\s*([^\n]{1,80}?)\s*\n\s*Size:\s*(\d{1,18})", block)
    for wanted in ("COARSE GRAINED", "GLOBAL"):
        for segment, size in pools:
            if "vram_bytes" not in found and segment.startswith("GLOBAL") and wanted in segment:
                found["vram_bytes"] = int(size) * 1024
    for segment, size in pools:
        if segment.startswith("GROUP"):
            found["lds_bytes"] = int(size) * 1024
    return found


COLLECTOR: Collector = Collector(name="rocminfo", collect=collect)
