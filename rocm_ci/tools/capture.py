"""A short command's two streams, read apart and never beyond a bound."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from typing import IO

_CHUNK = 65_536
_LOOK_MS = 50
# What an ended child had written is in the pipe already; who holds it open after that is not waited for.
_REST_S = 0.5
_MOST_REST_S = 5.0


class Reading:
    """What a child wrote, at most `limit` bytes of each stream. `is_over` when there was more."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: bytes, limit: int) -> None:
        self._child = child
        self._limit = limit
        self._kept: dict[int, bytearray] = {}
        self._poll = select.poll()
        self._stdin = memoryview(stdin)
        self.is_over = False
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                self._kept[pipe.fileno()] = bytearray()
                self._watch(pipe, select.POLLIN)
        if child.stdin is not None:
            if stdin:
                self._watch(child.stdin, select.POLLOUT)
            else:
                child.stdin.close()
        self._open = set(self._kept)

    def _watch(self, pipe: IO[bytes], what: int) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._poll.register(pipe.fileno(), what)

    def until(self, deadline: float, *, ends_when_over: bool) -> bool:
        """Read until the child and its output have ended; False when the time was up before."""
        ended = heard = None
        while self._open or self._child.poll() is None:
            now = time.monotonic()
            if now >= deadline:
                return False
            if ends_when_over and self.is_over:
                return True
            has_read = self._step(min(_LOOK_MS, (deadline - now) * 1000))
            if self._child.poll() is not None:
                ended = ended or now
                heard = now if has_read else heard or now
                if now - heard > _REST_S or now - ended > _MOST_REST_S:
                    return True
        return True

    def _step(self, within_ms: float) -> bool:
        """One look at all pipes; whether anything came."""
        if not self._open and not self._stdin:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(within_ms / 1000)
            return False
        has_read = False
        for pipe, _ in self._poll.poll(within_ms):
            if pipe in self._kept:
                has_read = self._take(pipe) or has_read
            else:
                self._give()
        return has_read

    def _take(self, pipe: int) -> bool:
        try:
            piece = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return False
        if not piece:
            self._poll.unregister(pipe)
            self._open.discard(pipe)
            return False
        room = self._limit - len(self._kept[pipe])
        self._kept[pipe] += piece[: max(room, 0)]
        self.is_over = self.is_over or len(piece) > room
        return True

    def _give(self) -> None:
        assert self._child.stdin is not None  # noqa: S101 - registered only where it is there
        pipe = self._child.stdin.fileno()
        try:
            self._stdin = self._stdin[os.write(pipe, self._stdin[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads it; that is the command's right
            self._stdin = self._stdin[:0]
        if not self._stdin:
            self._poll.unregister(pipe)
            with contextlib.suppress(OSError):
                self._child.stdin.close()

    def of(self, pipe: IO[bytes] | None) -> bytes:
        """What came through this pipe."""
        return bytes(self._kept[pipe.fileno()]) if pipe is not None else b""
