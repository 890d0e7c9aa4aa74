"""amd-smi's tables for the eye: `amd-smi monitor` and `amd-smi partition`.

Columns came, went and were renamed between releases, numbers carry their unit after a blank, and a cell
may be empty, so a line is read only when it has as many cells as the heading above it.
"""

from __future__ import annotations

import re

from rocm_ci.gpu.observation import MAX_DEVICES

_HEAD = re.compile(r"^\s*(?:GPU|GPU_ID)(?:\s+[A-Z][A-Z0-9_%]{1,40}){2,24}\s*$")
_CELL = re.compile(
    r"N/A|-?\d{1,9}(?:\.\d{1,4})?(?:/\d{1,9}(?:\.\d{1,4})?)?(?: (?:W|°C|C|[MG]Hz|%|[KMG]B)(?=\s|$))?|\S{1,60}"
)
_MAX_LINES = 20_000
# Heading → path in the records of `amd-smi metric` and `partition`. Sizes are rounded here: own paths.
_PATHS = {
    "MEMORY": "memory",
    "ACCELERATOR_TYPE": "accelerator_type",
    "PARTITION_ID": "partition_id",
    "POWER": "power.socket_power",
    "PWR_CAP": "limit.socket_power",
    "GPU_T": "temperature.hotspot",
    "GPU_TEMP": "temperature.hotspot",
    "GFX_CLK": "clock.gfx.clk",
    "GFX_CLOCK": "clock.gfx.clk",
    "MEM_CLK": "clock.mem.clk",
    "MEM_CLOCK": "clock.mem.clk",
    "GFX%": "usage.gfx_activity",
    "GFX_UTIL": "usage.gfx_activity",
    "VRAM_USED": "monitor.used_vram",
    "VRAM_TOTAL": "monitor.total_vram",
}


def looks_like(text: str) -> bool:
    """Whether there is a table with a column that we know."""
    return any(_HEAD.match(line) and _known(line) for line in text.splitlines()[:_MAX_LINES])


def records(text: str) -> list[dict[str, str]]:
    """One record per line of a table whose columns we know."""
    found: list[dict[str, str]] = []
    columns: list[str] = []
    for line in text.splitlines()[:_MAX_LINES]:
        if _HEAD.match(line):
            columns = line.split() if _known(line) else []
            continue
        cells = _CELL.findall(line) if columns else []
        if len(cells) == len(columns) > 0 and cells[0].isdecimal() and len(found) < MAX_DEVICES * 2:
            found.append(_record(columns, cells))
    return found


def _known(heading: str) -> bool:
    names = set(heading.split())
    return bool(
        names & {"POWER", "ACCELERATOR_TYPE", "GPU_T", "GPU_TEMP", "GFX_CLK", "GFX_CLOCK", "VRAM_TOTAL"}
    )


def _record(columns: list[str], cells: list[str]) -> dict[str, str]:
    found = {"gpu": cells[0]}
    for name, cell in zip(columns[1:], cells[1:], strict=True):
        if name in _PATHS:
            found[_PATHS[name]] = cell
        elif name == "VRAM_USAGE" and "/" in cell:
            # `0.3/192.0 GB`
            amounts, _, unit = cell.partition(" ")
            used, _, total = amounts.partition("/")
            found |= {"monitor.used_vram": f"{used} {unit}", "monitor.total_vram": f"{total} {unit}"}
    return found
