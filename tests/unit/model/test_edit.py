"""Edits of lines: applied together, refused when they touch each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.model.edit import Edit, in_order, patched


def edit(line: int, column: int, end: int, text: str) -> Edit:
    return Edit(line=line, column=column, end=end, text=text)


def test_edits_of_one_line_and_of_several_are_applied_at_their_old_places() -> None:
    edits = in_order([edit(2, 5, 8, "Y"), edit(1, 1, 2, "bb"), edit(1, 3, 3, "+")])

    assert edits is not None
    assert patched(["a c", "def ghi"], edits) == ["bb +c", "def Y"]


def test_equal_edits_count_once() -> None:
    assert in_order([edit(1, 1, 2, "x"), edit(1, 1, 2, "x")]) == (edit(1, 1, 2, "x"),)


@pytest.mark.parametrize(
    "other",
    [edit(1, 4, 9, "z"), edit(1, 3, 5, "z"), edit(1, 3, 7, "other"), edit(1, 5, 5, "z"), edit(1, 3, 3, "z")],
    ids=["behind", "before", "same place", "insertion within", "insertion at the start"],
)
def test_edits_that_touch_each_other_are_refused(other: Edit) -> None:
    assert in_order([edit(1, 3, 7, "x"), other]) is None


def test_neighbours_do_not_touch() -> None:
    assert in_order([edit(1, 3, 5, "x"), edit(1, 5, 7, "y")]) is not None


@pytest.mark.parametrize("bad", [edit(3, 1, 1, ""), edit(0, 1, 1, ""), edit(1, 0, 1, ""), edit(1, 2, 5, "")])
def test_a_place_that_is_not_there_is_an_error(bad: Edit) -> None:
    with pytest.raises(ValueError, match="no text at"):
        patched(["abc", "d"], (bad,))


def test_a_later_first_line_shifts_the_numbers() -> None:
    assert patched(["abc"], (edit(41, 2, 3, "X"),), first=41) == ["aXc"]


@given(st.text("ab \U0001f600é", max_size=30), st.data())
def test_what_is_between_the_edits_stays(line: str, data: st.DataObject) -> None:
    cuts = (
        sorted(data.draw(st.lists(st.integers(1, len(line) + 1), min_size=4, max_size=4, unique=True)))
        if len(line) > 3
        else []
    )
    if not cuts:
        return
    edits = in_order([edit(1, cuts[0], cuts[1], "<"), edit(1, cuts[2], cuts[3], ">")])
    assert edits is not None

    a, b, c, d = (cut - 1 for cut in cuts)
    assert patched([line], edits) == [line[:a] + "<" + line[b:c] + ">" + line[d:]]
