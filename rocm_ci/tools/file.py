"""Files in a folder that a stranger's code can reach: links are never followed, pipes never waited for."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from typing import TYPE_CHECKING, BinaryIO

from rocm_ci.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """`data` as the whole of `path`, or nothing at all. Whatever stood there is gone. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.part")
    with create(half) as file:
        file.write(data)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    half.replace(path)


def create(path: Path) -> BinaryIO:
    """A new, empty, regular file at `path`, open for writing. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove(path)
    return path.open("xb")


def read(path: Path) -> BinaryIO | None:
    """`path` open for reading; None when it is not there or is no regular file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


def remove(path: Path) -> None:
    """Away with whatever stands there, a folder with all it holds; the target of a link stays."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()


def output_folder(path: Path, root: Path, *, files: Iterable[str], folders: Iterable[str]) -> None:
    """Make the output folder of a run on the checkout `root` ready.

    The checkout may bring this folder along: as a link out of the tree, or with a report of its own
    that would pass for ours if we were killed. So `files` are removed, and `folders` that are none.
    A new folder keeps itself out of git's sight. Raises `UsageError`.
    """
    if root.is_relative_to(path):
        message = f"the output folder {path} holds the checkout itself"
        raise UsageError(message, hint="name a folder of its own, e.g. --output rocm-ci-out")
    for step in (path, *path.parents):
        if step.is_relative_to(root) and step != root and step.is_symlink():
            message = f"the output folder {path} lies behind the symbolic link {step}"
            raise UsageError(message, hint="remove the link from the checkout, or name another --output")
    try:
        is_new = not path.exists()
        path.mkdir(parents=True, exist_ok=True)
        if is_new and path.is_relative_to(root):
            (path / ".gitignore").write_text("*\n", encoding="utf-8")
        for name in files:
            remove(path / name)
            remove(path / f".{name}.part")
        for name in folders:
            if (path / name).is_symlink() or not (path / name).is_dir():
                remove(path / name)
    except OSError as error:
        message = f"the output folder {path} cannot be used: {error.strerror or error}"
        raise UsageError(message, hint="check its permissions, or name another --output") from error
