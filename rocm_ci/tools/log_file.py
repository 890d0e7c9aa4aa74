"""The file that a command's output goes into. A full disk costs lines of it, never the command."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING, BinaryIO

from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

# As much as a file system gives and takes at once: so much of the log is given up for a note at its end.
_BLOCK = 4096


class LogFile:
    """`problem` says what is missing of it, and why (`met_full_disk`: for want of space); else empty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self.met_full_disk = False
        self._why = ""
        self._lost = 0
        self._size = 0
        self._file: BinaryIO | None = None
        try:
            self._file = file.create(path)
        except OSError as error:
            self._fail(error)

    def write(self, data: bytes) -> int:
        """All of it, or as much as there is room for. Never raises."""
        if self._file is not None:
            if self._lost and not self._noted():
                self._lost += len(data)
            else:
                self._lost += len(data) - self._written(data)
        return len(data)

    def close(self) -> None:
        """Say what is missing at the end, in place of the last lines if there is no other room."""
        if self._file is None:
            return
        if self._lost and not self._noted():
            given = min(_BLOCK, self._size)
            with contextlib.suppress(OSError):
                self._cut(self._size - given)
                self._lost += given
                self._noted()
        with contextlib.suppress(OSError):
            self._file.close()
        self._file = None

    def _noted(self) -> bool:
        """The gap is told where it is: whole or not at all."""
        note = f"\n[{self._lost} bytes are missing here: {self._why}]\n".encode()
        before = self._size
        if self._written(note) < len(note):
            with contextlib.suppress(OSError):
                self._cut(before)
            return False
        self._lost = 0
        return True

    def _cut(self, size: int) -> None:
        assert self._file is not None  # noqa: S101 - asked before
        os.ftruncate(self._file.fileno(), size)
        self._size = os.lseek(self._file.fileno(), size, os.SEEK_SET)

    def _written(self, data: bytes) -> int:
        # Past the buffer, which would raise once more when it is closed.
        assert self._file is not None  # noqa: S101 - asked before
        done = 0
        try:
            while done < len(data):
                done += os.write(self._file.fileno(), memoryview(data)[done:])
        except OSError as error:
            self._fail(error)
        self._size += done
        return done

    def _fail(self, error: OSError) -> None:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        self.met_full_disk |= full
        self._why = "the disk was full" if full else str(error.strerror or error)
        if not self.problem:
            what = "no space was left for all of it" if full else self._why
            self.problem = f"the log {self.path.name} is not whole: {what}"
