"""Package indexes of a TOML manifest: one for NVIDIA beside one for AMD, or behind an extra, is a choice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD = re.compile(r"\s*\[\[[^\]]*\b(?:index|source)\b[^\]]*\]\]")
_ANY_HEAD = re.compile(r"\s*\[")
_NAME = re.compile(r"\s*name\s*=\s*[\"']([^\"']+)")
_CHOSEN = re.compile(r"index\s*=\s*[\"']([^\"']+)[\"'][^}\n]*\b(?:extra|group)\s*=")


def guards(lines: Sequence[str]) -> dict[int, Guard]:
    """Line of the header of an index → its guard, where its name makes it a choice."""
    names: dict[int, str] = {}
    head = 0
    for number, line in enumerate(lines, 1):
        if _ANY_HEAD.match(line):
            head = number if _HEAD.match(line) else 0
        elif head and (named := _NAME.match(line)):
            names[head] = named[1]
    if not names:
        return {}
    both = Guard.AMD in {vendor.of(name) for name in names.values()}
    chosen = {found[1] for line in lines for found in _CHOSEN.finditer(line)}
    return {
        line: vendor.of(name)
        for line, name in names.items()
        if vendor.of(name) is Guard.AMD or both or name in chosen
    }
