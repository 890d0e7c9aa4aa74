"""Searching by literals first."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.scan.literal_search import finditer, lines_naming, lines_with

PATTERNS = [
    r"\bcuda\w*",
    r"cuda|hip",
    r"(?<![\w.])hip(?=\s|$)",
    r"a\s+b",
    r"(?i)CUDA",
    r"^cuda",
    r"cuda$",
    r"[^x]hip",
    r"\w+",
    r"cu(?:da)?\d?$|(?m:^hip)",
    r"(?:cu|hi|a|b)(?:da|p|x|1)[ab.]?(?!x)",
]
TEXTS = st.lists(
    st.sampled_from(["cuda", "hip", "CUDA", "a", "b", " ", "\n", ".", "x", "cu1"]), max_size=25
).map("".join)


@given(st.sampled_from(PATTERNS), TEXTS)
def test_the_same_is_found_as_without_looking_for_literals(pattern: str, text: str) -> None:
    compiled = re.compile(pattern)

    assert [m.span() for m in finditer(compiled, text)] == [m.span() for m in compiled.finditer(text)]


@given(st.sampled_from(PATTERNS), TEXTS)
def test_the_lines_are_those_on_which_a_match_begins(pattern: str, text: str) -> None:
    compiled = re.compile(pattern)

    begins = sorted({text.count("\n", 0, m.start()) + 1 for m in compiled.finditer(text)})

    assert lines_with(compiled, text) == begins


@given(
    st.lists(st.sampled_from(["cuda", "da", "cu1"]), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(["cuda", "da", "cu1", "_", ".", " ", "\n", "é"]), max_size=25).map("".join),
)
def test_names_are_found_as_whole_words(words: list[str], text: str) -> None:
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b")

    begins = sorted({text.count("\n", 0, m.start()) + 1 for m in pattern.finditer(text)})

    assert lines_naming(words, text) == begins


@pytest.mark.parametrize("pattern", [r"\bcuda\w*", r"a\s+b"])
def test_nothing_is_found_in_nothing(pattern: str) -> None:
    assert lines_with(re.compile(pattern), "") == []
