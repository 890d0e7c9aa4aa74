"""What is heard of a running suite, from its lines and from a plug-in, and which test has run too long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rocm_ci.runners.live import Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.runners.events import Events
    from rocm_ci.runners.live import Seen

# ctest ends a test by itself when its time is up: it comes first, for it loses no other test.
_GRACE_S = 3.0


class Hearing:
    """Listens with `watch` and `events`; `stop` answers with a reason once a test is `overdue`."""

    def __init__(
        self,
        watch: Watch,
        events: Events,
        *,
        limit_s: float | None,
        asked: Callable[[], str],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.overdue: Seen | None = None
        self._watch = watch
        self._events = events
        self._limit_s = limit_s
        self._asked = asked
        self._now = now
        self._began = now()

    def stop(self) -> str:
        """Why everything is to end, or this run; empty while it may go on. See `Runner.stream`."""
        if reason := self._asked():
            self.overdue = None
            return reason
        if self._limit_s is not None:
            now = self._now()
            self._events.follow(now)
            told = self._events.watch if self._events.is_heard else self._watch
            for seen in list(told.open.values()):
                # What a test claims of its beginning cannot be before ours.
                if now - max(seen.began, self._began) > self._limit_s + _GRACE_S * (told is self._watch):
                    self.overdue = seen
                    return f"{seen.id} ran longer than {self._limit_s:g} s"
        return ""

    def whole(self, *, is_sole: bool) -> Watch:
        """Everything that was heard. Where nothing but `events` matters, its tests are all there are."""
        self._events.follow(self._now())
        told, lines = self._events.watch, self._watch
        if not told.seen:
            return lines
        by_native = {seen.native: seen for seen in lines.seen.values()}
        for seen in told.seen.values():
            printed = by_native.pop(seen.native, None) or lines.seen.get(seen.id)
            seen.first_line, seen.last_line = (printed.first_line, printed.last_line) if printed else (0, 0)
        if not is_sole:
            others = {one.id: one for one in by_native.values() if one.id not in told.seen}
            told.seen |= others
            told.open |= {key: one for key, one in others.items() if one.status is None}
        told.failed_in_summary = lines.failed_in_summary
        told.nothing_ran = lines.nothing_ran
        return told
