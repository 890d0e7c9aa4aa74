"""The form of the ROCm projects for bug reports, filled in by somebody: hearsay, used where no tool speaks.

Its headings are `### Operating System`, `### CPU`, `### GPU` and `### ROCm Version`
(ROCm/rocm-systems, .github/ISSUE_TEMPLATE/issue_report.yml).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu.observation import Collector, Device, Observation, Value
from rocm_ci.gpu.quantity import gfx, word
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

_FIELD = re.compile(r"(?m)^### (Operating System|CPU|GPU|ROCm Version)[ \t]*\n\s*([^#\s][^\n]{0,200})$")
FORM = Tool(name="issue form", commands=(), recognise=lambda t: bool(_FIELD.search(t)))
_PRODUCT = re.compile(r"\b(?:AMD (?:Instinct|Radeon) [\w ]{2,40}|(?:MI\d{2,3}[AXP]?|RX \d{4}(?: XTX?)?)\b)")


def collect(reader: Reader) -> Observation:
    """System, processor, release and the first GPU, as far as they were filled in."""
    said: dict[str, str] = {}
    for output in reader.ask(FORM).outputs:
        for heading, line in _FIELD.findall(output.text):
            if line.strip() != "_No response_":
                said.setdefault(heading, line.strip())
    system = re.match(r"(?!NAME=)(.{1,100}?)(?: \([^()]{1,60}\))?$", said.get("Operating System", ""))
    cpu = said.get("CPU", "")
    host: dict[str, Value] = {
        "os": word(system.group(1)) if system else None,
        "cpu": word(cpu) if cpu and ":" not in cpu else None,
    }
    release = re.search(r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?\b", said.get("ROCm Version", ""))
    return Observation(
        source="issue form",
        host={key: value for key, value in host.items() if value is not None},
        rocm={"version": release.group()} if release else {},
        devices=_devices(said.get("GPU", "")),
        problem="" if said else "no form was recorded",
    )


def _devices(line: str) -> tuple[Device, ...]:
    target, product = gfx(line), _PRODUCT.search(line)
    values: dict[str, Value] = {"gfx": target, "name": product.group().strip() if product else None}
    known = {key: value for key, value in values.items() if value is not None}
    return (Device(values=known),) if known and ":" not in line else ()


COLLECTOR: Collector = Collector(name="issue_form", collect=collect)
