"""The amdgpu kernel module: /sys/module/amdgpu, modinfo for what lies on disk, and its packages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu import release
from rocm_ci.gpu.observation import Collector, Observation, Value
from rocm_ci.gpu.quantity import version, word
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

_MODULE = "/sys/module/amdgpu"
MODINFO = Tool(
    name="modinfo",
    commands=(("modinfo", "amdgpu"),),
    recognise=lambda t: bool(
        re.search(r"(?m)^(?:name|filename):\s+(?:\S*/)?amdgpu\b|Module amdgpu not found", t)
    ),
    timeout_s=5.0,
)
# Recordings only: on a live machine /sys/module says it better.
LSMOD = Tool(
    name="lsmod",
    commands=(),
    recognise=lambda t: bool(re.search(r"(?m)^Module +Size +Used by|^amdgpu \d+ \d+", t)),
)
PACKAGES = Tool(
    name="packages",
    commands=(),
    recognise=lambda t: bool(
        re.search(r"amdgpu-dkms[^\n]{0,60}\d+\.\d+\.\d+\.\d{5,8}-|^amdgpu/\d[^\n]*installed", t)
    ),
)
_PACKAGE = re.compile(r"\bamdgpu-dkms(?:/\S+)?[-\t ,:a-z_]*((?:\d:)?\d+\.\d+\.\d+\.\d{5,8}-\S{1,40})")


def collect(reader: Reader) -> Observation:
    """Whether the driver is there, its version, and whether it is part of the kernel.

    A driver that is built in has no `initstate` file, and one from the kernel's own tree has no
    `version` file: the tools call both «not found in modules».
    """
    values: dict[str, Value] = {}
    files = reader.names(_MODULE)
    if files:
        state = word(reader.text(f"{_MODULE}/initstate"))
        # A module that is going still has its folder.
        values["loaded"] = state in (None, "live", "coming")
        values["built_in"] = state is None
        values["version"] = version(reader.text(f"{_MODULE}/version"))
    elif reader.names("/sys/module"):
        values["loaded"] = False
    for output in reader.ask(LSMOD).outputs:
        values.setdefault("loaded", bool(re.search(r"(?m)^amdgpu +\d+ +\d+", output.text)))
    values |= _packages(reader)
    answer = reader.ask(MODINFO)
    for output in answer.outputs:
        fields = dict(re.findall(r"(?m)^(\w{1,20}):\s+([^\n]{1,300})$", output.text))
        if fields.get("filename") == "(builtin)":
            values.setdefault("built_in", True)
        values["on_disk"] = version(fields.get("version")) or values.get("on_disk")
    problem = "no /sys/module/amdgpu: the amdgpu driver is not loaded" if reader.names("/sys") else ""
    return Observation(
        source="module",
        driver={k: v for k, v in values.items() if v is not None},
        problem="" if files else problem or "no sys tree was recorded",
    )


def _packages(reader: Reader) -> dict[str, Value]:
    """The driver's number from its package's version, which carries both numbers."""
    for output in reader.ask(PACKAGES).outputs:
        for found in _PACKAGE.findall(output.text)[:8]:
            both = release.module_of_package(found)
            if both:
                return {"on_disk": both[0], "number": both[1]}
    return {}


COLLECTOR: Collector = Collector(name="driver", collect=collect)
