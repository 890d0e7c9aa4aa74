"""The decision over measured samples: direction, noise, warm-up, family, too little data."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from rocm_ci.model.perf import Better, PerfVerdict, Series
from rocm_ci.perf.statistics import compare, process_value


def series(
    shift: float,
    *,
    rounds: int = 12,
    noise: float = 0.005,
    seed: int = 1,
    better: Better = Better.LOWER,
    name: str = "s",
    shared: float = 0.1,
) -> Series:
    """Both sides drift together (`shared`), each process has its own noise, the head is shifted."""
    rng = random.Random(seed)
    base, head = [], []
    for _ in range(rounds):
        state = 10 * (1 + rng.uniform(-shared, shared))
        base.append(tuple(state * (1 + rng.gauss(0, noise)) for _ in range(5)))
        head.append(tuple(state * shift * (1 + rng.gauss(0, noise)) for _ in range(5)))
    return Series(name=name, unit="ms", better=better, base=tuple(base), head=tuple(head))


def verdict(one: Series, min_effect_pct: float = 3.0) -> PerfVerdict:
    return compare([one], min_effect_pct=min_effect_pct)[0].verdict


def test_ten_percent_slower_is_a_regression_under_drift_of_the_machine() -> None:
    (found,) = compare([series(1.10)])

    assert found.verdict is PerfVerdict.REGRESSION
    assert found.effect_pct == pytest.approx(10, abs=1)
    assert found.interval_pct is not None
    assert found.interval_pct[0] < 10 < found.interval_pct[1]
    assert found.p is not None
    assert found.p < 0.001
    assert found.rounds == 12


@pytest.mark.parametrize(
    ("shift", "better", "expected"),
    [
        (1.10, Better.LOWER, PerfVerdict.REGRESSION),
        (1.10, Better.HIGHER, PerfVerdict.IMPROVED),
        (0.90, Better.LOWER, PerfVerdict.IMPROVED),
        (0.90, Better.HIGHER, PerfVerdict.REGRESSION),
        (1.00, Better.LOWER, PerfVerdict.UNCHANGED),
        (1.00, Better.HIGHER, PerfVerdict.UNCHANGED),
    ],
)
def test_the_direction_decides(shift: float, better: Better, expected: PerfVerdict) -> None:
    (found,) = compare([series(shift, better=better)])

    assert found.verdict is expected
    assert found.effect_pct == pytest.approx(100 * (shift - 1), abs=1)


def test_a_significant_change_below_the_bound_is_no_regression() -> None:
    assert verdict(series(1.02, noise=0.0005)) is PerfVerdict.UNCHANGED
    assert verdict(series(1.02, noise=0.0005), min_effect_pct=1.0) is PerfVerdict.REGRESSION


def test_a_bound_can_be_set_by_name() -> None:
    slow = series(1.05)

    assert compare([slow], min_effects_pct={"s": 8.0})[0].verdict is PerfVerdict.UNCHANGED
    assert compare([slow], min_effects_pct={"other": 8.0})[0].verdict is PerfVerdict.REGRESSION


def test_noise_that_looks_slower_is_undecided_and_says_so() -> None:
    found = next(c for s in range(50) if (c := compare([series(1.06, noise=0.3, seed=s)])[0]).effect_pct > 6)  # type: ignore[operator]

    assert found.verdict is PerfVerdict.INCONCLUSIVE
    assert "noise" in found.reason
    assert found.detects_pct is not None
    assert found.detects_pct > 6


def test_a_run_too_noisy_to_see_anything_is_not_called_unchanged() -> None:
    found = next(
        c
        for s in range(50)
        if (c := compare([series(1.0, noise=0.4, seed=s)])[0]).effect_pct < 3  # type: ignore[operator]
    )

    assert found.verdict is PerfVerdict.INCONCLUSIVE
    assert "too noisy: only a change of" in found.reason


@pytest.mark.parametrize("rounds", [1, 2, 4, 6])
def test_too_few_processes_never_decide_however_large_the_gap(rounds: int) -> None:
    (found,) = compare([series(2.0, rounds=rounds)])

    assert found.verdict is PerfVerdict.INCONCLUSIVE
    assert "7 a side are needed" in found.reason


def test_seven_rounds_can_decide_one_benchmark() -> None:
    assert verdict(series(1.2, rounds=7)) is PerfVerdict.REGRESSION


def test_iterations_are_not_observations() -> None:
    two = Series(name="s", base=((10.0,) * 500, (10.1,) * 500), head=((12.0,) * 500, (12.1,) * 500))

    assert verdict(two) is PerfVerdict.INCONCLUSIVE


def test_twenty_quiet_series_give_no_alarm_and_one_loud_is_found_among_them() -> None:
    quiet = [series(1.0, noise=0.03, seed=i, name=f"q{i}") for i in range(20)]
    loud = series(1.2, seed=99, name="loud")

    assert not [c for c in compare(quiet) if c.verdict is PerfVerdict.REGRESSION]
    assert [c.name for c in compare([*quiet, loud]) if c.verdict is PerfVerdict.REGRESSION] == ["loud"]


def test_false_alarms_in_a_family_stay_under_the_stated_rate() -> None:
    """150 A/A runs of 20 benchmarks with 1 % noise and a bound of 0: at most 1 % may alarm, by Holm."""
    alarms = 0
    for run in range(150):
        quiet = [series(1.0, noise=0.02, seed=run * 20 + i, name=f"q{i}", rounds=13) for i in range(20)]
        alarms += any(c.verdict is PerfVerdict.REGRESSION for c in compare(quiet, min_effect_pct=0.0))

    assert alarms <= 6  # 1.5 expected; 7 or more has a chance of 0.1 % at the stated rate


def test_different_numbers_of_processes_are_compared_without_pairs() -> None:
    slow = series(1.2, rounds=14, shared=0.01)
    uneven = Series(name="s", base=slow.base[:12], head=slow.head)

    (found,) = compare([uneven])

    assert found.verdict is PerfVerdict.REGRESSION
    assert found.effect_pct == pytest.approx(20, abs=2)
    assert found.interval_pct is not None
    assert found.interval_pct[0] < 20 < found.interval_pct[1]


def test_a_control_series_does_not_count_in_the_family() -> None:
    control = replace(series(1.0, name="control"), control=True)
    many = [control] * 1 + [series(1.2, rounds=7)]

    assert compare(many)[1].verdict is PerfVerdict.REGRESSION


@pytest.mark.parametrize(
    "one",
    [
        Series(name="s", base=(), head=((1.0,),)),
        Series(name="s", base=((),), head=((1.0,),)),
        Series(name="s", base=((0.0,),) * 9, head=((1.0,),) * 9),
        Series(name="s", base=((-1.0,),) * 9, head=((1.0,),) * 9),
    ],
)
def test_what_cannot_be_compared_is_undecided_with_a_reason(one: Series) -> None:
    (found,) = compare([one])

    assert found.verdict is PerfVerdict.INCONCLUSIVE
    assert found.reason
    assert found.effect_pct is None


def test_equal_numbers_are_unchanged() -> None:
    same = Series(name="s", base=((5.0,),) * 12, head=((5.0,),) * 12)

    (found,) = compare([same])

    assert (found.verdict, found.effect_pct, found.p) == (PerfVerdict.UNCHANGED, 0.0, 1.0)


@pytest.mark.parametrize(
    ("values", "better", "expected"),
    [
        ((900.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0), Better.LOWER, 1.0),
        ((900.0, 3.0, 1.0, 2.0, 1.0, 2.0), Better.LOWER, 1.5),
        ((1.0, 50.0, 100.0, 100.0, 110.0, 90.0), Better.HIGHER, 100.0),
        ((1.0, 1.0, 9.0), Better.LOWER, 1.0),
        ((4.0,), Better.LOWER, 4.0),
    ],
)
def test_warm_up_is_dropped_and_outliers_do_not_move_a_process(
    values: tuple[float, ...], better: Better, expected: float
) -> None:
    assert process_value(values, better) == expected
