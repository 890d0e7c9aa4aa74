"""TOML of Python projects: `pyproject.toml`, `pixi.toml`, `uv.toml` and other settings.

A library gives values without places, so the text is cut here: tables, keys and strings with their
lines. Strings of mandatory dependency lists are REQUIREMENT regions, all others VALUE; the context
is the path of keys, e.g. `("tool", "uv", "index", "url")`.
"""

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

_TABLE = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=(?!=)")
_STRING = re.compile(
    r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*\"\"\"|'''(?:[^']|'(?!''))*'''|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'",
    re.DOTALL,
)
_PART = re.compile(r"[\w-]+|\"[^\"]*\"|'[^']*'")
_INLINE_KEY = re.compile(r"[{,]\s*([\w-]+)\s*=\s*$")
_PROSE = frozenset({"description", "keywords", "classifiers", "markers", "authors", "name", "addopts"})
_OPTIONAL = frozenset(
    {
        "optional-dependencies",
        "dependency-groups",
        "extras",
        "feature",
        "group",
        "environments",
        "dev-dependencies",
    }
)


class Toml:
    """By suffix; lock files are generated and left out."""

    name = "toml"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """`*.toml`, and `Pipfile`, which is TOML as well."""
        return (path.suffix == ".toml" and "lock" not in path.stem.lower()) or path.name == "Pipfile"

    def parse(self, source: Source) -> Parsed:
        """Strings with the path of keys that leads to them."""
        outer = vendor.of_path(source.path, beside=source.beside)
        return Parsed(source, tuple(_regions(source, outer)))


def _regions(source: Source, outer: Guard) -> Iterator[Region]:
    table: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    depth = 0
    skip_until = 0
    offset = 0
    for number, line in enumerate(source.lines, 1):
        start, offset = offset, offset + len(line) + 1
        if start < skip_until:
            continue
        if depth <= 0 and (head := _TABLE.match(line)):
            table, key, depth = _path(head[1]), (), 0
            continue
        position = 0
        if depth <= 0 and (named := _KEY.match(line)):
            key, position, depth = _path(named[1]), named.end(), 0
            if _is_named_dependency((*table, *key)):
                yield _named(line, named, number, outer, (*table, *key))
        position, depth, found, skip_until = _strings(source.text, start, position, len(line), depth)
        if key and key[-1] not in _PROSE:
            for text, at in found:
                yield _string(text, (number, at), line, outer, (*table, *key))


def _strings(
    text: str, start: int, position: int, length: int, depth: int
) -> tuple[int, int, list[tuple[str, int]], int]:
    """The strings of one line with their columns, the bracket depth after it, and where a long one ends."""
    found = []
    end = start + length
    at = start + position
    while at < end:
        char = text[at]
        if char == "#":
            break
        if char in "\"'" and (string := _STRING.match(text, at)):
            long = string.group()[:3] in ('"""', "'''")
            if not long:
                found.append((string.group()[1:-1], at - start + 2))
            at = string.end()
            continue
        depth += (char in "[{") - (char in "]}")
        at += 1
    return at - start, depth, found, at


def _path(text: str) -> tuple[str, ...]:
    return tuple(p.strip("\"'") for p in _PART.findall(text))


def _guard(path: tuple[str, ...], outer: Guard) -> Guard:
    """Extras, groups and environments are opt-in; a source named after a vendor is for it."""
    if _OPTIONAL & set(path):
        return vendor.both(outer, Guard.EITHER)
    return outer


def _string(text: str, place: tuple[int, int], written: str, outer: Guard, path: tuple[str, ...]) -> Region:
    inline = _INLINE_KEY.search(written[: place[1] - 2])
    context = (*path, inline[1]) if inline else path
    guard = _guard(path, outer)
    if (
        not inline
        and path
        and path[-1] in ("dependencies", "requires", "constraint-dependencies", "override-dependencies")
    ):
        return requirement(text, *place, guard, context)
    if inline is None and _OPTIONAL & set(path):
        return requirement(text, *place, guard, context)
    if inline and re.search(r"\b(marker|markers|extra|optional)\s*=", written):
        guard = vendor.both(guard, Guard.EITHER)
    return Region(RegionKind.VALUE, text, *place, guard, context)


def _is_named_dependency(path: tuple[str, ...]) -> bool:
    """`[tool.poetry.dependencies] cupy-cuda12x = "^13"`: the key is the requirement."""
    return len(path) >= 2 and path[-2] in (
        "dependencies",
        "pypi-dependencies",
        "packages",
        "host-dependencies",
    )


def _named(line: str, named: re.Match[str], number: int, outer: Guard, path: tuple[str, ...]) -> Region:
    guard = _guard(path, outer)
    if re.search(r"\b(optional\s*=\s*true|extra\s*=|markers?\s*=.*extra)", line):
        guard = vendor.both(guard, Guard.EITHER)
    return requirement(path[-1], number, named.start(1) + 1, guard, path[:-1])


LANGUAGE: Language = Toml()
