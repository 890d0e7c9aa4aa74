"""Processor time that one file may take: a slow rule or a hostile file costs a second, not the scan."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType, TracebackType

FILE_S = 2.0
RULE_S = 1.0
PER_MEGABYTE_S = 1.0  # what a large file may take longer
STRIKES = 3  # files in which a rule may run out of time before it is given up for the rest
_TICK_S = 0.05
_GRACE_S = 0.2


class OutOfTime(BaseException):
    """Raised wherever the code is. No `Exception`, so that no parser takes it for broken input."""


class Stopwatch:
    """A context manager around a scan; `start` before each file, `rule` before each rule of it.

    A timer of the process interrupts what runs, regular expressions included: CPython's matcher looks
    for signals. It counts processor time, so a busy machine makes nobody late. Signals reach only the
    main thread: in any other one nothing is limited.
    """

    def __init__(self) -> None:
        self.strikes: Counter[str] = Counter()
        self._file_end = self._rule_end = float("inf")
        self._extra = self._quiet_until = 0.0
        self._armed = False
        self.is_over = False  # whether the time of the whole file was used up, not just that of one rule
        self._before: object = None
        self._depth = 0

    def __enter__(self) -> Stopwatch:
        self._depth += 1
        if self._depth == 1 and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGVTALRM, self._tick)
            signal.setitimer(signal.ITIMER_VIRTUAL, _TICK_S, _TICK_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._armed = False
        self._depth -= 1
        if not self._depth and self._before is not None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, self._before)  # type: ignore[arg-type]
            self._before = None

    def start(self, size: int) -> None:
        """A file of this many bytes is begun."""
        self._extra = size / 1e6 * PER_MEGABYTE_S
        self._file_end = time.process_time() + FILE_S + self._extra
        self._rule_end = float("inf")
        self.is_over = False
        self._armed = True

    def rule(self) -> None:
        """The next rule is tried on the file."""
        self._rule_end = time.process_time() + RULE_S + self._extra
        self._armed = True

    def stop(self) -> None:
        """Nothing is limited until the next `start` or `rule`."""
        self._armed = False

    def _tick(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the signature of a handler
        now = time.process_time()
        if not self._armed or now < self._quiet_until or now < min(self._file_end, self._rule_end):
            return
        # Where the exception is lost (a destructor swallows all), a later tick raises again; whoever
        # catches it has until then to call `stop`.
        self._quiet_until = now + _GRACE_S
        self.is_over = now >= self._file_end
        raise OutOfTime
