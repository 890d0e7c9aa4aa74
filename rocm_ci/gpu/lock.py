"""Locks of devices that all runs of a host share: the kernel's own, so that a dead holder holds nothing.

A lock is `flock` on an empty file. It is opened for reading only: that works in a read-only mount, and on
another user's file. Its content says nothing; who holds it stands beside it (`rocm_ci.gpu.holder_note`).
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import os
import stat
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TRIES = 16


class Mode(enum.Enum):
    """How a lock is held: by one alone, or by any number that share it."""

    ALONE = fcntl.LOCK_EX
    SHARED = fcntl.LOCK_SH


class Lock:
    """One that is held. `release` may be called twice."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor
        self._guard = threading.Lock()

    def hand_on(self) -> None:
        """Let the programs that we become or start hold it, too: then it ends with the last of them."""
        with self._guard:
            if self._descriptor is not None:
                os.set_inheritable(self._descriptor, True)  # noqa: FBT003 - the standard library's signature

    def release(self) -> None:
        """Let go, also of what a child that was forked this moment may still have open."""
        with self._guard:
            descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            with contextlib.suppress(OSError):
                os.close(descriptor)


def take(path: Path, mode: Mode) -> Lock | None:
    """The lock, or None when somebody else has it. Never waits. Raises OSError when it cannot be tried."""
    for _ in range(_TRIES):
        # Python opens with O_CLOEXEC: no program that we start inherits the lock.
        descriptor = _opened(path)
        try:
            fcntl.flock(descriptor, mode.value | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            os.close(descriptor)
            raise
        if _is_still(path, descriptor):
            return Lock(descriptor)
        # Somebody cleaned up between the two: what we hold has no name any more.
        os.close(descriptor)
    message = "it is replaced all the time"
    raise OSError(message)


def _opened(path: Path) -> int:
    """The file, made when it is not there. Neither a link nor a pipe is opened, nor is one waited for.

    O_CREAT stands only beside O_EXCL: with `fs.protected_regular` the kernel refuses it on another user's
    file in a folder that all may write, even to root.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    for _ in range(_TRIES):
        try:
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            try:
                descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                continue
            with contextlib.suppress(OSError):
                os.fchmod(descriptor, 0o644)  # whatever our umask is, other users must be able to lock it
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            message = "it is no regular file"
            raise OSError(message)
        return descriptor
    message = "it comes and goes"
    raise OSError(message)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        return False
