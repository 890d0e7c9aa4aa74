"""Files of a tree that are copies of another one: what is wrong with both is told once."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.scan.files import FileSource

_LEAST_BYTES = 1_000  # smaller ones may well be the same by chance
_MOST_COMPARED = 20


class Copies:
    """Finds the first of several files with the same name and the same content."""

    def __init__(self, source: FileSource, paths: Iterable[str]) -> None:
        self._read = source.read
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            self._by_name.setdefault(posixpath.basename(path), []).append(path)

    def first(self, path: str) -> str | None:
        """The path of which a file is a copy; None for the first one, and for one of its own."""
        same_name = self._by_name.get(posixpath.basename(path), [])
        if len(same_name) < 2 or same_name[0] == path:
            return None
        data = self._read(path)
        if data is None or len(data) < _LEAST_BYTES:
            return None
        before = same_name[: same_name.index(path)][:_MOST_COMPARED]
        return next((other for other in before if self._read(other) == data), None)
