"""A tree in memory for scan tests, and short ways to scan it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook, shipped
from rocm_ci.scan.scanned import Scanned

if TYPE_CHECKING:
    from collections.abc import Mapping

BOOK = RuleBook(shipped())


@dataclass
class Tree:
    """Files by path; remembers what was read."""

    files: Mapping[str, str | bytes]
    asked: list[str] = field(default_factory=list)

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        content = self.files.get(path)
        return content.encode() if isinstance(content, str) else content

    def names(self, folder: str) -> tuple[str, ...]:
        start = f"{folder}/" if folder else ""
        below = (path[len(start) :].partition("/") for path in self.files if path.startswith(start))
        return tuple(sorted({name + slash for name, slash, _ in below}))


def scan_all(
    files: Mapping[str, str | bytes],
    *,
    options: ScanOptions | None = None,
    archs: tuple[str, ...] = ("gfx90a", "gfx942"),
    book: RuleBook = BOOK,
) -> Scanned:
    """Scan every line of every file."""
    return scan(Tree(files), whole_tree(tuple(files)), options or ScanOptions(), archs, book=book)


def added(path: str, *ranges: tuple[int, int]) -> Changes:
    """A change that adds some lines of one file."""
    return Changes(files=(FileChange(path=path, kind=ChangeKind.MODIFIED, added=ranges),))
