"""The line that says what runs where, how much is done and when it should end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.schedule.words import duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.context import Clock
    from rocm_ci.log import Log
    from rocm_ci.schedule.status import Running, Status

# In the log of a workflow no line can be rewritten: one every half minute is enough, and when many short
# tasks come and go, not one for each.
_EVERY_S = 30.0
_APART_S = 5.0
_MAX_SHOWN = 8


class Notices:
    """A `Watcher` that writes what is worth a line to a log, and nothing else."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def tell(self, text: str) -> None:
        """See `Watcher.tell`."""
        self._log.info(text)

    def look(self, status: Callable[[], Status], *, is_change: bool) -> None:
        """See `Watcher.look`."""


class Progress(Notices):
    """The same and where all stands: rewritten in place on a terminal, a line now and then elsewhere."""

    def __init__(self, log: Log, clock: Clock) -> None:
        super().__init__(log)
        self._clock = clock
        self._told_at: float | None = None
        self._told = ""
        self._is_news = False

    def look(self, status: Callable[[], Status], *, is_change: bool) -> None:
        """See `Watcher.look`."""
        if self._log.live:
            self._log.status(line(status()))
            return
        now = self._clock.monotonic()
        self._is_news = self._is_news or is_change
        since_s = _EVERY_S if self._told_at is None else now - self._told_at
        is_due = since_s >= _EVERY_S
        if not is_due and not (self._is_news and since_s >= _APART_S):
            return
        self._is_news = False
        seen = status()
        # What changes with every second is no news by itself.
        key = f"{seen.done} {seen.left} {[one.name for one in seen.running]}"
        if seen.running and (is_due or key != self._told):
            self._told, self._told_at = key, now
            self._log.info(line(seen))

    def close(self) -> None:
        """Away with the line of a terminal."""
        self._log.status("")


def line(status: Status) -> str:
    """`3 of 12 done · 7 waiting · about 12 min left · running: unit on GPU 3 (45 s), lint (12 s)`.

    What is longest comes last: a terminal cuts it off.
    """
    count = len(status.running)
    parts = [f"{status.done} of {status.total} done"]
    if status.left:
        parts.append(f"{status.left} waiting")
    if status.ends_in_s is not None:
        parts.append(f"about {duration(status.ends_in_s)} left" if status.ends_in_s >= 1 else "about to end")
    if count:
        shown = [_one(one) for one in status.running[:_MAX_SHOWN]]
        more = f" and {count - _MAX_SHOWN} more" if count > _MAX_SHOWN else ""
        parts.append(f"running: {', '.join(shown)}{more}")
    return " · ".join(parts)


def _one(one: Running) -> str:
    where = " on " + " + ".join(label.split(" (")[0] for label in one.gpus) if one.gpus else ""
    return f"{one.name}{where} ({duration(one.since_s)})"
