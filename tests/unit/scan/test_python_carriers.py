"""Lines that name what was given a value that matters."""

from __future__ import annotations

import re

from rocm_ci.scan.python_carriers import with_carriers

SIGN = re.compile("get_cap")


def carried(text: str, *hits: int) -> tuple[int, ...] | None:
    return with_carriers(text, text.split("\n"), hits, SIGN)


def test_attributes_and_variables_are_followed_to_where_they_are_named() -> None:
    text = "class A:\n  def f(self):\n    self.cc = get_cap()\n\n  def g(self):\n    return self.cc >= 9\n"

    assert carried(text) == (3, 6)


def test_what_is_given_on_is_followed_once_more() -> None:
    assert carried("cap = get_cap()\nmajor, minor = cap\nx = 1\nmajor > 8\n") == (1, 2, 4)


def test_a_value_on_a_later_line_of_the_statement_is_seen() -> None:
    assert carried("cap = (\n  get_cap()\n)\nx = 1\ncap > 8\n") == (1, 2, 5)


def test_an_expression_that_names_its_value_is_seen() -> None:
    assert carried("if (cap := get_cap()):\n  pass\ncap > 8\n") == (1, 3)


def test_other_hits_stay_and_nothing_is_invented() -> None:
    assert carried("x = 1\nget_cap()\ny = x\n", 1) == (1, 2)


def test_too_many_names_are_given_up() -> None:
    assert carried("".join(f"v{n} = get_cap()\n" for n in range(60))) is None
