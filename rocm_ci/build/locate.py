"""Where a path that a build tool printed lies in the checkout."""

from __future__ import annotations

import contextlib
import os.path
import re
from pathlib import Path

from rocm_ci.build import walk
from rocm_ci.build.symbols import SUFFIXES

_DIRECTORY = re.compile(r"(?:Entering|Leaving) directory [`'‘](?P<path>[^'’]+)['’]")
_MAX_KNOWN = 10_000
_MAX_PATH = 1000
_MAX_FOLDERS = 64
# pip builds in a copy of the project below the temporary folder.
_COPY = re.compile(r"/(?:pip-[\w-]+|build-via-sdist-\w+|tmp\w+)/")


class Locator:
    """Knows the checkout and the folder in which make or ninja currently works."""

    def __init__(self, root: Path) -> None:
        self._roots = tuple(dict.fromkeys((root.absolute(), root.resolve())))
        self._folders: list[Path] = []
        self._known: dict[str, str | None] = {}
        self._stems: dict[str, list[str]] | None = None

    def note_folder(self, line: str) -> None:
        """Follow `make[1]: Entering directory '…'` and its end."""
        found = _DIRECTORY.search(line)
        if found is None:
            return
        if "Leaving" in line:
            self._folders = self._folders[:-1]
        elif len(self._folders) < _MAX_FOLDERS:
            self._folders.append(self._roots[0] / found["path"])
        self._known.clear()

    def inside(self, raw: str) -> str | None:
        """`raw` relative to the checkout, with `/`; None when it names no file of it."""
        if raw not in self._known:
            if len(self._known) > _MAX_KNOWN:
                self._known.clear()
            self._known[raw] = self._inside(raw) if len(raw) <= _MAX_PATH and "\0" not in raw else None
        return self._known[raw]

    def shown(self, raw: str) -> str | None:
        """The best name to show: relative inside the checkout, else as printed; None for `<built-in>`."""
        return self.inside(raw) or (None if raw.startswith("<") else os.path.normpath(raw))

    @property
    def root(self) -> Path:
        """The top folder of the checkout."""
        return self._roots[0]

    def by_stem(self, stem: str) -> str | None:
        """The only source file of the checkout with that name before its suffix."""
        if self._stems is None:
            self._stems = {}
            for path in walk.files(self.root):
                if path.suffix in SUFFIXES:
                    self._stems.setdefault(path.stem, []).append(path.relative_to(self.root).as_posix())
        found = self._stems.get(stem, [])
        return found[0] if len(found) == 1 else None

    def _inside(self, raw: str) -> str | None:
        if raw.startswith("/"):
            return self._relative(Path(raw)) or self._copied(raw)
        # Tools that work in a build folder print `../src/a.hip`; which folder, not all of them say.
        for base in (*reversed(self._folders), self._roots[0], self._roots[0] / "build"):
            found = self._relative(base / raw)
            if found:
                return found
        bare = re.sub(r"^(?:\.\./)+", "", os.path.normpath(raw))
        return (self._relative(self._roots[0] / bare) if bare != raw else None) or self._named(bare)

    def _named(self, path: str) -> str | None:
        """After `cd src && hipcc a.hip` nobody says which folder it was: a name that is there once tells."""
        found = self.by_stem(Path(path).stem)
        return found if found and found.endswith(f"/{path}") else None

    def _relative(self, path: Path) -> str | None:
        plain = Path(os.path.normpath(path))
        with contextlib.suppress(OSError):
            for root in self._roots:
                if plain.is_relative_to(root) and plain.is_file():
                    return plain.relative_to(root).as_posix()
        return None

    def _copied(self, raw: str) -> str | None:
        found = _COPY.search(raw)
        if found is None:
            return None
        parts = raw[found.end() :].split("/")
        candidates = ("/".join(parts[skip:]) for skip in range(min(len(parts), 4)))
        return next((c for c in candidates if self._relative(self._roots[0] / c)), None)
