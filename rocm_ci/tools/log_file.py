"""The file that a command's output goes into. A full disk costs lines of it, never the command."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING, BinaryIO

from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path


class LogFile:
    """`problem` says what is missing of it, and why; empty when it is whole."""

    def __init__(self, path: Path) -> None:
        self.problem = ""
        self._path = path
        self._lost = 0
        self._file: BinaryIO | None = None
        try:
            self._file = file.create(path)
        except OSError as error:
            self._fail(error)

    def write(self, data: bytes) -> int:
        """All of it, or as much as there is room for. Never raises."""
        if self._file is None:
            return len(data)
        if self._lost:
            note = f"\n[{self._lost} bytes are missing here: the disk was full]\n".encode()
            if self._written(note) < len(note):
                self._lost += len(data)
                return len(data)
            self._lost = 0
        self._lost += len(data) - self._written(data)
        return len(data)

    def close(self) -> None:
        """Say what is missing at the end, if there is room for that."""
        if self._file is None:
            return
        if self._lost:
            self._written(f"\n[{self._lost} bytes are missing here: the disk was full]\n".encode())
        with contextlib.suppress(OSError):
            self._file.close()
        self._file = None

    def _written(self, data: bytes) -> int:
        # Past the buffer, which would raise once more when it is closed.
        assert self._file is not None  # noqa: S101 - asked before
        view, done = memoryview(data), 0
        try:
            while done < len(view):
                done += os.write(self._file.fileno(), view[done:])
        except OSError as error:
            self._fail(error)
        return done

    def _fail(self, error: OSError) -> None:
        if not self.problem:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            what = "no space was left for all of it" if full else str(error.strerror or error)
            self.problem = f"the log {self._path.name} is not whole: {what}"
