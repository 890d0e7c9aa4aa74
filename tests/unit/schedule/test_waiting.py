"""Waiting for GPUs of other runs: how long, told when, and whose fault it is not."""

from __future__ import annotations

from rocm_ci.schedule.halt import Halt
from rocm_ci.schedule.waiting import PATIENCE_S, Waiting


def test_the_limit_counts_from_the_first_refusal() -> None:
    waiting = Waiting(100.0)
    assert not waiting
    waiting.refused("a", 10.0)
    waiting.refused("a", 60.0)

    assert not waiting.is_too_long("a", 109.0)
    assert waiting.is_too_long("a", 110.0)
    assert waiting.waited_s("a", 110.0) == 100.0


def test_while_our_own_tasks_have_the_gpus_nobody_else_is_to_blame() -> None:
    waiting = Waiting(100.0)
    waiting.refused("a", 0.0)
    waiting.blocked("a", 90.0)
    waiting.blocked("b", 90.0)

    assert not waiting.is_too_long("a", 150.0)
    assert waiting.is_too_long("a", 190.0)
    assert not waiting.is_too_long("b", 1e9)


def test_after_a_while_nobody_of_ours_may_overtake() -> None:
    waiting = Waiting(1800.0)
    waiting.refused("a", 0.0)

    assert waiting.patient(PATIENCE_S - 1) == frozenset()
    assert waiting.patient(PATIENCE_S) == {"a"}


def test_with_a_short_limit_patience_ends_before_it() -> None:
    waiting = Waiting(10.0)
    waiting.refused("a", 0.0)

    assert waiting.patient(5.0) == {"a"}


def test_it_is_told_at_first_and_when_the_holders_change_but_not_with_every_look() -> None:
    waiting = Waiting(1800.0)
    waiting.refused("a", 0.0)

    told = [
        waiting.news("a", "GPU 0 by x", 0.0),
        waiting.news("a", "GPU 0 by x", 30.0),
        waiting.news("a", "GPU 0 by y", 30.0),
        waiting.news("a", "GPU 0 by y", 61.0),
        waiting.news("a", "GPU 0 by y", 200.0),
        waiting.news("a", "", 300.0),
    ]
    assert told == [True, False, False, True, False, False]


def test_one_that_got_its_gpus_waits_no_more() -> None:
    waiting = Waiting(10.0)
    waiting.refused("a", 0.0)
    waiting.over("a")
    waiting.over("never waited")

    assert not waiting
    assert waiting.waited_s("a", 50.0) == 0.0
    assert not waiting.is_too_long("a", 50.0)


def test_the_first_reason_to_end_stays() -> None:
    reasons = iter(["", "", "SIGTERM"])
    halt = Halt(lambda: next(reasons))

    assert halt() == ""
    halt.ask("")
    assert halt() == ""
    halt.ask("interrupted")
    halt.ask("later")
    assert halt() == "interrupted"


def test_what_stops_the_whole_run_is_heard() -> None:
    assert Halt(lambda: "watchdog")() == "watchdog"
