"""Runs tasks side by side, each in a thread of its own with the GPUs it asked for. Never hangs on GPUs."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rocm_ci.errors import InterruptedRunError
from rocm_ci.schedule import board, estimate, order
from rocm_ci.schedule.status import Running, Status
from rocm_ci.schedule.task import Ended
from rocm_ci.schedule.waiting import Waiting
from rocm_ci.schedule.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.context import Clock, Gpus, Lease
    from rocm_ci.schedule.halt import Halt
    from rocm_ci.schedule.status import Watcher
    from rocm_ci.schedule.task import Task

T = TypeVar("T")
_LOOK_S = 1.0
_ASK_AGAIN_S = 0.5
# Nobody records how long it takes to list tests or to warm up; neither is a reason to wait.
_PREPARING_S = 5.0
# GitHub ends a cancelled job 10 s after its first signal: the report must be written by then.
WIND_DOWN_S = 7.0


class Execution(Generic[T]):
    """`ended` grows while `run` runs, and holds what was finished when that is interrupted.

    `lease_wait_s` is how long a task may wait for GPUs that other runs hold before it is given up.
    """

    def __init__(
        self,
        tasks: Iterable[Task[T]],
        *,
        gpus: Gpus,
        clock: Clock,
        halt: Halt,
        parallel: int = 0,
        lease_wait_s: float = 1800.0,
        watcher: Watcher,
    ) -> None:
        self.ended: dict[str, Ended[T]] = {}
        self._gpus, self._clock, self._halt = gpus, clock, halt
        self._watcher = watcher
        self._parallel = parallel
        self._waiting = Waiting(lease_wait_s)
        self._expected: dict[str, float] = {}
        self._tasks: list[Task[T]] = []
        self._leases: dict[str, tuple[Lease, float]] = {}
        self._changed = threading.Condition(threading.RLock())
        self._is_news = True
        self._board = board.Board(board.lanes(parallel, gpus.total), self._expected, ())
        self.add(tasks)

    def add(self, tasks: Iterable[Task[T]]) -> None:
        """More to run, also from within a running task: they are there before that has ended."""
        with self._changed:
            for task in tasks:
                self._tasks.append(task)
                self._board.add(task)
            known = {t.name: t.estimate_s for t in self._tasks if t.estimate_s is not None}
            self._expected.update(dict.fromkeys((t.name for t in self._tasks if t.prepares), _PREPARING_S))
            self._expected.update(estimate.filled([t.name for t in self._tasks if not t.prepares], known))
            self._board.waiting = order.ordered(self._board.waiting, self._expected, self._board.lanes)
            self._is_news = True
            self._changed.notify_all()

    def run(self) -> dict[str, Ended[T]]:
        """Until every task has ended or been given up. An interruption lets all end, then goes on up."""
        try:
            with self._changed:
                while self._board.waiting or self._board.running:
                    self._raise_interruption()
                    if self._halt():
                        self._give_up(self._board.waiting, self._halt())
                    self._start_all()
                    self._watcher.look(self._status, is_change=self._is_news)
                    self._is_news = False
                    if self._board.waiting or self._board.running:
                        self._changed.wait(_ASK_AGAIN_S if self._waiting else _LOOK_S)
            self._raise_interruption()
        except BaseException as error:
            said = f"interrupted by {error}" if str(error) else "interrupted"
            self._halt.ask(
                said if isinstance(error, (InterruptedRunError, KeyboardInterrupt)) else str(error)
            )
            self._wind_down()
            raise
        return self.ended

    def _raise_interruption(self) -> None:
        """One that reached a worker is everybody's."""
        for one in self.ended.values():
            if isinstance(one.error, (InterruptedRunError, KeyboardInterrupt)):
                raise one.error

    def _start_all(self) -> None:
        total = self._gpus.total
        if total != self._board.lanes.gpus:
            self._board.lanes = board.lanes(self._parallel, total)
        self._give_up_impossible(total)
        now = self._clock.monotonic()
        available, patient = self._board.free, self._waiting.patient(now)
        while (task := self._board.next(now, available, patient=patient)) is not None:
            lease = self._lease(task)
            if lease is not None:
                self._begin(task, lease)
                available -= task.gpus
            elif task in self._board.waiting:
                self._wait_for_others(task, now)
                available = min(available, task.gpus) - 1
        for task in self._board.waiting:
            if task.gpus > self._board.free:
                self._waiting.blocked(task.name, now)
        if not self._board.running and not self._waiting:
            self._give_up(self._board.waiting, "it waits for what can never end")

    def _lease(self, task: Task[T]) -> Lease | None:
        """The task's GPUs; without them it waits on, or has ended by what the pool raised."""
        try:
            return self._gpus.lease(task.gpus, step=task.name, whole_card=task.whole_card)
        except InterruptedRunError:
            raise
        except Exception as error:  # noqa: BLE001 - told as this task's end; the others go on
            self._board.drop(task)
            self._note(Ended(name=task.name, error=error))
            return None

    def _begin(self, task: Task[T], lease: Lease) -> None:
        now = self._clock.monotonic()
        waited_s = self._waiting.waited_s(task.name, now)
        self._waiting.over(task.name)
        self._board.start(task, now)
        self._leases[task.name] = (lease, now)
        self._is_news = True
        threading.Thread(
            target=self._work, args=(task, lease, waited_s), name=f"task {task.name}", daemon=True
        ).start()

    def _work(self, task: Task[T], lease: Lease, waited_s: float) -> None:
        began = self._clock.monotonic()
        value, raised = None, None
        try:
            value = task.run(lease)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the others go on
            raised = error
        try:
            self._gpus.give_back(lease)
        except Exception as error:  # noqa: BLE001 - as above
            raised = raised or error
        took_s = self._clock.monotonic() - began
        with self._changed:
            self._board.end(task.name)
            del self._leases[task.name]
            self._note(Ended(name=task.name, value=value, error=raised, waited_s=waited_s, took_s=took_s))
            self._changed.notify_all()

    def _note(self, ended: Ended[T]) -> None:
        self.ended[ended.name] = ended
        self._waiting.over(ended.name)
        self._is_news = True

    def _wait_for_others(self, task: Task[T], now: float) -> None:
        self._waiting.refused(task.name, now)
        holders = self._gpus.busy()
        whom = f": {holders}" if holders else ""
        if self._waiting.is_too_long(task.name, now):
            waited = duration(self._waiting.waited_s(task.name, now))
            self._give_up(
                [task], f"machine: waited {waited} for {task.gpus} GPU(s) that other runs hold{whom}"
            )
        elif self._waiting.news(task.name, holders, now):
            self._watcher.tell(f"{task.name} waits for {task.gpus} GPU(s) that other runs hold{whom}")

    def _give_up(self, tasks: Sequence[Task[Any]], reason: str) -> None:
        now = self._clock.monotonic()
        for task in list(tasks):
            self._board.drop(task)
            waited_s = self._waiting.waited_s(task.name, now)
            self._note(Ended(name=task.name, refused=reason, waited_s=waited_s))

    def _give_up_impossible(self, total: int) -> None:
        for task in [one for one in self._board.waiting if one.gpus > total]:
            self._give_up([task], f"machine unusable: needs {task.gpus} GPU(s), {total} can be had")

    def _wind_down(self) -> None:
        """What runs hears the wish to end and has a few seconds for it; further signals change nothing."""
        deadline = time.monotonic() + WIND_DOWN_S
        while self._board.running and time.monotonic() < deadline:
            with contextlib.suppress(InterruptedRunError, KeyboardInterrupt), self._changed:
                self._changed.wait(0.1)

    def _status(self) -> Status:
        now = self._clock.monotonic()
        ends_in_s = None
        if any(task.estimate_s is not None for task in self._tasks):
            ends_in_s = order.makespan(
                self._board.waiting, self._expected, self._board.lanes, self._board.running, now
            )
        return Status(
            running=tuple(
                Running(name=name, gpus=lease.labels, since_s=now - since)
                for name, (lease, since) in self._leases.items()
            ),
            done=sum(one.name in self.ended for one in self._tasks if not one.prepares),
            left=sum(not one.prepares for one in self._board.waiting),
            total=sum(not one.prepares for one in self._tasks),
            ends_in_s=ends_in_s,
        )
