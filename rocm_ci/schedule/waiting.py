"""For how long tasks have waited for GPUs that other runs of the host hold, and when that is too long."""

from __future__ import annotations

from dataclasses import dataclass

# After this nothing of ours takes a GPU that comes free from under a task that waits for several.
PATIENCE_S = 60.0
# How often the same wait is told again, when others hold the GPUs by then.
_AGAIN_S = 60.0


@dataclass
class _Wait:
    first: float
    since: float
    told_at: float
    told: str = ""


class Waiting:
    """Times of refusals by task. `limit_s` counts only while no task of our own stands in the way."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._waits: dict[str, _Wait] = {}

    def refused(self, name: str, now: float) -> None:
        """The pool had not enough free GPUs, although ours are."""
        self._waits.setdefault(name, _Wait(first=now, since=now, told_at=now))

    def blocked(self, name: str, now: float) -> None:
        """Our own tasks have the GPUs: the others are not to blame meanwhile."""
        if name in self._waits:
            self._waits[name].since = now

    def over(self, name: str) -> None:
        """It waits no more."""
        self._waits.pop(name, None)

    def is_too_long(self, name: str, now: float) -> bool:
        """Whether the limit is reached."""
        return name in self._waits and now - self._waits[name].since >= self._limit_s

    def waited_s(self, name: str, now: float) -> float:
        """Seconds since the first refusal; 0 when there was none."""
        return now - self._waits[name].first if name in self._waits else 0.0

    def patient(self, now: float) -> frozenset[str]:
        """Whom nothing of ours may overtake any more."""
        after_s = min(PATIENCE_S, self._limit_s / 2)
        return frozenset(name for name, wait in self._waits.items() if now - wait.first >= after_s)

    def news(self, name: str, holders: str, now: float) -> bool:
        """Whether it is to be told that it waits for `holders`: at first, and when they changed since."""
        wait = self._waits[name]
        if wait.told and (holders in ("", wait.told) or now - wait.told_at < _AGAIN_S):
            return False
        wait.told, wait.told_at = holders or "another run", now
        return True

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._waits)
