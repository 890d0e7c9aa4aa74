"""What a path or a glob of a build file means."""

from __future__ import annotations

import pytest

from rocm_ci.scan.source_patterns import ABOVE, UNKNOWN, Pattern, is_source


@pytest.mark.parametrize(
    ("base", "written", "path"),
    [
        ("", "csrc/a.cu", "csrc/a.cu"),
        ("src/hip", "../cuda/*.cu", "src/cuda/a.cu"),
        ("src", "./a.cu", "src/a.cu"),
        ("", "csrc/**/*.cu", "csrc/a.cu"),
        ("", "csrc/**/*.cu", "csrc/x/y/a.cu"),
        ("", "csrc/[ab]?.cu", "csrc/a1.cu"),
        ("op_builder", f"{ABOVE}/csrc/a.cu", "csrc/a.cu"),
        ("op_builder", f"{ABOVE}/csrc/a.cu", "op_builder/csrc/a.cu"),
        ("", f"csrc/fwd_{UNKNOWN}.cu", "csrc/fwd_64.cu"),
    ],
)
def test_a_pattern_means_what_lies_where_it_says(base: str, written: str, path: str) -> None:
    assert Pattern(base, written).means(path)


@pytest.mark.parametrize(
    ("base", "written", "path"),
    [
        ("", "csrc/a.cu", "other/csrc/a.cu"),
        ("", "csrc/*.cu", "csrc/x/a.cu"),
        ("", "csrc/a.cu", "csrc/axcu"),
        ("", f"{UNKNOWN}/csrc/a.cu", "csrc/a.cu"),
        ("", "csrc/[ab.cu", "csrc/a.cu"),
    ],
)
def test_a_pattern_means_nothing_else(base: str, written: str, path: str) -> None:
    assert not Pattern(base, written).means(path)


def test_a_recursive_glob_of_cmake_means_what_lies_below() -> None:
    assert Pattern("src", "*.cu", deep=True).means("src/x/y/a.cu")
    assert Pattern("src", "k/*.cu", deep=True).means("src/k/a.cu")
    assert not Pattern("src", "k/*.cu", deep=True).means("src/a.cu")


def test_a_pattern_with_an_unknown_start_may_mean_any_path_that_ends_like_it() -> None:
    assert Pattern("", f"{UNKNOWN}/csrc/a.cu").may_mean("third/csrc/a.cu")
    assert Pattern("hopper", "a.cu").may_mean("hopper/x/a.cu")
    assert not Pattern("hopper", "a.cu").may_mean("csrc/a.cu")


@pytest.mark.parametrize("text", ["a.cu", "csrc/*", "x/y.cpp", f"{UNKNOWN}/k.hip", "gen/make.py"])
def test_sources_and_globs_are_told_from_other_words(text: str) -> None:
    assert is_source(text)


@pytest.mark.parametrize("text", ["", "-O3", "12.8", "a b.cu", "cu", f"{UNKNOWN}/*", "x" * 500 + ".cu"])
def test_other_words_are_no_sources(text: str) -> None:
    assert not is_source(text)
