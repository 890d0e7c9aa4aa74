"""Definition files of Apptainer and Singularity: the base image and the shell of their sections.

The image behind `From:` is a VALUE region, context `from`; the sections that are run are shell, context
`section:NAME`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import shell, vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.source import Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Guard, Source

_HEADER = re.compile(r"(?im)^\s*(Bootstrap|From)\s*:\s*(\S+)")
_SECTION = re.compile(r"%([a-z]+)\b")
_RUN = frozenset(
    {"post", "environment", "runscript", "test", "setup", "startscript", "pre", "appenv", "apprun"}
)


class Apptainer:
    """`*.def` with a header, and `Singularity` files."""

    name = "apptainer"

    def claims(self, path: PurePosixPath, head: str) -> bool:
        """A `.def` may be many things: only one that begins with `Bootstrap:` is meant."""
        named = path.suffix in (".def", ".sdef") or path.name.startswith(("Singularity", "Apptainer"))
        return named and (not head or bool(re.search(r"(?im)^\s*bootstrap\s*:", head)))

    def parse(self, source: Source) -> Parsed:
        """Header and sections."""
        outer = vendor.of_path(source.path, beside=source.beside)
        return Parsed(source, tuple(_regions(source, outer)))


def _regions(source: Source, outer: Guard) -> Iterator[Region]:
    section, start = "", 0
    for number, line in enumerate((*source.lines, "%end"), 1):
        if head := _SECTION.match(line):
            if section in _RUN:
                text = "\n".join(source.lines[start : number - 1])
                yield from shell.regions(text, start + 1, 1, guard=outer, context=(f"section:{section}",))
            section, start = head[1], number
        elif not section and (found := _HEADER.match(line)) and found[1].lower() == "from":
            yield Region(RegionKind.VALUE, found[2], number, found.start(2) + 1, outer, ("from",))


LANGUAGE: Language = Apptainer()
