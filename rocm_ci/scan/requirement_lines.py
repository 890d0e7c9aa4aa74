"""One dependency specifier, in pip's or conda's spelling, as a region."""

from __future__ import annotations

import re

from rocm_ci.scan import vendor
from rocm_ci.scan.source import Guard, Region, RegionKind

_NAME = re.compile(r"(?:[\w./-]+::)?([A-Za-z0-9][\w.-]*)")
_MARKER = re.compile(r";\s*(.*)$")
_OPT_IN = re.compile(
    r"\bextra\s*==|platform_machine\s*==\s*['\"](?:aarch64|arm64)|sys_platform\s*==\s*['\"]darwin"
    r"|platform_system\s*==\s*['\"]Darwin"
)


def requirement(text: str, line: int, column: int, guard: Guard, context: tuple[str, ...]) -> Region:
    """A REQUIREMENT region with context `name:NAME`; a marker that asks for an extra makes it optional."""
    name = _NAME.match(text)
    marker = _MARKER.search(text)
    if marker and _OPT_IN.search(marker[1]):
        guard = vendor.both(guard, Guard.EITHER)
    found = (*context, f"name:{name[1].lower()}") if name else context
    return Region(RegionKind.REQUIREMENT, text, line, column, guard, found)


def opt_in(guard: Guard, name: str) -> Guard:
    """The guard of an extra, a group or an environment: one named after AMD is asked for on AMD."""
    return vendor.both(guard, Guard.AMD if vendor.of(name) is Guard.AMD else Guard.EITHER)
