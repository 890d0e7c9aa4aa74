"""What a C file and the headers beside it define a name to be."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_source import CFile
    from rocm_ci.scan.source import Source

_QUOTED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_MOST_HEADERS = 30


def included_values(source: Source, file: CFile, name: str) -> set[int]:
    """The numbers that a macro or constant of that name gets in the headers that a file includes.

    Only headers named in quotes are read, from the folder of who includes them or those around it.
    """
    if name in file.defines:
        return set()
    memo = source.memo.setdefault("c-included", {})
    assert isinstance(memo, dict)  # noqa: S101 - nobody else uses this key
    key = (source.path, name)
    if key not in memo:
        memo[key] = _values(source, name)
    values: set[int] = memo[key]
    return values


def _values(source: Source, name: str) -> set[int]:
    pattern = re.compile(
        rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+\(?(\d+)[uU]?\)?\s*(?://|/\*|$)"
        rf"|\bconst(?:expr)?\b[^;=\n]*\b{name}\s*(?:=|\{{)\s*(\d+)[uU]?\s*[;}}]".encode(),
        re.MULTILINE,
    )
    return {int(one[1] or one[2]) for _, data in _headers(source) for one in pattern.finditer(data)}


def drops_first(source: Source, file: CFile, macro: str) -> bool:
    """Whether a function-like macro ignores its first argument wherever AMD gets one of that name.

    `#define SHFL_SYNC(mask, v, lane) __shfl(v, lane)` does.
    """
    memo = source.memo.setdefault("c-dropped", {})
    assert isinstance(memo, dict)  # noqa: S101 - nobody else uses this key
    key = (source.path, macro)
    if key not in memo:
        memo[key] = _drops_first(source, file, macro)
    return memo[key] is True


def _drops_first(source: Source, file: CFile, macro: str) -> bool:
    from rocm_ci.scan.c_source import parse  # noqa: PLC0415 - it is above this module

    found = _first_is_dropped(file, macro)
    for _, data in _headers(source):
        if macro.encode() in data:
            found += _first_is_dropped(parse(data.decode("utf-8", "replace"), source.macros, ())[0], macro)
    return bool(found) and all(found)


def _first_is_dropped(file: CFile, macro: str) -> list[bool]:
    """For every definition of a macro that AMD gets."""
    definition = re.compile(rf"{macro}(?!\w)(?:\(\s*(\w+)[^()]*\))?(.*)", re.DOTALL)
    found = []
    for one in file.directives:
        text = definition.match(one.text) if one.name == "define" and one.guard is not Guard.NVIDIA else None
        if text:
            found.append(bool(text[1]) and re.search(rf"\b{text[1]}\b", text[2]) is None)
    return found


def _headers(source: Source) -> Iterator[tuple[str, bytes]]:
    """(path, content) of the headers that a file includes, and of those that these include."""
    queue = [(source.path, source.text.encode("utf-8", "surrogateescape"))]
    seen = {source.path}
    while queue and len(seen) < _MOST_HEADERS:
        path, data = queue.pop(0)
        if path != source.path:
            yield path, data
        for header in _QUOTED.findall(data):
            target = _read(source, path, header.decode("utf-8", "replace"))
            if target is not None and target[0] not in seen:
                seen.add(target[0])
                queue.append(target)


def _read(source: Source, path: str, header: str) -> tuple[str, bytes] | None:
    folder = posixpath.dirname(path)
    while True:
        candidate = posixpath.normpath(posixpath.join(folder, header))
        data = None if candidate.startswith(("..", "/")) else source.read(candidate)
        if data is not None:
            return candidate, data
        if not folder:
            return None
        folder = posixpath.dirname(folder)
