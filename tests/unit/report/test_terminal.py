from __future__ import annotations

import re

import pytest

from rocm_ci.report import terminal
from tests import matrices, reports
from tests.hostile import NASTY

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("mood", reports.MOODS)
def test_every_mood_shows_headline_table_and_machine(mood: str) -> None:
    shown = terminal.render(reports.MOODS[mood](), colour=False)

    assert "ROCm CI: " in shown
    assert "against base" in shown
    assert "Machine: " in shown
    assert "\x1b" not in shown


def test_what_to_fix_is_numbered_with_place_and_command() -> None:
    shown = terminal.render(reports.red(), colour=False)

    assert " 1. csrc/reduce.hip:41" in shown
    assert "    write: 0xffffffffffffffffull" in shown
    assert "run it: pytest 'tests/test_reduce.py::test_row_sum[4096]'" in shown


def test_colours_are_there_when_asked_for_and_say_nothing_of_their_own() -> None:
    coloured = terminal.render(reports.red(), colour=True)

    assert ESCAPE.search(coloured)
    assert ESCAPE.sub("", coloured).split() == terminal.render(reports.red(), colour=False).split()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    from rich.cells import cell_len

    shown = terminal.render(reports.red(), colour=False, width=width)

    assert max(map(cell_len, shown.split("\n"))) <= width


@pytest.mark.attack("7", "terminal escapes and control characters in every text")
@pytest.mark.parametrize("mood", ["red", "infra"])
def test_no_text_moves_the_cursor(mood: str) -> None:
    for nasty in NASTY:
        hostile = reports.with_every_text(reports.MOODS[mood](), f"x{nasty}y [red]z[/red] :smile:")
        shown = terminal.render(hostile, colour=False)

        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", shown)
        assert "[red]" in shown
        shown.encode()


def test_a_very_long_list_is_cut_and_counted() -> None:
    findings = [reports.finding(line=n) for n in range(1, 40)]

    shown = terminal.render(reports.report(reports.scan(*findings)), colour=False)

    assert "… and 29 more, in the report" in shown


def test_a_matrix_shows_its_legs() -> None:
    shown = terminal.render(matrices.matrix("matrix-one-bad"), colour=False, width=120)

    assert "mi250x and mi300x" in shown
    assert "test_row_sum[4096] in tests/test_reduce.py:88 on mi210 only" in shown
    assert "Machine mi210: 1 × AMD Instinct MI210" in shown


def test_a_leg_without_a_report_has_no_machine() -> None:
    shown = terminal.render(matrices.matrix("matrix-lost"), colour=False, width=120)

    assert "leg mi355x  left no report: its job was cancelled" in shown
    assert "Machine mi355x" not in shown
