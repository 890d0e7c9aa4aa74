from __future__ import annotations

import pytest

from rocm_ci.report import words


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 tests"), (1, "1 test"), (2, "2 tests"), (12_345, "12,345 tests")]
)
def test_a_count_has_the_right_ending(number: int, said: str) -> None:
    assert words.count(number, "test") == said


def test_a_word_may_bring_its_own_plural() -> None:
    assert words.count(2, "arch", "archs") == "2 archs"


@pytest.mark.parametrize(
    ("parts", "said"),
    [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")],
)
def test_a_list_reads_like_a_sentence(parts: tuple[str, ...], said: str) -> None:
    assert words.joined(parts) == said


def test_a_long_list_says_how_much_is_missing() -> None:
    assert words.first(list("abcdef"), 2) == "a, b and 4 more"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "–"),
        (0.004, "0.1 s"),
        (0.31, "0.3 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (48, "48 s"),
        (59.6, "1 m 00 s"),
        (72.4, "1 m 12 s"),
        (3599.7, "1 h 00 m"),
        (7500, "2 h 05 m"),
        (-1, "?"),
        (float("nan"), "?"),
        (float("inf"), "?"),
    ],
)
def test_a_duration_is_short(seconds: float, said: str) -> None:
    assert words.duration(seconds) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (0.2, "0.2"),
        (1.31, "1.31"),
        (1.0, "1"),
        (8.4, "8.4"),
        (12.0, "12"),
        (12.34, "12.3"),
        (99.96, "100"),
        (1420.0, "1,420"),
        (0.0002, "0.0002"),
        (3e-7, "3e-07"),
        (2.5e12, "2.5e+12"),
        (float("nan"), "?"),
    ],
)
def test_a_number_has_about_three_digits(value: float, said: str) -> None:
    assert words.number(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(8.4, "+8.4 %"), (-1.2, "−1.2 %"), (0.0, "±0 %"), (0.004, "±0 %")]
)
def test_a_change_has_a_sign(value: float, said: str) -> None:
    assert words.signed_percent(value) == said


@pytest.mark.parametrize(
    ("octets", "said"),
    [(512, "512 B"), (65_536, "64 KiB"), (192 * 1024**3, "192 GiB"), (5 * 1024**5, "5,120 TiB")],
)
def test_a_size_has_a_binary_unit(octets: int, said: str) -> None:
    assert words.size(octets) == said


def test_a_time_of_day_keeps_its_day() -> None:
    assert words.clock("2026-11-30T13:54:07Z") == "2026-11-30 13:54 UTC"


def test_a_time_that_is_none_is_shown_as_it_is() -> None:
    assert words.clock("soon") == "soon"


@pytest.mark.parametrize(
    ("text", "said"), [("look at it", "Look at it."), ("Done!", "Done!"), ("", ""), ("a … ", "A …")]
)
def test_a_sentence_begins_large_and_ends(text: str, said: str) -> None:
    assert words.sentence(text) == said


def test_two_figures_get_the_digits_that_tell_them_apart() -> None:
    assert words.pair(100.0, 100.4) == ("100.0", "100.4")
    assert words.pair(100.0, 115.0) == ("100", "115")
    assert words.pair(100.0, 100.0) == ("100", "100")
    assert words.pair(None, 1.0) == ("", "1")
