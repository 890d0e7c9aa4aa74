"""TOML of Python projects: `pyproject.toml`, `pixi.toml`, `uv.toml` and other settings.

A library gives values without places, so the text is cut here: tables, keys and strings with their
lines. Strings of mandatory dependency lists are REQUIREMENT regions, all others VALUE; the context
is the path of keys, e.g. `("tool", "uv", "index", "url")`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from rocm_ci.scan import shell, toml_sources, vendor
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
# A line at the left edge that begins a table or a key: what stood open before was never closed.
_BEGINS = re.compile(r"\[\[?[\w.\"'-]+\]\]?\s*(?:#.*)?$|[A-Za-z][\w.-]*\s*=\s*[\[{\"'\d]")
_LISTS = frozenset({"dependencies", "requires", "constraint-dependencies", "override-dependencies"})
_NAMED = frozenset(
    {
        "optional-dependencies",
        "dependency-groups",
        "extras",
        "feature",
        "group",
        "environments",
        "envs",
        "target",
    }
)
_SCRIPTS = frozenset(
    {"before-all", "before-build", "before-test", "test-command", "repair-wheel-command", "cmd", "shell"}
)
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
        reader = _Reader(source, outer)
        found = [r for number, line in enumerate(source.lines, 1) for r in reader.line(number, line)]
        notes = (f"a bracket of line {reader.unclosed} is not closed",) if reader.unclosed else ()
        return Parsed(source, tuple(found), notes=notes)


class _Reader:
    """Reads a file line by line; `unclosed` is the line where a bracket opened that nothing closes."""

    def __init__(self, source: Source, outer: Guard) -> None:
        self.unclosed = 0
        self._text = source.text
        self._sources = toml_sources.guards(source.lines)
        self._outer = outer
        self._inside = outer  # with the condition of the open table
        self._table: tuple[str, ...] = ()
        self._key: tuple[str, ...] = ()
        self._depth = 0
        self._opened = 0
        self._skip_until = 0
        self._offset = 0

    def line(self, number: int, line: str) -> Iterator[Region]:
        start, self._offset = self._offset, self._offset + len(line) + 1
        if start < self._skip_until:
            return
        if self._depth > 0 and _BEGINS.match(line):
            self.unclosed, self._depth = self._opened, 0
        if self._depth <= 0 and (head := _TABLE.match(line)):
            self._table, self._key, self._depth = _path(head[1]), (), 0
            self._inside = vendor.both(self._outer, self._sources.get(number, Guard.NONE))
            return
        position = 0
        if self._depth <= 0 and (named := _KEY.match(line)):
            self._key, position, self._depth = _path(named[1]), named.end(), 0
            self._opened = number
            yield from self._of_key(line, named, number)
        position, self._depth, found, self._skip_until = _strings(
            self._text, start, position, len(line), self._depth
        )
        path = (*self._table, *self._key)
        if self._key[:1] == ("if",) and found:
            self._inside = vendor.both(self._outer, vendor.of(found[0][0]))
        elif self._key and self._key[-1] not in _PROSE:
            for text, at in found:
                yield from _string(text, (number, at), line, self._inside, path)

    def _of_key(self, line: str, named: re.Match[str], number: int) -> Iterator[Region]:
        path = (*self._table, *self._key)
        if _is_named_dependency(path):
            yield _named(line, named, number, self._inside, path)
        if path[-3:-1] == ("cmake", "define"):
            value = line[named.end() :].strip().strip("\"'")
            place = (number, named.start(1) + 1)
            context = (*path[:-1], "command:cmake")
            yield Region(RegionKind.CODE, f"-D{path[-1]}={value}", *place, self._inside, context)


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
    """Extras, groups and environments are opt-in; one that is named after a vendor is for it."""
    for before, name in pairwise(path):
        if before in _NAMED and vendor.of(name) is not Guard.NONE:
            return vendor.both(outer, vendor.of(name))
    if _OPTIONAL & set(path):
        return vendor.both(outer, Guard.EITHER)
    return outer


def _string(
    text: str, place: tuple[int, int], written: str, outer: Guard, path: tuple[str, ...]
) -> Iterator[Region]:
    inline = _INLINE_KEY.search(written[: place[1] - 2])
    context = (*path, inline[1]) if inline else path
    guard = _guard(path, outer)
    if inline is None and (path[-1] in _LISTS or _OPTIONAL & set(path)):
        yield requirement(text, *place, guard, context)
        return
    if inline and re.search(r"\b(marker|markers|extra|optional)\s*=", written):
        guard = vendor.both(guard, Guard.EITHER)
    if path[-1] in _SCRIPTS:
        yield from shell.regions(text, *place, guard=guard, context=context)
    else:
        yield Region(RegionKind.VALUE, text, *place, guard, context)


def _is_named_dependency(path: tuple[str, ...]) -> bool:
    """`[tool.poetry.dependencies] cupy-cuda12x = "^13"`: the key is the requirement."""
    return len(path) >= 2 and path[-2] in (
        "dependencies",
        "pypi-dependencies",
        "packages",
        "host-dependencies",
        "build-dependencies",
        "system-requirements",
    )


def _named(line: str, named: re.Match[str], number: int, outer: Guard, path: tuple[str, ...]) -> Region:
    guard = _guard(path, outer)
    if re.search(r"\b(optional\s*=\s*true|extra\s*=|markers?\s*=.*extra)", line):
        guard = vendor.both(guard, Guard.EITHER)
    return requirement(path[-1], number, named.start(1) + 1, guard, path[:-1])


LANGUAGE: Language = Toml()
