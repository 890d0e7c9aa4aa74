"""The paths of a tree, listed once when first asked for."""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import TYPE_CHECKING

from rocm_ci.scan import trees
from rocm_ci.scan.files import Lists

if TYPE_CHECKING:
    from rocm_ci.scan.files import FileSource

_MOST_PATHS = 100_000
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv", "build", "dist", "_deps", "CMakeFiles"})


class Inventory:
    """What files there are. Trees of other projects, hidden folders and build outputs are left out."""

    def __init__(self, source: FileSource) -> None:
        self._source = source
        self.names = cache(self._names)
        self._paths: tuple[str, ...] | None = None
        self._own = trees.OwnFolders(source.read)
        self.is_complete = isinstance(source, Lists)

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths, those nearer to the root first; not all of a tree beyond any measure."""
        if self._paths is None:
            self._paths = self._walked()
        return self._paths

    def exists(self, path: str) -> bool:
        """Whether there is a file of this path, or a folder of one with a slash at its end."""
        folder, _, name = path.rstrip("/").rpartition("/")
        return name + "/" * path.endswith("/") in self.names(folder)

    def _names(self, folder: str) -> frozenset[str]:
        return frozenset(self._source.names(folder)) if isinstance(self._source, Lists) else frozenset()

    def _is_foreign(self, start: str, name: str) -> bool:
        return trees.is_vendored(f"{name}x") and not self._own.holds(start + name[:-1])

    def _walked(self) -> tuple[str, ...]:
        found: list[str] = []
        queue = deque([""])
        while queue:
            folder = queue.popleft()
            start = f"{folder}/" if folder else ""
            for name in sorted(self.names(folder)):
                if not name.endswith("/"):
                    found.append(start + name)
                elif not (name.startswith(".") or name[:-1] in _PASSED_OVER or self._is_foreign(start, name)):
                    queue.append(start + name[:-1])
            if len(found) > _MOST_PATHS:
                self.is_complete = False
                break
        return tuple(found)
