"""Texts fit to be shown: clean and bounded."""

from __future__ import annotations

import pytest

from rocm_ci.runners.excerpt import EXCERPT_HEAD, EXCERPT_TAIL, Clip, clean, shortened, uncoloured


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x07", "link"),
        ("#x1B[31mpytest#x1B[0m", "pytest"),
        ("\x1b[2J\x1b[Hgone", "gone"),
        ("bell\x07 nul\x00 del\x7f csi\x9b", "bell nul del csi"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("\u202eevil\u2066", "evil"),
        ("100% & <ok>", "100% & <ok>"),
        ("lone \x1b", "lone "),
    ],
)
def test_control_and_colour_are_taken_out(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_colour_codes_without_escape_go_only_in_pairs() -> None:
    assert uncoloured("[31mred[0m") == "red"
    assert uncoloured("test[10m]") == "test[10m]"


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    clip = Clip()
    for number in range(100_000):
        clip.add(f"{number}\n")

    text = clip.text()
    assert text.startswith("0\n1\n")
    assert text.endswith("99999")
    assert "characters left out" in text
    assert len(text) < EXCERPT_HEAD + EXCERPT_TAIL + 60


@pytest.mark.parametrize("size", [0, 1, EXCERPT_HEAD, EXCERPT_HEAD + 1, EXCERPT_HEAD + EXCERPT_TAIL])
def test_a_text_within_the_bound_stays_whole(size: int) -> None:
    clip = Clip()
    clip.add("x" * size)

    assert clip.text() == "x" * size


def test_what_is_cut_is_said() -> None:
    assert shortened("x" * 10, 5) == "xxx …"
    assert shortened("x" * 5, 5) == "xxxxx"
