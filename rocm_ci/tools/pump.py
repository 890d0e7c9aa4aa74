"""A child's output on its way to the log: copied, cut, told line by line."""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from rocm_ci.tools.tree import GRACE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.tools.mask import Sink

TAIL_LINES = 200
MAX_LINE = 16_384
# A command that never stops talking must not fill the runner's disk.
MAX_LOG = 500_000_000
_CHUNK = 65_536
_LOOK_MS = 100


class Pump(threading.Thread):
    """Copies a child's output to a file, keeps the tail, tells each line to a listener.

    `error` is what the listener raised; it hears nothing more, but a child's pipe is read to its end.
    """

    def __init__(self, source: int, sink: Sink, on_line: Callable[[str], None] | None) -> None:
        super().__init__(daemon=True)
        self._source = source
        self._sink = sink
        self._written = 0
        self._on_line = on_line
        self._until = float("inf")
        self.heard = time.monotonic()
        self.error: Exception | None = None
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)

    def finish(self) -> None:
        """Take what is still in the pipe, then stop, even if somebody keeps the pipe open."""
        self._until = time.monotonic() + GRACE_S
        self.join()

    def run(self) -> None:
        """Until the pipe closes. A line longer than `MAX_LINE` is told in pieces."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        rest = b""
        while time.monotonic() < self._until:
            if not poll.poll(_LOOK_MS):
                if self._until < float("inf"):
                    break
                continue
            chunk = os.read(self._source, _CHUNK)
            if not chunk:
                break
            self.heard = time.monotonic()
            self._keep(chunk)
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                self._tell(line)
            if len(rest) > MAX_LINE:
                self._tell(rest)
                rest = b""
        if rest:
            self._tell(rest)

    def _keep(self, chunk: bytes) -> None:
        room = MAX_LOG - self._written
        self._written += len(chunk)
        if room > 0:
            self._sink.write(chunk[:room])
        if 0 <= room < len(chunk):
            self._sink.write(f"\n[the log ends here: over {MAX_LOG} bytes]\n".encode())

    def _tell(self, raw: bytes) -> None:
        for at in range(0, len(raw) or 1, MAX_LINE):
            line = raw[at : at + MAX_LINE].decode("utf-8", "replace").rstrip("\r")
            self.tail.append(line)
            if self._on_line is not None and self.error is None:
                try:
                    self._on_line(line)
                except Exception as error:  # noqa: BLE001 - the caller's own; it is raised where it called us
                    self.error = error
