"""`rocm_agent_enumerator`: a target per line, of recordings only. It knows nothing that rocminfo does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu.observation import MAX_DEVICES, Collector, Device, Observation
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

_TARGETS = re.compile(r"\s*(?:gfx[0-9a-f]{3,5}\s+)+")
ENUMERATOR = Tool(
    name="rocm_agent_enumerator", commands=(), recognise=lambda t: bool(_TARGETS.fullmatch(t[:20_000] + "\n"))
)
# Until ROCm 6 the processor stood first, under this name.
_PROCESSOR = "gfx000"


def collect(reader: Reader) -> Observation:
    """One device per line, in the runtime's order."""
    for output in reader.ask(ENUMERATOR).outputs:
        names = re.findall(r"(?m)^\s*(gfx[0-9a-f]{3,5})\s*$", output.text)[:MAX_DEVICES]
        found = tuple(Device(values={"gfx": name}) for name in names if name != _PROCESSOR)
        if found:
            return Observation(source="enumerator", devices=found)
    return Observation(source="enumerator", problem="no output of rocm_agent_enumerator was recorded")


COLLECTOR: Collector = Collector(name="agent_enumerator", collect=collect)
