"""When a GPU is kept out, and for how long."""

from __future__ import annotations

import pytest

from rocm_ci.gpu.ledger import Entry
from rocm_ci.gpu.quarantine import Rule, quarantined

NOW = "2026-11-30T12:00:00Z"
GPU = "0000:c1:00.0"


def fault(step: str, time: str = "2026-11-29T12:00:00Z", *, gpu: str = GPU, run: str = "r") -> Entry:
    return Entry(time=time, gpu=gpu, label="GPU 3", kind="gpu-hang", run=run, step=step)


def test_three_faults_in_three_steps_are_enough() -> None:
    assert not quarantined([fault("a"), fault("b")], Rule(), NOW)

    found = quarantined([fault("a"), fault("b"), fault("c")], Rule(), NOW)

    assert found[GPU].shown == (
        "GPU 3 is in quarantine: faults in 3 runs or steps within 7 days, the last gpu-hang at"
        " 2026-11-29T12:00:00Z (`rocm-ci ledger --release 0000:c1:00.0` ends it)"
    )


def test_many_faults_of_one_step_count_once() -> None:
    assert not quarantined([fault("a")] * 50, Rule(), NOW)
    assert quarantined([fault("a", run=str(n)) for n in range(3)], Rule(), NOW)


def test_a_reset_by_us_counts_for_nothing() -> None:
    notes = [Entry(time="2026-11-29T12:00:00Z", gpu=GPU, step=str(n), note=True) for n in range(9)]

    assert quarantined([*notes, fault("a"), fault("b")], Rule(), NOW) == {}
    assert quarantined([*notes, fault("a"), fault("b"), fault("c")], Rule(), NOW)[GPU].faults == 3


def test_each_gpu_counts_for_itself() -> None:
    faults = [fault("a"), fault("b"), fault("c", gpu="0000:c2:00.0"), fault("d", gpu="0000:c2:00.0")]

    assert not quarantined(faults, Rule(), NOW)


def test_old_faults_are_forgotten() -> None:
    old = "2026-11-20T12:00:00Z"

    assert not quarantined([fault("a", old), fault("b"), fault("c")], Rule(), NOW)
    assert quarantined([fault("a", old), fault("b"), fault("c")], Rule(days=30), NOW)


def test_a_release_wipes_what_was_before_it_and_not_what_follows() -> None:
    released = Entry(time=NOW, gpu=GPU, released="jane")
    before = [fault("a"), fault("b"), fault("c"), released]

    assert not quarantined(before, Rule(), NOW)
    assert not quarantined([*before, fault("d"), fault("e")], Rule(), NOW)
    assert quarantined([*before, fault("d"), fault("e"), fault("f")], Rule(), NOW)


def test_a_clock_that_jumps_loses_no_fault() -> None:
    future = "2031-01-01T00:00:00Z"

    assert quarantined([fault("a", future), fault("b", future), fault("c")], Rule(), NOW)
    assert not quarantined([fault("a", "nonsense"), fault("b"), fault("c")], Rule(), NOW)
    assert quarantined([fault("a", future), fault("b", future), fault("c", future)], Rule(), "nonsense")


@pytest.mark.parametrize(
    ("said", "count", "days"),
    [("", 3, 7), ("5/14", 5, 14), (" 1/1 ", 1, 1), ("off", 0, 7), ("0", 0, 7), ("OFF", 0, 7)],
)
def test_the_runner_sets_the_rule(said: str, count: int, days: int) -> None:
    rule = Rule.of({"ROCM_CI_QUARANTINE": said})

    assert (rule.count, rule.days, rule.problem) == (count, days, "")


@pytest.mark.parametrize("said", ["3", "3/", "x/7", "-1/7", "3/0", "3/7/1", "99999999999/7"])
def test_a_rule_that_cannot_be_read_is_told_and_the_default_stands(said: str) -> None:
    rule = Rule.of({"ROCM_CI_QUARANTINE": said})

    assert (rule.count, rule.days) == (3, 7)
    assert "faults/days" in rule.problem


def test_off_is_off() -> None:
    assert not quarantined([fault(str(n)) for n in range(9)], Rule(count=0), NOW)
