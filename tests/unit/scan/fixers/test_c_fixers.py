"""Repairs of wave64 code: what becomes of a line, and what is left alone because nobody can be sure."""

from __future__ import annotations

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.edit import in_order, patched
from rocm_ci.scan.engine import scan
from tests.unit.scan.trees import BOOK, Tree

RULES = ("lane-mask-32-bit", "ballot-in-32-bits", "lane-shift-32-bit")


def repaired(text: str, path: str = "a.hip", *, unsafe: bool = True) -> str:
    """The text after the edits of these rules, each finding's taken by itself."""
    scanned = scan(Tree({path: text}), whole_tree((path,)), ScanOptions(), ("gfx90a",), book=BOOK)
    found = [f for f in scanned.findings if f.rule in RULES and (unsafe or not f.unsafe)]
    edits = in_order(edit for f in found for edit in f.edits)
    assert edits is not None
    return "\n".join(patched(text.split("\n"), edits))


def device(body: str) -> str:
    return f"__device__ int f(bool b, int lane) {{\n{body}\n}}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("__shfl_sync(0xffffffff, v, 0);", "__shfl_sync(0xffffffffffffffffull, v, 0);"),
        ("__shfl_sync( 0xFFFFFFFFU , v, 0);", "__shfl_sync( 0xFFFFFFFFFFFFFFFFULL , v, 0);"),
        ("__any_sync((unsigned)0xffffffffu, b);", "__any_sync(0xffffffffffffffffull, b);"),
        ("__shfl_down_sync(~0u, v, 1);", "__shfl_down_sync(~0ull, v, 1);"),
        ("__shfl_sync(UINT32_MAX, v, 0);", "__shfl_sync(0xffffffffffffffffull, v, 0);"),
        ("__syncwarp(0xffffffff);", "__syncwarp(0xffffffffffffffffull);"),
    ],
)
def test_a_constant_in_a_call_gets_64_bits_and_loses_its_cast(before: str, after: str) -> None:
    assert repaired(device(before), unsafe=False) == device(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("unsigned m = 0xffffffff;", "unsigned long long m = 0xffffffffffffffffull;"),
        ("const uint32_t m{0xffffffffu};", "const unsigned long long m{0xffffffffffffffffull};"),
        ("unsigned long long m = 0xffffffff;", "unsigned long long m = 0xffffffffffffffffull;"),
        ("auto m = 0xffffffff;", "auto m = 0xffffffffffffffffull;"),
    ],
)
def test_a_name_that_is_only_a_mask_is_widened_with_its_type(before: str, after: str) -> None:
    use = "\nreturn __shfl_sync(m, lane, 0);"

    assert repaired(device(before + use), unsafe=False) == device(after + use)


def test_a_name_that_serves_something_else_too_is_unsafe() -> None:
    text = device("unsigned m = 0xffffffff;\nif (m == lane) return 1;\nreturn __shfl_sync(m, lane, 0);")

    assert repaired(text, unsafe=False) == text
    assert "unsigned long long m" in repaired(text)


def test_a_name_in_a_header_is_unsafe_for_others_may_use_it() -> None:
    text = "#define FULL_MASK 0xffffffff\n__device__ int f(int v) { return __shfl_sync(FULL_MASK, v, 0); }\n"

    assert repaired(text, "a.cuh", unsafe=False) == text
    assert repaired(text, "a.hip", unsafe=False) == text.replace("0xffffffff", "0xffffffffffffffffull")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return __popc(__ballot(b));", "return __popcll(__ballot(b));"),
        ("return __popc((unsigned)__ballot(b));", "return __popcll(__ballot(b));"),
        ("return __builtin_popcount(__ballot(b));", "return __builtin_popcountll(__ballot(b));"),
        (
            "unsigned v = __ballot(b);\nreturn __popc(v);",
            "unsigned long long v = __ballot(b);\nreturn __popcll(v);",
        ),
        (
            "const uint32_t v = (uint32_t)__ballot(b);\nif (!v || v == 0) return 0;\nreturn __ffs(v) - 1;",
            "const unsigned long long v = __ballot(b);\nif (!v || v == 0) return 0;\nreturn __ffsll(v) - 1;",
        ),
        (
            "unsigned int v = __ballot(b);\nreturn __popc(v & ((1u << lane) - 1)) + ((v >> lane) & 1);",
            "unsigned long long v = __ballot(b);\nreturn __popcll(v & ((1ull << lane) - 1)) + ((v >> lane) & 1);",
        ),
        (
            "unsigned v = __ballot(b);\nwhile (v) { lane += __ffs(v); v &= v - 1; }",
            "unsigned long long v = __ballot(b);\nwhile (v) { lane += __ffsll(v); v &= v - 1; }",
        ),
        (
            "unsigned v = __activemask();\nreturn __shfl_sync(v, lane, __ffs(v) - 1);",
            "unsigned long long v = __activemask();\nreturn __shfl_sync(v, lane, __ffsll(v) - 1);",
        ),
    ],
)
def test_a_vote_and_all_that_reads_it_are_widened_together(before: str, after: str) -> None:
    assert repaired(device(before)) == device(after)


@pytest.mark.parametrize(
    "body",
    [
        "unsigned v = __ballot(b);\nreturn __clz(v);",
        "unsigned v = __ballot(b);\nreturn __brev(v) >> 3;",
        "unsigned v = __ballot(b);\nout[0] = v;\nreturn __popc(v);",
        "unsigned v = __ballot(b);\nuse(&v);",
        "unsigned v = __ballot(b);\nreturn __popc(v ^ other);",
        "unsigned v = __ballot(b);\nunsigned w = v;\nreturn __popc(w);",
        "unsigned v = __ballot(b) & 0xff;\nreturn __popc(v);",
        "unsigned v = __ballot(b), w = 3;\nreturn __popc(v);",
        "unsigned\nv = __ballot(b);\nuse(v);",
        "return __clz(__ballot(b));",
        "const uint64_t v = __ballot(b);\nreturn __ffs(v);",
        "if (__ballot(b) == 0xffffffff) return 1;",
    ],
)
def test_what_cannot_be_shown_to_be_right_is_left_alone(body: str) -> None:
    assert repaired(device(body)) == device(body)


def test_only_the_block_of_the_variable_is_changed() -> None:
    text = device("{ unsigned v = __ballot(b);\nlane += __popc(v); }\nunsigned v = 3;\nreturn __popc(v);")

    assert repaired(text) == device(
        "{ unsigned long long v = __ballot(b);\nlane += __popcll(v); }\nunsigned v = 3;\nreturn __popc(v);"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return votes & (1 << lane);", "return votes & (1ull << lane);"),
        ("return __popcll(votes & ((1u << lane) - 1));", "return __popcll(votes & ((1ull << lane) - 1));"),
        ("unsigned bit = 1u << lane;", "unsigned bit = 1u << lane;"),
        ("return votes & ((1u << warpSize) - 1);", "return votes & ((1u << warpSize) - 1);"),
        ("return on && (1 << lane);", "return on && (1 << lane);"),
    ],
)
def test_a_lanes_bit_is_widened_as_an_operand_only(before: str, after: str) -> None:
    assert repaired(device(before)) == device(after)
