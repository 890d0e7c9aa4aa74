"""Which files a build made: those its globs name, or those that are new."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from rocm_ci.build import walk
from rocm_ci.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

MAX_MATCHES = 10_000


def matching(root: Path, patterns: tuple[str, ...], *, option: str) -> tuple[list[Path], list[str]]:
    """Files that the globs match, and the globs that match none. Nothing outside of `root` counts."""
    files: dict[Path, None] = {}
    empty = []
    top = root.resolve()
    for pattern in patterns:
        if pattern.startswith("/") or ".." in pattern.split("/") or not pattern.strip():
            message = f"{option}: artifacts: {pattern!r} must stay inside the checkout"
            raise ConfigError(message, hint="write a glob relative to the checkout, like build/*.so")
        try:
            found = [p for p in itertools.islice(root.glob(pattern), MAX_MATCHES) if _is_ours(p, top)]
        except (ValueError, OSError) as error:
            message = f"{option}: artifacts: {pattern!r} is not a glob: {error}"
            raise ConfigError(message, hint="write a glob like build/*.so or build/**/*.so") from error
        if not found:
            empty.append(pattern)
        files |= dict.fromkeys(sorted(found))
    return list(files), empty


def fresh(root: Path, since_ns: int, *, skip: Collection[Path] = ()) -> list[Path]:
    """Files below `root` that were written after `since_ns` (modification time in nanoseconds)."""
    return [p for p in walk.files(root, vendored=True, skip=skip) if _written_ns(p) >= since_ns]


def _written_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return -1


def _is_ours(path: Path, top: Path) -> bool:
    try:
        return path.is_file() and path.resolve().is_relative_to(top)
    except (OSError, RuntimeError):
        return False
