"""Replacing the content of a file of a hostile tree: whole or not at all, and never through a link."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class RefusedError(Exception):
    """A file was left as it is; the text says why, without its name."""


def rewrite(root: Path, path: str, old: bytes, new: bytes) -> None:
    """Write `new` to `path` below `root`, whose content must still be `old`.

    The mode stays. Raises `RefusedError`, and nothing is changed then.
    """
    with _refusing(), _folder(root, path) as (folder, name):
        mode = _checked(folder, name, old)
        half = f".{name[:200]}.rocm-ci-part"
        handle = os.open(
            half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(new)
                file.flush()
                os.fchmod(handle, mode)
                os.fsync(handle)
            # Somebody may have saved the file while we wrote.
            _checked(folder, name, old)
            os.replace(half, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(half, dir_fd=folder)
            raise


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RefusedError((error.strerror or str(error)).lower()) from error


@contextlib.contextmanager
def _folder(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """(the folder of a path, opened step by step so that no link is followed; the name in it)."""
    *parents, name = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in (*parents, name)):
        message = "its path leaves the project"
        raise RefusedError(message)
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parents:
            below = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        yield folder, name
    finally:
        os.close(folder)


def _checked(folder: int, name: str, old: bytes) -> int:
    """The mode of the file, when it is a plain one that may be written and holds `old`."""
    handle = os.open(name, _FILE, dir_fd=folder)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            message = "it is no plain file"
            raise RefusedError(message)
        if not status.st_mode & 0o222:
            message = "it is read-only"
            raise RefusedError(message)
        with os.fdopen(handle, "rb", closefd=False) as file:
            if file.read(len(old) + 1) != old:
                message = "it changed since it was read"
                raise RefusedError(message)
        return stat.S_IMODE(status.st_mode)
    finally:
        os.close(handle)
