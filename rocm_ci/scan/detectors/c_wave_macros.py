"""A wave size chosen by macros that only device compilation defines: the host sees the other value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_directives import chains
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEVICE_ONLY = re.compile(r"\b(?:__GFX\d+__|__gfx\w+__|__AMDGCN_WAVEFRONT_SIZE(?:__)?)")
_DEVICE_PASS = re.compile(r"__HIP_DEVICE_COMPILE__|__CUDA_ARCH__")
_NAMED = r"(?:warp|wave)\w*(?:size|width|threads|lanes)\w*"
_SIZE = re.compile(
    rf"(?:#[ \t]*define[ \t]+\w*|\bconstexpr\b[^;\n]*?\w*){_NAMED}[ \t={{(]+(?:32|64)\b"
    rf"|{_NAMED}\s*\(\s*(?:void)?\s*\)\s*(?:const\s*|noexcept\s*)*\{{\s*return\s+(?:32|64)\b",
    re.IGNORECASE,
)


_CHOSEN = re.compile(
    r"(?:#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+\(?|\b(?P<name>\w+)\s*[={]\s*"
    r"|\b(?P<function>\w+)\s*\(\s*\)[^;{}]*\{\s*return\s+)(?P<value>32|64)[uU]?\b"
)
_ABOUT_LANES = re.compile(r"warp|wave|lane|wf(?![a-z])|simd", re.IGNORECASE)


def _sets_wave_size(code: str, start: int, end: int) -> bool:
    """Whether the branches set something to the size of a wave, or one name of lanes to both sizes."""
    if _SIZE.search(code, start, end):
        return True
    values: dict[str, set[str]] = {}
    for found in _CHOSEN.finditer(code, start, end):
        name = found["macro"] or found["name"] or found["function"]
        values.setdefault(name, set()).add(found["value"])
    return any(len(both) == 2 and _ABOUT_LANES.search(name) for name, both in values.items())


class WaveMacros:
    """Conditions on a device target whose branches set a warp or wave size."""

    name = "wave-macros"
    needles = ("__GFX", "__gfx", "__AMDGCN_WAVEFRONT_SIZE")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        starts = file.lexed.line_starts
        for chain in chains(file.directives):
            first, last = chain.conditions[0], chain.last_line
            text = " ".join(one.text for one in chain.conditions)
            found = _DEVICE_ONLY.search(text)
            if found is None or first.guard is Guard.NVIDIA or _DEVICE_PASS.search(text):
                continue
            end = starts[last] if last < len(starts) else len(file.code)
            if _sets_wave_size(file.code, starts[first.line - 1], end):
                shown = f"#{first.name} {first.text}"
                yield Match(first.line, first.column, first.column + len(shown), found[0])


DETECTOR: Detector = WaveMacros()
