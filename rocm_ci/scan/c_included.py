"""What the headers beside a C file define a name to be."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    found: set[int] = set()
    queue = [(source.path, source.text.encode("utf-8", "surrogateescape"))]
    seen = {source.path}
    while queue and len(seen) < _MOST_HEADERS:
        path, data = queue.pop(0)
        if path != source.path:
            found |= {int(one[1] or one[2]) for one in pattern.finditer(data)}
        for header in _QUOTED.findall(data):
            target = _read(source, path, header.decode("utf-8", "replace"))
            if target is not None and target[0] not in seen:
                seen.add(target[0])
                queue.append(target)
    return found


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
