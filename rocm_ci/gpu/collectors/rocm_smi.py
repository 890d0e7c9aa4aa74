"""`rocm-smi`: names, memory, partitions, limits. It exits 0 even when it could do nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu import names
from rocm_ci.gpu.observation import Collector, Device, Observation, Value, bus_address
from rocm_ci.gpu.quantity import gfx, hex_id, number, size_bytes, whole, word
from rocm_ci.gpu.reader import Reader, Tool
from rocm_ci.gpu.rocmsmi_tables import looks_like, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROCM_SMI = Tool(
    name="rocm-smi",
    commands=(
        (
            "rocm-smi", "--showproductname", "--showid", "--showbus", "--showmeminfo", "vram", "--showvbios",
            "--showdriverversion", "--showmaxpower", "--json",
        ),
    ),
    recognise=looks_like,
    timeout_s=15.0,
)  # fmt: skip


def _clock(text: object) -> int | None:
    """`(132Mhz)` and `1: (132Mhz)` → 132. A level alone is no clock."""
    found = re.search(r"(\d{1,6})(?:\.\d{1,3})? ?[Mm][Hh]z", str(text))
    return int(found.group(1)) if found else None


_FIELDS: tuple[tuple[str, Callable[[object], Value], tuple[str, ...]], ...] = (
    ("name", word, ("card series", "device name", "market name")),
    ("gfx", gfx, ("gfx version", "gfx_version")),
    ("device_id", hex_id, ("device id", "gpu id")),
    ("revision", word, ("device rev",)),
    ("bus", bus_address, ("pci bus", "pcie bus")),
    ("uuid", word, ("unique id",)),
    ("node", whole, ("node id",)),
    ("kfd_id", whole, ("guid",)),
    ("partition", whole, ("partition id",)),
    ("numa_node", whole, ("(topology) numa node", "numa node")),
    ("vbios", word, ("vbios version",)),
    ("vram_bytes", size_bytes, ("vram total memory (b)", "total vram memory (b)")),
    ("vram_used_bytes", size_bytes, ("vram total used memory (b)", "vram used memory (b)")),
    ("compute_partition", word, ("compute partition",)),
    ("memory_partition", word, ("memory partition",)),
    ("power_cap_w", whole, ("current power cap (w)", "max graphics package power (w)")),
    ("power_w", number, (
        "current socket graphics package power (w)", "average graphics package power (w)",
    )),
    ("temperature_c", number, ("temperature (sensor junction) (c)", "temperature (sensor edge) (c)")),
    ("sclk_mhz", _clock, ("sclk clock speed", "sclk current clock frequency", "sclk clock level")),
    ("mclk_mhz", _clock, ("mclk clock speed", "mclk clock level")),
    ("busy_pct", number, ("gpu use (%)",)),
    ("performance_level", word, ("performance level",)),
)  # fmt: skip
_WARNING = re.compile(r"(?m)^\s*(?:WARNING|ERROR)\S*[: ]\s*([^\n]{1,300})$")


def collect(reader: Reader) -> Observation:
    """Devices in rocm-smi's own order, the driver's version, and the warnings around the data."""
    answer = reader.ask(ROCM_SMI)
    driver: dict[str, Value] = {}
    labels: dict[int, dict[str, str]] = {}
    notes: list[str] = []
    for output in answer.outputs:
        for ordinal, said in table(output.text).items():
            if ordinal is None:
                version = word(said.get("driver version"))
                driver |= {"version": version, "loaded": True} if version else {}
            else:
                labels.setdefault(ordinal, {}).update(said)
        if labels or driver:
            notes += [f"rocm-smi warns: {' '.join(w.split())}" for w in _WARNING.findall(output.text)[:20]]
    return Observation(
        source="rocm-smi",
        driver=driver,
        devices=tuple(_device(labels[n]) for n in sorted(labels)),
        problem=answer.problem,
        notes=tuple(notes),
    )


def _device(labels: Mapping[str, str]) -> Device:
    values: dict[str, Value] = {}
    for field, read, keys in _FIELDS:
        texts = [labels[key] for key in keys if key in labels]
        found = next((value for text in texts if (value := read(text)) is not None), None)
        if found is not None or texts:
            values[field] = found
    if values.get("device_id") is None and "card model" in labels:
        # Since ROCm 6, which also prints the GFX version, this is the device's id; before, the board's.
        model = hex_id(labels["card model"])
        if "gfx version" in labels or names.by_id(model) is not None:
            values["device_id"] = model
    firmware = {
        name.removesuffix(" firmware version").upper(): text
        for name, text in list(labels.items())[:400]
        if name.endswith(" firmware version") and (word(text) or "0").strip("0x.") and len(text) < 60
    }
    return Device(values=values, firmware=firmware)


COLLECTOR: Collector = Collector(name="rocm_smi", collect=collect)
