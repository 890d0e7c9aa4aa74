"""Which task starts next: lanes, reservations, what waits for what. Time is a number here."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.schedule.board import Board, Lanes, lanes
from tests.unit.schedule.tasks import task

if TYPE_CHECKING:
    from rocm_ci.schedule.task import Task


def board(gpus: int, *tasks: Task[Any], took: dict[str, float] | None = None, **more: Any) -> Board:
    shape = {"slots": gpus + 1, "plain": 1} | more
    expected = dict.fromkeys((one.name for one in tasks), 10.0) | (took or {})
    return Board(Lanes(gpus=gpus, **shape), expected, tasks)


def begun(where: Board, now: float = 0.0, **options: Any) -> list[str]:
    """Start all that may start; their names."""
    found = []
    while (one := where.next(now, where.free, **options)) is not None:
        where.start(one, now)
        found.append(one.name)
    return found


@pytest.mark.parametrize(
    ("parallel", "gpus", "expected"),
    [
        (0, 8, Lanes(gpus=8, slots=9, plain=1)),
        (0, 0, Lanes(gpus=0, slots=1, plain=1, is_strict=True)),
        (1, 8, Lanes(gpus=8, slots=1, plain=1, is_strict=True)),
        (4, 8, Lanes(gpus=8, slots=4, plain=4)),
        (4, 0, Lanes(gpus=0, slots=4, plain=4)),
    ],
)
def test_the_configured_number_says_how_much_runs_at_once(parallel: int, gpus: int, expected: Lanes) -> None:
    assert lanes(parallel, gpus) == expected


def test_what_needs_no_gpu_fills_in_beside_what_does() -> None:
    assert begun(board(2, task("a"), task("b"), task("c"), task("lint", 0))) == ["a", "b", "lint"]


def test_only_one_without_a_gpu_runs_at_a_time_unless_more_are_allowed() -> None:
    tasks = [task("x", 0), task("y", 0), task("a")]

    assert begun(board(1, *tasks)) == ["x", "a"]
    assert begun(board(1, *tasks, slots=3, plain=3)) == ["x", "y", "a"]


def test_in_strict_order_nothing_overtakes() -> None:
    where = board(4, task("wide", 4), task("small"), slots=1, is_strict=True)
    where.start(where.waiting[1], 0.0)

    assert begun(where) == []


def test_a_short_one_runs_in_the_hole_before_a_wide_one_and_a_long_one_does_not() -> None:
    where = board(
        2, task("first"), task("wide", 2), task("long"), task("short"), took={"long": 50, "short": 5}
    )

    assert begun(where) == ["first", "short"]


def test_where_an_estimate_was_outrun_nothing_slips_in_before_the_reservation() -> None:
    where = board(2, task("first"), task("wide", 2), task("short"), took={"short": 5})
    where.start(where.waiting[0], 0.0)

    assert begun(where, now=11.0) == []


def test_what_the_wide_one_leaves_free_may_be_taken_for_long() -> None:
    where = board(4, task("first", 2), task("wide", 3), task("long"), took={"long": 1000})

    assert begun(where) == ["first", "long"]


def test_patience_closes_the_door_to_everybody_else() -> None:
    where = board(4, task("wide", 3), task("small"), took={"small": 0.1})

    assert where.next(0.0, 2, patient=["wide"]) is None
    assert where.next(0.0, 2) is not None


def test_one_alone_waits_for_all_others_and_keeps_them_out() -> None:
    where = board(2, task("a"), task("solo", 1, alone=True), task("b"), task("lint", 0))

    assert begun(where) == ["a", "b", "lint"]
    for name in ("a", "b", "lint"):
        where.end(name)
    where.add(task("late"))
    where.expected = {**where.expected, "late": 10.0}
    assert begun(where) == ["solo"]


def test_one_alone_is_not_starved_by_long_ones_behind_it() -> None:
    where = board(2, task("a"), task("solo", 1, alone=True), task("b"), took={"b": 60.0})

    assert begun(where) == ["a"]


def test_what_comes_after_a_group_waits_for_all_of_its_members() -> None:
    where = board(3, task("s [1/2]", group="s"), task("s [2/2]", group="s"), task("next", after=("s",)))

    assert begun(where) == ["s [1/2]", "s [2/2]"]
    where.end("s [1/2]")
    assert begun(where) == []
    where.end("s [2/2]")
    assert begun(where) == ["next"]


def test_what_is_added_by_the_one_waited_for_is_waited_for_too() -> None:
    where = board(3, task("s (split)", group="s"), task("next", after=("s",)))
    begun(where)
    late = task("s [1/1]", group="s")
    where.expected = {**where.expected, late.name: 10.0}
    where.add(late)
    where.end("s (split)")

    assert begun(where) == ["s [1/1]"]


def test_one_that_was_dropped_holds_nobody_up() -> None:
    where = board(1, first := task("a"), task("b", after=("a",)))
    where.drop(first)

    assert begun(where) == ["b"]


def test_a_name_nobody_has_is_not_waited_for() -> None:
    assert begun(board(1, task("a", after=("gone",)))) == ["a"]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_tasks_are_all_run_and_never_too_much_at_once(seed: int) -> None:
    chance = random.Random(seed)
    gpus = chance.choice([1, 2, 4, 8])
    tasks = [
        task(
            f"t{n}",
            chance.choice([0, 1, 1, 1, min(2, gpus), gpus]),
            alone=chance.random() < 0.1,
            after=(f"t{chance.randrange(n)}",) if n and chance.random() < 0.2 else (),
        )
        for n in range(60)
    ]
    took = {one.name: chance.expovariate(0.1) for one in tasks}
    guessed = {name: seconds * chance.lognormvariate(0, 1) for name, seconds in took.items()}
    where = board(gpus, *tasks, took=guessed)
    ends: dict[str, float] = {}
    now, ran = 0.0, []
    while where.waiting or where.running:
        for name in begun(where, now):
            ends[name] = now + took[name]
        together = [one for one, _ in where.running.values()]
        assert sum(one.gpus for one in together) <= gpus
        assert sum(not one.gpus for one in together) <= 1
        assert len(together) == 1 or not any(one.alone for one in together)
        assert together, "it stands still"
        first = min(ends, key=lambda name: ends[name])
        now = ends.pop(first)
        assert all(name in ran for one in tasks if one.name == first for name in one.after)
        ran.append(first)
        where.end(first)

    assert sorted(ran) == sorted(one.name for one in tasks)
