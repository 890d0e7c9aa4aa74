"""The tree as it will be committed: what the index of git holds."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci.scan.files import MAX_BYTES

if TYPE_CHECKING:
    from rocm_ci.scan.files import Folder
    from rocm_ci.tools.git import Git


class Staged:
    """Reads from disk what is the same there, and from the index what is not."""

    def __init__(self, git: Git, folder: Folder) -> None:
        self._git = git
        self._folder = folder

    @cached_property
    def _differing(self) -> frozenset[str]:
        return frozenset(self._git.unstaged())

    def read(self, path: str) -> bytes | None:
        """See `FileSource`."""
        if path not in self._differing:
            return self._folder.read(path)
        data = self._git.show("", path)
        return data if data is not None and len(data) <= MAX_BYTES else None

    def refusal(self, path: str) -> str:
        """See `Explains`."""
        return self._folder.refusal(path) if path not in self._differing else "it is not in the index"

    def names(self, folder: str) -> tuple[str, ...]:
        """See `Lists`."""
        return self._folder.names(folder)
