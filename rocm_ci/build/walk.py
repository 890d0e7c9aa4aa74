"""The files of a checkout: no hidden or vendored folders, no links, and never without end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MAX_FILES = 200_000
_SKIPPED = {"node_modules", "__pycache__", "site-packages", "CMakeFiles"}
_VENDORED = {"third_party", "third-party", "3rdparty", "external", "extern", "vendor", "submodules", "deps"}


def files(
    root: Path, *, vendored: bool = False, skip: Collection[Path] = (), limit: int = MAX_FILES
) -> Iterator[Path]:
    """Regular files below `root`, shallow folders first, names sorted. Symbolic links are not followed."""
    pending, seen = [root], 0
    while pending:
        later: list[Path] = []
        for folder in pending:
            try:
                entries = sorted(os.scandir(folder), key=lambda e: e.name)
            except OSError:
                continue
            for entry in entries:
                if entry.is_symlink():
                    continue
                if entry.is_file(follow_symlinks=False):
                    seen += 1
                    if seen > limit:
                        return
                    yield Path(entry.path)
                elif entry.is_dir(follow_symlinks=False) and _wanted(entry.name, vendored=vendored):
                    path = Path(entry.path)
                    if path not in skip:
                        later.append(path)
        pending = later


def _wanted(name: str, *, vendored: bool) -> bool:
    return not name.startswith(".") and name not in _SKIPPED and (vendored or name not in _VENDORED)
