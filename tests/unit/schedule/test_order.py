"""The order of tasks: longest first where that ends earlier, the configured one where nothing does."""

from __future__ import annotations

import pytest

from rocm_ci.schedule import order
from rocm_ci.schedule.board import lanes
from tests.unit.schedule.tasks import names, task


def test_the_longest_goes_first_where_that_ends_earlier() -> None:
    tasks = [task("a"), task("b"), task("c"), task("long")]
    expected = {"a": 1.0, "b": 1.0, "c": 1.0, "long": 3.0}

    found = order.ordered(tasks, expected, lanes(0, 2))

    assert names(found)[0] == "long"
    assert order.makespan(found, expected, lanes(0, 2)) == 3.0
    assert order.makespan(tasks, expected, lanes(0, 2)) == 4.0


def test_the_configured_order_stays_where_no_other_is_better() -> None:
    tasks = [task("a"), task("b"), task("long")]

    assert names(order.ordered(tasks, {"a": 1.0, "b": 1.0, "long": 5.0}, lanes(0, 4))) == ["a", "b", "long"]


@pytest.mark.parametrize("parallel", [1])
def test_one_at_a_time_means_the_configured_order(parallel: int) -> None:
    tasks = [task("a"), task("long")]

    assert names(order.ordered(tasks, {"a": 1.0, "long": 9.0}, lanes(parallel, 8))) == ["a", "long"]


def test_what_others_wait_for_counts_with_all_that_waits_for_it() -> None:
    tasks = [task("x"), task("y"), task("first"), task("second", after=("first",))]
    expected = {"x": 3.0, "y": 3.0, "first": 1.0, "second": 5.0}

    found = order.ordered(tasks, expected, lanes(0, 2))

    assert order.makespan(found, expected, lanes(0, 2)) == 6.0
    assert names(found)[0] == "first"


def test_what_follows_a_preparation_counts_as_its_length() -> None:
    tasks = [task("a"), task("b"), task("split", prepares=True, follow_s=50.0)]
    expected = {"a": 10.0, "b": 10.0, "split": 1.0}

    assert names(order.ordered(tasks, expected, lanes(0, 1)))[0] == "split"


def test_a_circle_is_no_endless_loop() -> None:
    tasks = [task("a", after=("b",)), task("b", after=("a",)), task("c")]

    assert order.makespan(tasks, dict.fromkeys("abc", 1.0), lanes(0, 2)) == 1.0
    assert len(order.ordered(tasks, dict.fromkeys("abc", 1.0), lanes(0, 2))) == 3


def test_what_runs_already_is_counted_by_when_it_should_end() -> None:
    running = {"r": (task("r"), 12.0)}

    assert order.makespan([task("a")], {"r": 12.0, "a": 5.0}, lanes(0, 1), running, now=10.0) == 7.0


def test_what_ran_longer_than_expected_may_end_any_moment() -> None:
    running = {"r": (task("r"), 12.0)}

    assert order.makespan([task("a")], {"r": 12.0, "a": 5.0}, lanes(0, 1), running, now=20.0) == 5.0


def test_a_task_that_never_fits_is_left_out() -> None:
    assert order.makespan([task("huge", 9), task("a")], {"huge": 1.0, "a": 2.0}, lanes(0, 8)) == 2.0


def test_what_follows_counts_for_all_that_comes_before() -> None:
    tasks = [
        task("warm", prepares=True, follow_s=50.0),
        task("next", after=("warm",)),
        task("last", after=("next",)),
    ]

    assert order._tails(tasks, {"warm": 5.0, "next": 20.0, "last": 1.0}) == {
        "warm": 76.0,
        "next": 21.0,
        "last": 1.0,
    }
