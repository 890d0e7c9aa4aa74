"""pip's requirement and constraint files.

A requirement is a REQUIREMENT region (without comment and options); the value of an option such as
`--index-url` is a VALUE region, context `option:--index-url`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.requirement_lines import requirement
from rocm_ci.scan.source import Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Guard, Source

_NAME = re.compile(
    r"(?i)(requirements?|constraints?|overrides?)([-_.].*)?\.(txt|in|pip)$|.*[-_.](requirements?|constraints?|reqs?)\.(txt|in)$"
)
_OPTION = re.compile(r"\s*(--?[\w-]+)(?:[ =]\s*)?(\S.*)?$")
_COMMENT = re.compile(r"(^|\s)#.*")


class Requirements:
    """`requirements*.txt`, `constraints*.txt`, their `.in` sources, and any `.txt` below `requirements/`."""

    name = "requirements"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name and folder."""
        folders = {p.lower() for p in path.parts[:-1]}
        in_folder = bool(folders & {"requirements", "reqs", "constraints"}) and path.suffix in (".txt", ".in")
        return in_folder or bool(_NAME.match(path.name))

    def parse(self, source: Source) -> Parsed:
        """One region a line, continuation lines included."""
        outer = vendor.of_path(source.path, beside=source.beside)
        return Parsed(source, tuple(_regions(source, outer)))


def _regions(source: Source, outer: Guard) -> Iterator[Region]:
    for number, line in enumerate(source.lines, 1):
        text = _COMMENT.sub("", line).rstrip(" \t\\")
        if not text.strip():
            continue
        if text.lstrip().startswith("-"):
            found = _OPTION.match(text)
            if found and found[2]:
                context = (f"option:{found[1]}",)
                yield Region(RegionKind.VALUE, found[2].strip(), number, found.start(2) + 1, outer, context)
            continue
        column = len(text) - len(text.lstrip()) + 1
        yield requirement(text.strip(), number, column, outer, ())


LANGUAGE: Language = Requirements()
