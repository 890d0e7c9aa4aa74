"""Where the includes of a project lead, in both directions."""

from __future__ import annotations

import posixpath
from collections import deque
from functools import cache
from typing import TYPE_CHECKING

from rocm_ci.scan import trees
from rocm_ci.scan.files import Lists, utf8
from rocm_ci.scan.includes import NOTHING, SUFFIXES, Facts, Include, facts, includes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rocm_ci.scan.files import FileSource

_INCLUDE_FOLDERS = ("", "include", "src", "csrc", "inc")
_SYSTEM = ("/", "hip/", "torch/", "ATen/", "c10/", "cuda/std/", "thrust/", "cub/")
_NEVER_INCLUDED = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".hip"})
_INCLUDING = SUFFIXES | {".pyx", ".pxd", ".pxi"}
_MOST_FILES = 2_500
_MOST_BYTES = 20_000_000
_NO_SOURCES = frozenset(
    {"docs", "doc", ".git", ".github", "node_modules", "__pycache__", "build", ".venv", "venv"}
)


class Headers:
    """The include graph of a project, read piece by piece. `folders` gives the -I folders for a file.

    `names` gives the names in a folder, those of folders with a slash at the end.
    """

    def __init__(
        self,
        source: FileSource,
        folders: Callable[[str], tuple[str, ...]],
        names: Callable[[str], frozenset[str]],
    ) -> None:
        self._source = source
        self._lists = isinstance(source, Lists)
        self._folders = folders
        self._own = trees.OwnFolders(source.read)
        self.facts = cache(self._facts)
        self._names = names
        self.exists = cache(self._exists)
        self.resolve = cache(self._resolve)
        self._index: dict[str, list[tuple[str, Include]]] | None = None
        self.is_complete = False  # whether every file that may include another one was read

    def text(self, path: str) -> bytes:
        """The bytes of a file as UTF-8, empty when there is none."""
        return utf8(self._source.read(path) or b"")

    def _facts(self, path: str) -> Facts:
        data = self.text(path)
        return facts(data) if data else NOTHING

    def _exists(self, path: str) -> bool:
        if self._lists:
            folder, name = posixpath.split(path)
            return name in self._names(folder)
        return self._source.read(path) is not None

    def _resolve(self, path: str, header: str, *, in_quotes: bool = True) -> str | None:
        """The file of the project that an include in a file names, if any."""
        return next((c for c in self._candidates(path, header, in_quotes) if self.exists(c)), None)

    def _candidates(self, path: str, header: str, in_quotes: bool) -> Iterator[str]:  # noqa: FBT001
        """Where an included project header may lie, the likeliest place first."""
        if header.startswith("/") or len(header) > 500 or "\0" in header:
            return
        places: list[str] = []
        folder = posixpath.dirname(path)
        if in_quotes:
            places.append(folder)
        places += self._folders(path)
        # No build file is understood wholly: a header named with some folder is looked for further up, too.
        if not header.startswith(_SYSTEM) and "." in header and (in_quotes or "/" in header):
            while folder:
                folder = posixpath.dirname(folder)
                places += [folder, posixpath.join(folder, "include")]
            places += _INCLUDE_FOLDERS
        for place in dict.fromkeys(places):
            candidate = posixpath.normpath(posixpath.join(place, header))
            if not candidate.startswith("../"):
                yield candidate

    def includers(self, path: str) -> list[tuple[str, Include]]:
        """The files of the project that include a header, and where; only those that could be found."""
        if posixpath.splitext(path)[1].lower() in _NEVER_INCLUDED:
            return []
        if self._index is None:
            self._index = {}
            self._read_all()
        found = self._index.get(posixpath.basename(path), ())
        return [
            (other, one)
            for other, one in found
            if other != path and self.resolve(other, one.header, in_quotes=one.in_quotes) == path
        ]

    def _read_all(self) -> None:
        """Read the include directives of the C-family and Cython files of the tree, as many as is quick."""
        assert self._index is not None  # noqa: S101 - made just before
        bytes_left = _MOST_BYTES
        for count, path in enumerate(self._sources()):
            if count >= _MOST_FILES or bytes_left <= 0:
                return
            data = self.text(path)
            bytes_left -= len(data)
            if b"include" in data or b"cdef extern" in data:
                for one in includes_of(data):
                    self._index.setdefault(posixpath.basename(one.header), []).append((path, one))
        self.is_complete = self._lists

    def _sources(self) -> Iterable[str]:
        if not self._lists:
            return
        queue = deque([""])
        while queue:
            folder = queue.popleft()
            for name in sorted(self._names(folder)):
                path = f"{folder}/{name}" if folder else name
                if name.endswith("/"):
                    plain = name.rstrip("/")
                    own = plain.lower() not in trees.VENDORED or self._own.holds(path.rstrip("/"))
                    if plain not in _NO_SOURCES and own:
                        queue.append(path.rstrip("/"))
                elif posixpath.splitext(name)[1].lower() in _INCLUDING:
                    yield path
