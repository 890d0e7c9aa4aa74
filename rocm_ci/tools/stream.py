"""One text stream that several threads write to: whole lines, a fence, a group, a line that is rewritten.

The fence holds while anybody is inside it. A command of ours opens it, passes and closes it anew in one
piece under the lock; what children print comes through the same lock, so that none of it can be in between.
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.tools.mask import Mask

_WIDTH = 100
_CLEAR = "\r\033[K"


class Stream:
    """`fence` makes a fresh pair: the line that stops commands, and the one that lets them pass again."""

    def __init__(self, target: TextIO, fence: Callable[[], tuple[str, str]]) -> None:
        self.mask: Mask | None = None
        self._target = target
        self._fence = fence
        self._lock = threading.RLock()
        self._inside = 0
        self._resumes: list[str] = []
        self._has_group = False
        self._status = ""
        self._has_status = False  # on the screen

    @property
    def is_fenced(self) -> bool:
        """Whether anybody is inside the fence."""
        return self._inside > 0

    def line(self, *lines: str) -> None:
        """Whole lines, together."""
        with self._lock:
            self._write([self._masked(line) for line in lines])

    def command(self, line: str) -> None:
        """A line that must be obeyed: it gets through the fence."""
        with self._lock:
            self._through(self._masked(line))

    def status(self, text: str) -> None:
        """What stands below the last line from now on, until that is rewritten; empty for nothing."""
        with self._lock:
            self._status = self._masked(text)
            self._write([])

    def close_fence(self) -> None:
        """One more is inside."""
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._shut([])

    def open_fence(self) -> None:
        """One is out again."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._write(self._resumes)
                self._resumes = []

    def open_group(self, line: str) -> bool:
        """Begin a group, unless there is one already."""
        with self._lock:
            if self._has_group:
                return False
            self._has_group = True
            self._through(self._masked(line))
            return True

    def close_group(self, line: str) -> None:
        """End the group."""
        with self._lock:
            self._has_group = False
            self._through(line)

    def _through(self, line: str) -> None:
        if not self._inside:
            self._write([line])
            return
        self._shut([*self._resumes, line])

    def _shut(self, before: list[str]) -> None:
        # A signal may interrupt us between any two of these steps: until it is certain which of the words is
        # the right one, all of them are kept. A wrong one is just text.
        stop, resume = self._fence()
        self._resumes = [*self._resumes, resume]
        self._write([*before, stop])
        self._resumes = [resume]

    def _masked(self, text: str) -> str:
        return self.mask.text(text) if self.mask else text

    def _write(self, lines: list[str]) -> None:
        """In one piece: another process may write to the same file."""
        text = "".join(f"{line}\n" for line in lines)
        if self._status or self._has_status:
            text = f"{_CLEAR}{text}{self._status[: self._width() - 1]}"
            self._has_status = bool(self._status)
        self._target.write(text)
        self._target.flush()

    def _width(self) -> int:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return os.get_terminal_size(self._target.fileno()).columns or _WIDTH
        return _WIDTH
