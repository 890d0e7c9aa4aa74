"""Parts of a whole that jobs share without knowing of each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.errors import UsageError
from rocm_ci.schedule.part import Part, owner, parsed


@given(st.text(), st.integers(min_value=1, max_value=20))
def test_every_name_belongs_to_exactly_one_part(name: str, count: int) -> None:
    assert sum(Part(number=n, count=count).has(name) for n in range(1, count + 1)) == 1


def test_the_same_name_belongs_to_the_same_part_for_ever() -> None:
    # Machines with different releases of rocm-ci share one suite: this must never change.
    assert [owner(f"tests/test_a.py::test_{n}", 4) for n in range(8)] == [1, 4, 2, 4, 2, 3, 3, 1]


def test_many_names_are_spread_evenly() -> None:
    mine = [owner(f"test_{n}", 4) for n in range(4000)]

    assert all(abs(mine.count(part) - 1000) < 150 for part in range(1, 5))


def test_a_name_that_is_no_unicode_has_a_part_too() -> None:
    assert 1 <= owner("\udcff", 3) <= 3


@pytest.mark.parametrize("text", ["2/4", " 2/4 ", "1/1", "256/256"])
def test_a_part_is_written_as_a_fraction(text: str) -> None:
    assert str(parsed(text)) == text.strip()


@pytest.mark.parametrize(
    "text", ["", "0/4", "5/4", "1/257", "2", "a/b", "1/2/3", "-1/4", "1/0", "١/٢", "2/4\n;x"]
)
def test_anything_else_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(text)

    assert "2/4" in caught.value.hint
