"""Estimates and cuts: the median for what is new, groups that take about as long, waves that grow smaller."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.schedule import estimate

TIMES = st.lists(st.floats(min_value=0, max_value=1e4), max_size=60)
PARTS = st.integers(min_value=1, max_value=9)


def test_what_is_not_known_gets_the_median_of_what_is() -> None:
    assert estimate.filled(["a", "b", "c", "new"], {"a": 1.0, "b": 100.0, "c": 3.0, "gone": 9e9}) == {
        "a": 1.0,
        "b": 100.0,
        "c": 3.0,
        "new": 3.0,
    }


def test_where_nothing_is_known_all_are_alike() -> None:
    assert len(set(estimate.filled("abc", {}).values())) == 1


@given(TIMES, PARTS)
def test_every_position_is_in_exactly_one_group_and_no_group_is_empty(
    seconds: list[float], parts: int
) -> None:
    groups = estimate.balanced(seconds, parts)

    assert sorted(at for group in groups for at in group) == list(range(len(seconds)))
    assert len(groups) <= parts
    assert all(groups)
    assert all(list(group) == sorted(group) for group in groups)


@given(TIMES, PARTS)
def test_no_group_is_longer_than_the_mean_and_the_longest_of_all(seconds: list[float], parts: int) -> None:
    groups = estimate.balanced(seconds, parts)

    most = max((sum(seconds[at] for at in group) for group in groups), default=0.0)
    assert most <= sum(seconds) / parts + max(seconds, default=0.0) + 1e-6


def test_tests_of_no_length_are_spread_by_their_number() -> None:
    assert [len(group) for group in estimate.balanced([0.0] * 9, 3)] == [3, 3, 3]


@given(TIMES, PARTS, st.randoms(use_true_random=False))
def test_waves_hold_every_position_once_too(seconds: list[float], parts: int, chance: object) -> None:
    is_known = [chance.random() < 0.8 for _ in seconds]  # type: ignore[attr-defined]
    groups = estimate.tapered(seconds, is_known, parts)

    assert sorted(at for group in groups for at in group) == list(range(len(seconds)))
    assert len(groups) <= parts * len(estimate.TAPER)
    assert all(groups)


def test_what_is_not_known_comes_before_all_that_is() -> None:
    seconds = [float(n) for n in range(1, 101)]
    is_known = [n % 5 != 0 for n in range(100)]

    groups = estimate.tapered(seconds, is_known, 4)

    first = {at for group in groups[:4] for at in group}
    assert {at for at in range(100) if not is_known[at]} <= first


def test_more_groups_than_parts_only_where_that_pays_and_is_allowed() -> None:
    def groups(each_s: float, *, known: bool = True, exactly: bool = False) -> int:
        return len(estimate.cut([each_s] * 100, [known] * 100, 4, exactly=exactly))

    assert groups(60.0) > 4
    assert groups(5.0) == groups(60.0, known=False) == groups(60.0, exactly=True) == 4


def test_each_wave_takes_less_than_the_one_before() -> None:
    seconds = [float(n) for n in range(1, 401)]

    groups = estimate.tapered(seconds, [True] * 400, 4)

    waves = [
        sum(seconds[at] for group in groups[w : w + 4] for at in group) for w in range(0, len(groups), 4)
    ]
    assert len(waves) == len(estimate.TAPER)
    assert all(later < earlier for earlier, later in pairwise(waves))
    assert abs(waves[0] / sum(seconds) - estimate.TAPER[0]) < 0.02
