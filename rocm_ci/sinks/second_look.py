"""What our own scanner finds in the diff that GitHub shows: the trusted plane's word on a stranger's report.

A report may claim any repair. Here the added lines are scanned again, as text, with the shipped rules
only; nothing of the change is checked out or run. The hunks are all there is of a file: what needs more
of it to be seen is not found here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.config.options import ScanOptions
from rocm_ci.github.hunks import hunks
from rocm_ci.model.changes import ChangeKind, Changes, FileChange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rocm_ci.config.options import Level
    from rocm_ci.github.hunks import Hunk
    from rocm_ci.github.review import ChangedFile
    from rocm_ci.model.finding import Finding

MOST_FILES = 200
MOST_LINES = 200_000  # a file's hunk behind that many lines is not looked at
MOST_BYTES = 20_000_000
# A rule about some targets only is tried, too: whether it holds was for the run to decide.
ARCHS = ("gfx90a", "gfx942", "gfx1100")


class Diff:
    """The changed files of a pull request. Of each that it is asked for, the hunks."""

    def __init__(self, files: Iterable[ChangedFile]) -> None:
        self._files = {one.path: one for one in files if one.status != "removed"}
        self._hunks: dict[str, tuple[Hunk, ...]] = {}

    def hunks(self, path: str) -> tuple[Hunk, ...]:
        """The hunks of a file; none where GitHub shows none."""
        if path not in self._hunks:
            changed = self._files.get(path)
            self._hunks[path] = hunks(changed.patch) if changed is not None else ()
        return self._hunks[path]

    def has(self, path: str) -> bool:
        """Whether the change leaves a file of this name."""
        return path in self._files

    def is_shown(self, path: str) -> bool:
        """Whether all that the change adds to a file can be seen: GitHub gives no patch for a large one."""
        return path not in self._files or bool(self.hunks(path))


def found(diff: Diff, paths: Collection[str], levels: Mapping[str, Level]) -> tuple[Finding, ...]:
    """The findings on the added lines of some files. `levels` turn rules on that are off by default."""
    from rocm_ci.scan.engine import scan  # noqa: PLC0415 - 70 ms, and most reports suggest nothing
    from rocm_ci.scan.rulebook import RuleBook, shipped  # noqa: PLC0415 - the same

    tree = _Tree()
    changes = []
    for path in sorted(paths)[:MOST_FILES]:
        shown = [hunk for hunk in diff.hunks(path) if hunk.last <= MOST_LINES]
        if shown and tree.take(path, shown):
            added = _ranges(sorted(n for hunk in shown for n in hunk.added))
            changes.append(FileChange(path=path, kind=ChangeKind.MODIFIED, added=added))
    if not changes:
        return ()
    options = ScanOptions(rules=dict(levels))
    return scan(tree, Changes(files=tuple(changes)), options, ARCHS, book=RuleBook(shipped())).findings


class _Tree:
    """Files of which only some lines are known; the others are empty, so that the numbers are right."""

    def __init__(self) -> None:
        self._content: dict[str, bytes] = {}
        self._size = 0

    def take(self, path: str, shown: Sequence[Hunk]) -> bool:
        lines: list[str] = []
        for hunk in shown:
            lines += [""] * (hunk.first - 1 - len(lines))
            lines += hunk.lines
        data = ("\n".join(lines) + "\n").encode("utf-8", "replace")
        self._size += len(data)
        if self._size > MOST_BYTES:
            return False
        self._content[path] = data
        return True

    def read(self, path: str) -> bytes | None:
        """See `scan.files.FileSource`."""
        return self._content.get(path)


def _ranges(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Sorted line numbers as inclusive ranges."""
    made: list[tuple[int, int]] = []
    for number in numbers:
        if made and made[-1][1] == number - 1:
            made[-1] = (made[-1][0], number)
        else:
            made.append((number, number))
    return tuple(made)
