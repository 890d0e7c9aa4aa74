"""A log line without what a terminal would act on."""

from __future__ import annotations

import pytest

from rocm_ci.build.line import MAX_LINE, plain


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\x1b[1ma.hip:3:1: \x1b[0m\x1b[0;1;31merror: \x1b[0mno", "a.hip:3:1: error: no"),
        (" 10%\r 50%\r100% done", "100% done"),
        ("half drawn\r", "half drawn"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;title\x07text", "text"),
        ("#12 34.5 a.hip:1:1: error: x", "a.hip:1:1: error: x"),
        ("bell\x07 back\x08space \x9b31m", "bell backspace 31m"),
        ("tab\tstays", "tab\tstays"),
        ("größer ‘quoted’", "größer ‘quoted’"),
    ],
)
def test_escapes_progress_and_control_characters_go(raw: str, text: str) -> None:
    assert plain(raw) == text


def test_a_long_line_is_cut() -> None:
    assert len(plain("x" * 1_000_000)) == MAX_LINE
