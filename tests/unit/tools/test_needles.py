"""Literal needles of regular expressions: what every match must contain."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.scan.rulebook import shipped
from rocm_ci.tools.needles import ignores_case, of_pattern, texts_of


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
        (r"--(?:gpus[= ]\S+|nv\b)", {"--gpus=", "--gpus ", "--nv"}),
        (r"(?:\w+_)?cuda(?:_\w+|rt)", {"cuda_", "cudart"}),
        (r"[$]?CUDA_\w+", {"CUDA_", "$CUDA_"}),
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


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("^(?:call:)(run|exec)$", {"call:run", "call:exec"}),
        (r"^call:os\.system$", {"call:os.system"}),
        (r"^call:.*run$", None),
        ("^(x|y+)$", None),
    ],
)
def test_the_texts_of_a_pattern_are_all_that_it_can_match_or_unknown(
    pattern: str, texts: set[str] | None
) -> None:
    assert texts_of(pattern) == texts


PIECES = st.sampled_from(
    [
        *("cuda", "hip", "[ab]", "(?:x|yz)", "q?", r"\d", "z{1,2}", "w+", "(?:cu|nv)da", "(?=c)", "(?<!n)"),
        *("(?:x|y+z)", "(?:cu|c[uv]*d)", ".", "n{2}", "(?:da)*", "(?:q|w1)+", "(?:b|)", "[^a]", "nv??"),
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=6).map("".join), st.data())
def test_whatever_matches_contains_a_needle(pattern: str, data: st.DataObject) -> None:
    needles = of_pattern(pattern)
    text = data.draw(st.one_of(st.from_regex(pattern), st.text("cudahipxyzqw1nv b", max_size=30)))
    for found in re.finditer(pattern, text):
        assert needles is None or any(needle in found[0] for needle in needles), (pattern, found)


PATTERNS = sorted({spec.pattern for rule in shipped() for spec in rule.match if spec.pattern})


@given(st.sampled_from(PATTERNS), st.data())
@settings(max_examples=400, suppress_health_check=list(HealthCheck))
def test_whatever_a_shipped_pattern_matches_contains_a_needle_of_it(
    pattern: str, data: st.DataObject
) -> None:
    needles = of_pattern(pattern)
    folded = ignores_case(pattern)
    for found in re.finditer(
        pattern, data.draw(st.from_regex(pattern, alphabet=st.characters(codec="ascii")))
    ):
        text = found[0].lower() if folded else found[0]
        assert needles is None or any((n.lower() if folded else n) in text for n in needles), found
