"""Bytes → rules that could match."""

from __future__ import annotations

from rocm_ci.scan.prefilter import Prefilter


def test_a_rule_is_possible_when_one_of_its_needles_is_there() -> None:
    prefilter = Prefilter([frozenset({b"cuda", b"nvcc"}), frozenset({b"rocm"})])

    assert prefilter.possible(b"call nvcc now") == {0}
    assert prefilter.possible(b"nothing") == frozenset()


def test_a_rule_without_needles_is_always_possible() -> None:
    assert Prefilter([None, frozenset({b"cuda"})]).possible(b"") == {0}


def test_needles_inside_each_other_are_all_seen() -> None:
    prefilter = Prefilter([frozenset({b"cuda"}), frozenset({b"cudaMalloc"}), frozenset({b"Malloc"})])

    assert prefilter.possible(b"cudaMalloc") == {0, 1, 2}


def test_folded_rules_ignore_the_case_of_the_file_and_others_do_not() -> None:
    prefilter = Prefilter([frozenset({b"nvcc"}), frozenset({b"nvcc"})], folded=frozenset({1}))

    assert prefilter.possible(b"NVCC") == {1}


def test_bytes_that_are_no_utf8_do_no_harm() -> None:
    assert Prefilter([frozenset({b"cuda"})]).possible(b"\xff\xfe cuda \x80") == {0}
