"""Votes that are cut to 32 bits."""

from __future__ import annotations

import pytest

from rocm_ci.scan.detectors.c_ballot_width import DETECTOR
from tests.unit.scan.detectors.seen import seen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("const unsigned votes = __ballot(p);", [(1, "__ballot")]),
        ("unsigned int m = __ballot_sync(all, p);", [(1, "__ballot_sync")]),
        ("uint32_t active = __activemask();", [(1, "__activemask")]),
        ("int n = __popc(__ballot(p));", [(1, "__popc")]),
        ("int first = __ffs(__ballot(p)) - 1;", [(1, "__ffs")]),
        ("auto m = static_cast<unsigned>(__ballot(p));", [(1, "__ballot")]),
        ("auto m = (uint32_t)__ballot(p);", [(1, "__ballot")]),
        ("int same = __match_any_sync(all, key);", [(1, "__match_any_sync")]),
    ],
)
def test_a_narrowed_vote_is_seen(text: str, found: list[tuple[int, str]]) -> None:
    assert [line for line, _ in seen(DETECTOR, text)] == [line for line, _ in found]


@pytest.mark.parametrize(
    "text",
    [
        "unsigned long long votes = __ballot(p);",
        "uint64_t votes = __ballot(p);",
        "auto votes = __ballot(p);",
        "int n = __popcll(__ballot(p));",
        "int n = __popc(word);",
        "std::vector<unsigned> ballot;",
        "#if !defined(USE_ROCM)\nunsigned votes = __ballot_sync(m, p);\n#endif",
        "if (__ballot(p) == 0) return;",
    ],
)
def test_a_whole_vote_is_right(text: str) -> None:
    assert seen(DETECTOR, text) == []
