"""Where the variables of a CMake file are used: flags that only reach the CUDA compiler are for CUDA alone.

`set(FLAGS --use_fast_math)` is harmless when all that reads `${FLAGS}` is
`$<$<COMPILE_LANGUAGE:CUDA>:${FLAGS}>` or stands in the branch for CUDA.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Sequence

_REFERENCE = re.compile(r"\$\{(\w+)\}")
_VARIABLE = "variable:"


def narrowed(regions: Sequence[Region]) -> list[Region]:
    """The same regions; what is only put into variables for CUDA carries that guard."""
    uses: dict[str, set[Guard]] = {}
    for region in regions:
        if region.kind is RegionKind.VALUE and "${" in region.text:
            own = _variable(region)
            for name in _REFERENCE.findall(region.text):
                if name != own:
                    uses.setdefault(name, set()).add(region.guard)
    only = {name for name, guards in uses.items() if guards == {Guard.NVIDIA}}
    if not only:
        return list(regions)
    return [
        replace(region, guard=Guard.NVIDIA)
        if region.guard is Guard.NONE and _variable(region) in only
        else region
        for region in regions
    ]


def _variable(region: Region) -> str:
    return next((c[len(_VARIABLE) :] for c in region.context if c.startswith(_VARIABLE)), "")
