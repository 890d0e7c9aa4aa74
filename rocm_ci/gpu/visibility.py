"""How many GPUs a program of this process would see: what the runtime hides, and by which variable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.model.facts import Facts

# ROCR hides devices below the HIP runtime; the others then count within what is left.
RUNTIME = "ROCR_VISIBLE_DEVICES"
HIP = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
_MAX = 4096


def usable_gpus(facts: Facts, environment: Mapping[str, str]) -> int:
    """GPUs left after what rocminfo hides and what the visible-device variables select."""
    shown = [gpu for gpu in facts.gpus if gpu.visible is not False]
    left = len(shown)
    if RUNTIME in environment and any(gpu.visible is None for gpu in shown):
        # rocminfo did not run, so its answer does not contain the variable's effect yet.
        left = selected(environment[RUNTIME], left)
    for name in HIP:
        if name in environment:
            return selected(environment[name], left)
    return left


def selected(value: str, total: int) -> int:
    """How many of `total` a variable selects: entries count up to the first that names no device."""
    count = 0
    for entry in value[:_MAX].split(","):
        name = entry.strip()
        if re.fullmatch(r"\d{1,6}", name):
            if int(name) >= total:
                break
        elif not re.fullmatch(r"GPU-[0-9A-Za-z-]{1,64}", name):
            break
        count += 1
    return min(count, total)


def listed(value: str) -> list[str]:
    """The entries of a variable, bounded; empty text selects nothing."""
    return [entry.strip() for entry in value[:_MAX].split(",")] if value.strip() else []


def chosen(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that are set, with device ids shortened: they would name a single device."""
    return {
        name: re.sub(r"GPU-[0-9A-Za-z-]+", "GPU-…", environment[name])[:80]
        for name in (RUNTIME, *HIP)
        if name in environment
    }
