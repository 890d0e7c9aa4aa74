"""Which task starts next, from what waits, what runs and what is free. Pure: time is handed in.

The first in the order that fits starts. One that does not fit gets a reservation (EASY backfilling, Lifka
1995): what comes after it in the order may start only where that cannot make it wait longer, as far as the
estimates tell; where a running task has outrun its estimate, nothing may any more. So many small tasks
never keep a large one waiting for ever.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from rocm_ci.schedule.task import Task


@dataclass(frozen=True, kw_only=True)
class Lanes:
    """How much may run at once: `gpus` devices, `slots` tasks in all, `plain` of those without a GPU.

    `is_strict` keeps the order: nothing starts before what stands ahead of it.
    """

    gpus: int
    slots: int
    plain: int
    is_strict: bool = False


def lanes(parallel: int, gpus: int) -> Lanes:
    """Of the configured `parallel`. On a machine without GPUs 0 means one after the other, as does 1."""
    if parallel == 1 or (parallel == 0 and gpus == 0):
        return Lanes(gpus=gpus, slots=1, plain=1, is_strict=True)
    return Lanes(gpus=gpus, slots=parallel or gpus + 1, plain=parallel or 1)


@dataclass(frozen=True, kw_only=True)
class _Room:
    """What is left: GPUs, lanes of any kind, lanes of tasks without a GPU; whether nothing runs at all."""

    gpus: int
    slots: int
    plain: int
    is_idle: bool
    has_alone: bool

    @property
    def is_none(self) -> bool:
        return self.has_alone or self.slots <= 0 or (self.gpus <= 0 and self.plain <= 0)

    def fits(self, task: Task[Any]) -> bool:
        if self.has_alone or self.slots <= 0 or task.gpus > self.gpus or (task.alone and not self.is_idle):
            return False
        return bool(task.gpus) or self.plain > 0

    def is_shared(self, task: Task[Any]) -> bool:
        """Whether it waits for what others could take from it: a lane of its own kind nobody else takes."""
        return task.alone or task.gpus > self.gpus or self.slots <= 0


@dataclass(frozen=True, kw_only=True)
class _Shadow:
    """A reservation: from `at` on only `gpus` and `slots` are left for others."""

    at: float = math.inf
    gpus: int = 0
    slots: int = 0

    def lets(self, task: Task[Any], until: float) -> bool:
        """Whether a task that would end at `until` leaves the reservation alone."""
        return until <= self.at or (task.gpus <= self.gpus and self.slots > 0)


class Board:
    """The tasks that wait, in their order, and those that run with the time at which each should end."""

    def __init__(
        self,
        lanes: Lanes,
        expected: Mapping[str, float],
        waiting: Iterable[Task[Any]],
        running: Mapping[str, tuple[Task[Any], float]] | None = None,
    ) -> None:
        self.lanes = lanes
        self.expected = expected
        self.waiting = list(waiting)
        self.running = dict(running or {})
        self._open = Counter[str]()
        for task in [*self.waiting, *(task for task, _ in self.running.values())]:
            self._count(task, 1)

    @property
    def free(self) -> int:
        """GPUs that none of our own tasks has."""
        return self.lanes.gpus - sum(task.gpus for task, _ in self.running.values())

    def next(self, now: float, available: int, *, patient: Collection[str] = ()) -> Task[Any] | None:
        """What may start on `available` free GPUs. Those of `patient` come before everybody."""
        room = self._room(available)
        if room.is_none:
            return None
        shadow: _Shadow | None = None
        for task in self.waiting:
            if task.after and not self.is_ready(task):
                continue
            if room.fits(task) and (shadow is None or shadow.lets(task, now + self.expected[task.name])):
                return task
            if self.lanes.is_strict:
                return None
            if task.name in patient:
                shadow = _Shadow(at=-math.inf, gpus=0, slots=1)
            elif shadow is None and room.is_shared(task):
                shadow = self._reserved(task, now, room)
        return None

    def is_ready(self, task: Task[Any]) -> bool:
        """Whether all that it waits for has ended."""
        return not any(self._open[name] > 0 for name in task.after)

    def add(self, task: Task[Any]) -> None:
        """One more that waits, the last in the order."""
        self.waiting.append(task)
        self._count(task, 1)

    def start(self, task: Task[Any], now: float) -> None:
        """It runs from now on."""
        self.waiting.remove(task)
        self.running[task.name] = (task, now + self.expected[task.name])

    def end(self, name: str) -> None:
        """It ran."""
        task, _ = self.running.pop(name)
        self._count(task, -1)

    def drop(self, task: Task[Any]) -> None:
        """It will not run."""
        self.waiting.remove(task)
        self._count(task, -1)

    def _count(self, task: Task[Any], change: int) -> None:
        for name in {task.name, task.group} - {""}:
            self._open[name] += change

    def _room(self, available: int) -> _Room:
        running = [task for task, _ in self.running.values()]
        return _Room(
            gpus=available,
            slots=self.lanes.slots - len(running),
            plain=self.lanes.plain - sum(not task.gpus for task in running),
            is_idle=not running,
            has_alone=any(task.alone for task in running),
        )

    def _reserved(self, task: Task[Any], now: float, room: _Room) -> _Shadow:
        """When it can start at the latest, by the estimates, and what stays free beside it then."""
        gpus, slots, left = room.gpus, room.slots, len(self.running)
        for other, until in sorted(self.running.values(), key=_until):
            gpus, slots, left = gpus + other.gpus, slots + 1, left - 1
            if (not task.alone or left == 0) and task.gpus <= gpus and slots > 0:
                spare = (0, 0) if task.alone else (gpus - task.gpus, slots - 1)
                return _Shadow(at=max(until, now), gpus=spare[0], slots=spare[1])
        return _Shadow()


def _until(pair: tuple[Task[Any], float]) -> float:
    return pair[1]
