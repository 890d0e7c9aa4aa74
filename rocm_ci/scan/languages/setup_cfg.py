"""`setup.cfg`, `tox.ini` and `pytest.ini`: requirement lists and values of INI files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.requirement_lines import requirement
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_SECTION = re.compile(r"\[([^]]+)\]")
_KEY = re.compile(r"([^\s=:#;][^=:]*?)\s*[=:]\s*(.*)$")
_LISTS = frozenset(
    {"install_requires", "setup_requires", "requires", "deps", "dependencies", "requires-dist"}
)
_PROSE = frozenset(
    {"description", "long_description", "keywords", "classifiers", "markers", "url", "project_urls", "author"}
)


class SetupCfg:
    """INI files of Python projects."""

    name = "setup-cfg"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.name in ("setup.cfg", "tox.ini", "pytest.ini") or path.match("*.egg-info/requires.txt")

    def parse(self, source: Source) -> Parsed:
        """Requirements of mandatory lists; extras are opt-in."""
        return Parsed(source, tuple(_regions(source, vendor.of_path(source.path, beside=source.beside))))


def _regions(source: Source, outer: Guard) -> Iterator[Region]:
    section = key = ""
    for number, line in enumerate(source.lines, 1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if not line[0].isspace():
            if head := _SECTION.match(line):
                section, key = head[1], ""
                continue
            found = _KEY.match(line)
            if found is None:
                continue
            key, stripped = found[1].strip(), found[2].strip()
            column = found.start(2) + 1
        else:
            column = line.index(stripped[0]) + 1
        if stripped and key not in _PROSE:
            yield _value((section, key), re.sub(r"\s+#.*$", "", stripped), (number, column), outer)


def _value(where: tuple[str, str], text: str, place: tuple[int, int], outer: Guard) -> Region:
    section, key = where
    context = (f"section:{section}", f"key:{key}")
    if section.startswith("testenv"):
        outer = vendor.both(outer, vendor.of(section))
    if key in _LISTS:
        return requirement(text, *place, outer, context)
    if section.endswith("extras_require"):
        return requirement(text, *place, vendor.both(outer, Guard.EITHER), context)
    return Region(RegionKind.VALUE, text, *place, outer, context)


LANGUAGE: Language = SetupCfg()
