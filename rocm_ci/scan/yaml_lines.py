"""YAML that no parser accepts, read line by line: `key: value` and list items, with no structure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor, yaml_templates
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ENTRY = re.compile(r"[ \t]*(?:-[ \t]+)*(?:[\"']?([\w./-]+)[\"']?[ \t]*:(?:[ \t]+|$))?(.*)$")
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")


def regions(lines: Sequence[str], outer: Guard) -> Iterator[Region]:
    """A KEY and a VALUE region a line; the context is `doc:lines` and the key."""
    branches = yaml_templates.guards(lines)
    for number, line in enumerate(lines, 1):
        guard = vendor.both(outer, branches.get(number, Guard.NONE))
        text = _COMMENT.sub("", line).rstrip()
        found = _ENTRY.match(text)
        if found is None or not text:
            continue
        path: tuple[str, ...] = ("doc:lines",)
        if found[1]:
            yield Region(RegionKind.KEY, found[1], number, found.start(1) + 1, guard, path)
            path = (*path, found[1])
        value = found[2].strip("\"' ")
        if value:
            yield Region(RegionKind.VALUE, value, number, text.index(value) + 1, guard, path)
