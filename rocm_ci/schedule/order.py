"""The order in which tasks are offered GPUs: of several good rules the one that ends first. Pure.

No single rule is best where tasks want different numbers of GPUs: the longest first leaves holes beside wide
ones, the widest first leaves a long one for the end. All are tried against the estimates, which costs
milliseconds. Where none is better, the configured order stays.
"""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING, Any

from rocm_ci.schedule.board import Board, Lanes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocm_ci.schedule.task import Task

# Less than this is no reason to leave the configured order.
_WORTH = 0.999
# Beyond it only the longest-first rule is used: trying them all would take seconds.
_MANY = 3000


def ordered(tasks: Sequence[Task[Any]], expected: Mapping[str, float], lanes: Lanes) -> list[Task[Any]]:
    """`tasks` in the order in which they should be started."""
    if lanes.is_strict or len(tasks) < 2:
        return list(tasks)
    tails = _tails(tasks, expected)
    rules = (
        lambda task: -tails[task.name],
        lambda task: (-task.gpus, -tails[task.name]),
        lambda task: -max(task.gpus, 1) * tails[task.name],
    )
    sorted_ones = [sorted(tasks, key=rule) for rule in rules]
    if len(tasks) > _MANY:
        return sorted_ones[0]
    best, ends = list(tasks), makespan(tasks, expected, lanes)
    for one in sorted_ones:
        then = makespan(one, expected, lanes)
        if then < ends * _WORTH:
            best, ends = one, then
    return best


def makespan(
    tasks: Iterable[Task[Any]],
    expected: Mapping[str, float],
    lanes: Lanes,
    running: Mapping[str, tuple[Task[Any], float]] | None = None,
    now: float = 0.0,
) -> float:
    """Seconds from `now` until all has run, started in this order and taking what is expected.

    A task that can never start is left out.
    """
    board = Board(lanes, expected, tasks, running)
    ends = [(max(until, now), task.name) for task, until in board.running.values()]
    heapq.heapify(ends)
    at = last = now
    while True:
        while (task := board.next(at, board.free)) is not None:
            board.start(task, at)
            heapq.heappush(ends, (at + expected[task.name], task.name))
            last = max(last, at + expected[task.name] + task.follow_s)
        if not ends:
            return last - now
        at, name = heapq.heappop(ends)
        last = max(last, at)
        board.end(name)


def _tails(tasks: Sequence[Task[Any]], expected: Mapping[str, float]) -> dict[str, float]:
    """Seconds from a task's start to the end of the longest chain that waits for it."""
    found = {task.name: expected[task.name] + task.follow_s for task in tasks}
    if not any(task.after for task in tasks):
        return found
    members: dict[str, list[Task[Any]]] = {}
    for task in tasks:
        for name in {task.name, task.group} - {""}:
            members.setdefault(name, []).append(task)
    before = {task.name: [one for name in task.after for one in members.get(name, ())] for task in tasks}
    pending = Counter(one.name for ones in before.values() for one in ones)
    ends = [task for task in tasks if not pending[task.name]]
    # From the ends of the chains to their beginnings; what goes in a circle is never reached.
    while ends:
        task = ends.pop()
        for one in before[task.name]:
            found[one.name] = max(found[one.name], expected[one.name] + one.follow_s + found[task.name])
            pending[one.name] -= 1
            if not pending[one.name]:
                ends.append(one)
    return found
