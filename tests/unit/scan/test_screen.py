"""Patterns for literals, tried on raw lines of Python."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.scan import screen
from rocm_ci.scan.rulebook import shipped
from rocm_ci.scan.source import RegionKind

STRING = (RegionKind.STRING,)


def passes(pattern: str, line: str, kinds: tuple[RegionKind, ...] = STRING, needle: bytes = b"") -> bool:
    made = screen.of_pattern(pattern, kinds)
    assert made is not None
    return made.passes(line.encode("utf-8", "surrogateescape"), needle)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("^cuda$", 'x = "cuda"'),
        ("^cuda$", "x = f'cuda'"),
        (r"(?<![\w-])-lcudart(?!\w)", '["-lcudart"]'),
        (r"(?<=\s)--gpus(?=[=\s])", 'run("docker run --gpus all")'),
        (r"(?<=\s)--gpus(?=[=\s])", '["--gpus"]'),
        (r"(?i)NVCC\b", 'x = "/bin/nvcc"'),
        (r"\bnvcc\b(?!\")", 'x = "nvcc"'),
    ],
)
def test_what_matches_inside_a_literal_passes(pattern: str, line: str) -> None:
    assert passes(pattern, line)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("^cuda$", 'x = "cuda:0"'),
        (r"https?://[^\s\"']*/whl/cu1\d\d", 'x = "https://example.org/simple"  # whl/cu128'),
        (r"(?<![\w-])-DUSE_CUDA=ON", '"x-DUSE_CUDA=ON"'),
    ],
)
def test_a_line_that_only_has_the_needle_does_not(pattern: str, line: str) -> None:
    assert not passes(pattern, line)


def test_a_needle_that_may_be_a_name_is_let_through() -> None:
    kinds = (RegionKind.STRING, RegionKind.CODE)

    assert passes("version.cuda.x|-lcuda", "from torch.version import cuda", kinds, b"version.cuda.x")
    assert not passes("version.cuda.x|-lcuda", "-lcud", kinds, b"-lcuda")


@pytest.mark.parametrize("pattern", [r"a\s+b", "cuda[^x]+y", "cuda\nx", r"(?:cuda\W)+z", r"\w+"])
def test_a_pattern_that_may_span_lines_or_has_no_needles_has_no_screen(pattern: str) -> None:
    assert screen.of_pattern(pattern, STRING) is None


def test_a_pattern_for_names_has_no_screen() -> None:
    assert screen.of_pattern("^torch.version.cuda$", (RegionKind.CODE,)) is None


PATTERNS = sorted(
    {
        spec.pattern
        for rule in shipped()
        for spec in rule.match
        if spec.pattern and "python" in rule.languages and screen.of_pattern(spec.pattern, STRING)
    }
)
QUOTES = st.sampled_from(['"', "'"])


@given(
    st.sampled_from(PATTERNS), QUOTES, st.text("x=( .", max_size=3), st.text(") #x,", max_size=3), st.data()
)
@settings(max_examples=500, suppress_health_check=list(HealthCheck))
def test_whatever_a_shipped_pattern_finds_in_a_literal_passes_on_its_line(
    pattern: str, quote: str, before: str, after: str, data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(pattern, alphabet=st.characters(codec="ascii", exclude_characters="\n")))
    text = text.rstrip("\n")
    if quote in text or not re.search(pattern, text, re.MULTILINE):
        return

    assert passes(pattern, f"{before}{quote}{text}{quote}{after}")
