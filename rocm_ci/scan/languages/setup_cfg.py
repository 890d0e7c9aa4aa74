"""`setup.cfg`, `tox.ini` and `pytest.ini`: requirement lists and values of INI files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import shell, vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.requirement_lines import opt_in, requirement
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
_COMMANDS = frozenset({"commands", "commands_pre", "commands_post", "install_command"})
_FACTOR = re.compile(r"([\w,{}!-]+):\s+")  # `cuda: cupy-cuda12x` of tox
_PAIR = re.compile(r"(\w+)\s*=\s*(.*)$")
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
            yield from _value((section, key), re.sub(r"\s+#.*$", "", stripped), (number, column), outer)


def _value(where: tuple[str, str], text: str, place: tuple[int, int], outer: Guard) -> Iterator[Region]:
    section, key = where
    context = (f"section:{section}", f"key:{key}")
    if section.startswith("testenv"):
        outer = vendor.both(outer, vendor.of(section))
        if factor := _FACTOR.match(text):
            outer = vendor.both(outer, vendor.of(factor[1]))
            text, place = text[factor.end() :], (place[0], place[1] + factor.end())
    if key in _LISTS:
        yield requirement(text, *place, outer, context)
    elif section.endswith("extras_require"):
        yield requirement(text, *place, opt_in(outer, key), context)
    elif key in _COMMANDS and section.startswith("testenv"):
        text, place = text.lstrip("- "), (place[0], place[1] + len(text) - len(text.lstrip("- ")))
        yield from shell.regions(text, *place, guard=outer, context=context)
    else:
        yield from _setting(text, place, outer, context)


def _setting(text: str, place: tuple[int, int], guard: Guard, context: tuple[str, ...]) -> Iterator[Region]:
    """A value; `NAME = VALUE` of an environment is a KEY of its own as well."""
    pair = _PAIR.match(text) if context[1] in ("key:setenv", "key:set_env", "key:env") else None
    if pair is not None:
        context = (*context, f"env:{pair[1]}")
        yield Region(RegionKind.KEY, pair[1], *place, guard, context)
        if pair[2]:
            yield Region(RegionKind.VALUE, pair[2], place[0], place[1] + pair.start(2), guard, context)
        return
    yield Region(RegionKind.VALUE, text, *place, guard, context)


LANGUAGE: Language = SetupCfg()
