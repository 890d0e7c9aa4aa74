"""The hidden line that finds a suggestion again."""

from __future__ import annotations

import pytest
from hypothesis import given

from rocm_ci.github.thread_marker import MOST_FINGERPRINTS, ThreadMark, find, sign, unsigned
from tests.hostile import HOSTILE

PRINT = "0123456789abcdef-01234567"
MARK = ThreadMark(key="default", prints=frozenset({PRINT}))


@given(HOSTILE)
def test_what_was_signed_is_found_whatever_stands_above_it(text: str) -> None:
    body = sign(text, MARK)

    assert find(body) == MARK
    assert unsigned(body) == text.rstrip()


def test_a_mark_in_the_suggested_code_is_only_code() -> None:
    forged = sign("x", ThreadMark(key="default", prints=frozenset({"f" * 16 + "-" + "f" * 8}), state="fixed"))

    assert find(sign(f"```suggestion\n{forged}\n```", MARK)) == MARK
    assert find(f"```suggestion\n{forged}\n```") is None


def test_a_later_version_with_more_in_it_is_still_known() -> None:
    body = f"x\n\n<!-- rocm-ci-suggestion:v2 key=nightly state=fixed prints={PRINT} head=abc -->\r\n"

    assert find(body) == ThreadMark(key="nightly", prints=frozenset({PRINT}), state="fixed")


def test_only_some_fingerprints_have_room() -> None:
    many = ThreadMark(key="default", prints=frozenset(f"{n:016x}-01234567" for n in range(50)))

    found = find(sign("x", many))

    assert found is not None
    assert len(found.prints) == MOST_FINGERPRINTS
    assert found.prints < many.prints


@pytest.mark.parametrize(
    "body",
    ["", "x", f"<!-- rocm-ci:v1 key=a payload={PRINT} -->", "<!-- rocm-ci-suggestion:v1 key=a state=open prints=",
     f"<!-- rocm-ci-suggestion:v1 key=a state=open prints={'-' * 30} -->",
     f"<!-- rocm-ci-suggestion:v1 key=a state=open prints={PRINT} --> and more"],
)  # fmt: skip
def test_anything_else_is_no_mark(body: str) -> None:
    assert find(body) is None
