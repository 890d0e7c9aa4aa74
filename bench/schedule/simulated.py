"""A host with GPUs on which no time passes: the real `Execution`, with tasks that pretend to take long."""

# ruff: noqa: ARG002 - a port takes what the scheduler hands it

from __future__ import annotations

import heapq
import itertools
import threading
from typing import TYPE_CHECKING

from rocm_ci.context import Lease
from rocm_ci.schedule.execution import Execution
from rocm_ci.schedule.halt import Halt
from rocm_ci.schedule.task import Ended, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from workload import Work

    from rocm_ci.model.incident import Incident
    from rocm_ci.schedule.status import Status


class Host:
    """Clock, GPUs and watcher in one. Time goes on when all that runs is asleep, to whoever wakes first."""

    def __init__(self, gpus: int) -> None:
        self.total = gpus
        self.granted = 0
        self.busy_gpu_s = 0.0
        self.ended: Mapping[str, Ended[None]] = {}
        self._free = set(range(gpus))
        self._now = 0.0
        self._changed = threading.Condition()
        self._asleep: list[tuple[float, int, str, threading.Event]] = []
        self._numbers = itertools.count()
        self._woken = ""

    def monotonic(self) -> float:
        return self._now

    def now(self) -> str:
        return "2026-11-30T12:00:00Z"

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"the scheduler slept {seconds} s")

    def lease(
        self, count: int, *, step: str, avoid: Collection[str] = (), whole_card: bool = False
    ) -> Lease | None:
        with self._changed:
            if len(self._free) < count:
                return None
            taken = sorted(self._free)[:count]
            self._free -= set(taken)
            self.granted += 1
        return Lease(id=step, devices=tuple(str(number) for number in taken))

    def give_back(self, lease: Lease) -> None:
        with self._changed:
            self._free |= {int(device) for device in lease.devices}

    def busy(self) -> str:
        return ""

    def incidents(self, lease: Lease) -> tuple[Incident, ...]:
        return ()

    def blame(self, lease: Lease, incident: Incident) -> str:
        return ""

    def spend(self, seconds: float, lease: Lease) -> None:
        """In the thread of a task: this is what it does."""
        wake = threading.Event()
        with self._changed:
            heapq.heappush(self._asleep, (self._now + seconds, next(self._numbers), lease.id, wake))
            self.busy_gpu_s += seconds * len(lease.devices)
            self._changed.notify_all()
        wake.wait()

    def tell(self, text: str) -> None:
        raise AssertionError(text)

    def look(self, status: Callable[[], Status], *, is_change: bool) -> None:
        """Nothing more can start now: let the next one end, and no other before it is seen to have ended."""
        if self._woken and self._woken not in self.ended:
            return
        with self._changed:
            self._changed.wait_for(lambda: len(self._asleep) == self.granted - len(self.ended))
            if self._asleep:
                self._now, _, self._woken, wake = heapq.heappop(self._asleep)
                wake.set()


def makespan(
    works: list[Work], expected: Mapping[str, float], *, gpus: int, parallel: int = 0
) -> tuple[float, float]:
    """Seconds until all have run, with what the scheduler was told; and the share of GPU time in use."""
    host = Host(gpus)

    def task(work: Work) -> Task[None]:
        return Task(
            name=work.name,
            gpus=work.gpus,
            run=lambda lease: host.spend(work.seconds, lease),
            estimate_s=expected.get(work.name),
        )

    execution = Execution(
        [task(work) for work in works],
        gpus=host,
        clock=host,
        halt=Halt(lambda: ""),
        parallel=parallel,
        watcher=host,
    )
    host.ended = execution.ended
    ended = execution.run()
    lost = [one for one in ended.values() if one.error or one.refused]
    if lost or len(ended) != len(works):
        raise RuntimeError(lost[:1])
    return host.monotonic(), host.busy_gpu_s / (gpus * host.monotonic())
