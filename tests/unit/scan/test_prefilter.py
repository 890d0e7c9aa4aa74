"""Bytes → rules that could match, and the lines on which they could."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.scan.prefilter import Need, Prefilter


def any_of(*strings: bytes, folded: bool = False) -> Need:
    return Need(frozenset(strings), folded=folded)


def test_a_rule_is_possible_when_one_of_its_needles_is_there() -> None:
    prefilter = Prefilter([[(any_of(b"cuda", b"nvcc"),)], [(any_of(b"rocm"),)]])

    assert prefilter.possible(b"call nvcc now") == {0}
    assert prefilter.possible(b"nothing") == frozenset()


def test_a_rule_with_an_open_way_is_always_possible_and_one_without_any_way_never() -> None:
    prefilter = Prefilter([[(any_of(b"cuda"),), ()], [], [(any_of(b"cuda"),)]])

    assert prefilter.possible(b"") == {0}
    assert prefilter.lines(b"cuda", {0}) is None


def test_a_way_wants_all_of_its_needs() -> None:
    prefilter = Prefilter([[(any_of(b"nvidia"), any_of(b"runtime", b"driver"))]])

    assert prefilter.possible(b"nvidia") == frozenset()
    assert prefilter.possible(b"driver: nvidia") == {0}


def test_one_way_of_several_is_enough() -> None:
    prefilter = Prefilter([[(any_of(b"nvidia"), any_of(b"runtime")), (any_of(b"--gpus"),)]])

    assert prefilter.possible(b"docker run --gpus all") == {0}


def test_needles_inside_each_other_are_all_seen() -> None:
    needles = (b"cuda", b"cudaMalloc", b"Malloc")
    prefilter = Prefilter([[(any_of(one),)] for one in needles])

    assert prefilter.possible(b"cudaMalloc") == {0, 1, 2}


def test_folded_needles_ignore_the_case_of_the_file_and_others_do_not() -> None:
    prefilter = Prefilter([[(any_of(b"nvcc"),)], [(any_of(b"nvcc", folded=True),)]])

    assert prefilter.possible(b"NVCC") == {1}


def test_bytes_that_are_no_utf8_do_no_harm() -> None:
    assert Prefilter([[(any_of(b"cuda"),)]]).possible(b"\xff\xfe cuda \x80") == {0}


def test_lines_are_those_of_every_need_of_the_ways_that_are_open() -> None:
    prefilter = Prefilter(
        [
            [(any_of(b"nvidia"), any_of(b"runtime"))],
            [(any_of(b"cuda"), any_of(b"absent"))],
            [(any_of(b"x"),)],
        ]
    )
    data = b"runtime:\n  nvidia\ncuda\nx nvidia"

    assert prefilter.lines(data, {0, 1}) == (1, 2, 4)
    assert prefilter.lines(data, {2}) == (4,)


def test_a_needle_over_a_line_end_counts_for_the_line_it_ends_on() -> None:
    assert Prefilter([[(any_of(b"a\nb"),)]]).lines(b"\na\nb", {0}) == (3,)


WORDS = st.sampled_from([b"cuda", b"da", b"nvcc", b"NVCC", b"x"])
WAYS = st.lists(
    st.lists(st.builds(Need, st.frozensets(WORDS, min_size=1, max_size=2), st.booleans()), max_size=2).map(
        tuple
    ),
    max_size=3,
)
DATA = st.lists(st.one_of(WORDS, st.sampled_from([b"\n", b" ", b"cu"])), max_size=12).map(b"".join)


def is_met(need: Need, data: bytes) -> bool:
    text = data.lower() if need.folded else data
    return any(string in text for string in need.strings)


@given(st.lists(WAYS, max_size=4), st.lists(DATA, min_size=1, max_size=3))
def test_the_answer_is_that_of_looking_for_every_needle_by_hand(
    ways: list[list[tuple[Need, ...]]], files: list[bytes]
) -> None:
    prefilter = Prefilter(ways)
    for data in files:
        by_hand = {
            rule
            for rule, several in enumerate(ways)
            if any(all(is_met(need, data) for need in way) for way in several)
        }

        assert prefilter.possible(data) == by_hand
        for rule in by_hand:
            lines = prefilter.lines(data, {rule})
            assert lines is None or list(lines) == sorted(set(lines))
            assert lines is None or all(1 <= line <= data.count(b"\n") + 1 for line in lines)
