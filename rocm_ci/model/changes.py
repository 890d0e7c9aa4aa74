"""The lines a change adds."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen


class ChangeKind(enum.Enum):
    """What happened to a file."""

    ADDED = "added"
    MODIFIED = "modified"
    RENAMED = "renamed"
    DELETED = "deleted"


class FileChange(Frozen, frozen=True, kw_only=True):
    """One file of the diff. `added` holds 1-based inclusive line ranges of the new side.

    An ADDED file without ranges counts whole: git does not know it yet, or the tree is scanned.
    """

    path: str
    kind: ChangeKind
    old_path: str | None = None
    added: tuple[tuple[int, int], ...] = ()
    is_binary: bool = False
    is_submodule: bool = False
    is_symlink: bool = False


class Changes(Frozen, frozen=True, kw_only=True):
    """The diff between the merge base and the head. `whole_tree` means: every line counts."""

    files: tuple[FileChange, ...] = ()
    whole_tree: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths on the new side, deleted files left out."""
        return tuple(f.path for f in self.files if f.kind is not ChangeKind.DELETED)
