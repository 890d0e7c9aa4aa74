"""Literal needles of regular expressions: what every match must contain."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.scan.needles import ignores_case, of_pattern


@pytest.mark.parametrize(
    ("pattern", "needles"),
    [
        (r"\bcudaMalloc\b", {"cudaMalloc"}),
        (r"(?:cuda|nv)_runtime", {"cuda_runtime", "nv_runtime"}),
        (r"\bcuda[A-Z]\w*", {"cuda"}),
        (r"sm_\d{2}|compute_\d{2}", {"sm_", "compute_"}),
        (r"/opt/rocm(?:-\d[\d.]*)?(?![\w-])", {"/opt/rocm"}),
        (r"lib(?:cuda|nvrtc)\.so", {"libcuda.so", "libnvrtc.so"}),
        (r"[ab]c{1,2}", {"ac", "acc", "bc", "bcc"}),
        (r"(?i)\bnvcc\b", {"nvcc"}),
    ],
)
def test_needles_are_the_longest_literals_that_a_match_cannot_do_without(
    pattern: str, needles: set[str]
) -> None:
    assert of_pattern(pattern) == frozenset(needles)


@pytest.mark.parametrize("pattern", [r"\w+", r"x", r"(?:cuda)?", r"cuda|\d+", r".*", r"(?:ab)*c"])
def test_a_pattern_that_needs_no_literal_has_no_needles(pattern: str) -> None:
    assert of_pattern(pattern) is None


@pytest.mark.parametrize(("pattern", "told"), [(r"(?i)a", True), (r"x(?i:ab)", True), (r"ab", False)])
def test_ignoring_case_is_told_even_for_a_part(pattern: str, told: bool) -> None:
    assert ignores_case(pattern) is told


PIECES = st.sampled_from(
    ["cuda", "hip", "[ab]", "(?:x|yz)", "q?", r"\d", "z{1,2}", "w+", "(?:cu|nv)da", "(?=c)"]
)


@given(st.lists(PIECES, min_size=1, max_size=5).map("".join), st.text("cudahipxyzqw1nv b", max_size=30))
def test_whatever_matches_contains_a_needle(pattern: str, text: str) -> None:
    needles = of_pattern(pattern)
    for found in re.finditer(pattern, text):
        assert needles is None or any(needle in text for needle in needles), (pattern, found)
