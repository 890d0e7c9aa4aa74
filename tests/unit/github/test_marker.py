"""The hidden line that makes a comment ours."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.github import marker
from rocm_ci.github.client import MAX_BODY
from rocm_ci.github.marker import Stamp
from rocm_ci.model.verdict import Verdict

STAMP = Stamp(head="a" * 40, verdict=Verdict.FAIL, run=7, attempt=2, counts={"findings": 3})


@given(st.text(max_size=300))
def test_whatever_the_text_the_signature_is_found_again(text: str) -> None:
    found = marker.find(marker.sign(text, "default", STAMP))

    assert found == marker.Marker(key="default", stamp=STAMP)


def test_it_is_the_last_line_and_invisible() -> None:
    last = marker.sign("## no\n", "nightly", STAMP).split("\n")[-1]

    assert last.startswith("<!-- rocm-ci:v1 key=nightly payload=")
    assert last.endswith(" -->")
    assert "--" not in last[4:-3]


def test_a_marker_inside_the_text_does_not_count() -> None:
    forged = marker.sign("x", "default", STAMP).split("\n")[-1]

    assert marker.find(f"{forged}\n\nand more") is None
    assert marker.find(marker.sign(f"quoting {forged}\n", "other", STAMP)) == marker.Marker(
        key="other", stamp=STAMP
    )


def test_github_may_change_the_line_ends() -> None:
    assert marker.find(marker.sign("a\nb", "default", STAMP).replace("\n", "\r\n") + "\r\n") is not None


@pytest.mark.parametrize("length", [60_000, MAX_BODY - 100, MAX_BODY, 200_000])
@pytest.mark.parametrize("row", ["x" * 79, "é🔧" * 30])
def test_a_long_text_is_cut_between_lines_to_what_github_takes(length: int, row: str) -> None:
    text = "## verdict\n" + "\n".join([row] * (length // len(row)))

    body = marker.sign(text, "default", STAMP)

    assert len(body) <= MAX_BODY
    assert marker.find(body) == marker.Marker(key="default", stamp=STAMP)
    assert body.startswith("## verdict\n")
    assert set(body.split("\n")[1:-4]) <= {row}
    assert ("did not fit" in body) == (len(text) > MAX_BODY - 300)


def encoded(payload: bytes) -> str:
    return f"text\n\n<!-- rocm-ci:v1 key=default payload={base64.b64encode(payload).decode()} -->"


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        json.dumps({"head": 1}).encode(),
        json.dumps({"head": "a", "verdict": "great"}).encode(),
        b"[" * 2000,
    ],
)
def test_a_damaged_payload_is_still_our_comment_but_says_nothing(payload: bytes) -> None:
    assert marker.find(encoded(payload)) == marker.Marker(key="default", stamp=None)


def test_a_later_version_is_ours_too() -> None:
    body = marker.sign("x", "default", STAMP).replace("rocm-ci:v1", "rocm-ci:v2")

    assert marker.find(body) == marker.Marker(key="default", stamp=None)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello",
        "<!-- rocm-ci -->",
        "<!-- rocm-ci:v1 key=a b payload= -->",
        "<!-- rocm-ci:v1 key=a payload=%% -->",
        f"<!-- rocm-ci:v1 key=a payload={'A' * 5000} -->",
    ],
)
def test_other_comments_are_not_ours(body: str) -> None:
    assert marker.find(body) is None
