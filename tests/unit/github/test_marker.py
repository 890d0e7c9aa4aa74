"""The hidden lines that make a comment ours, and what may stand in them."""

from __future__ import annotations

import base64
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.errors import UsageError
from rocm_ci.github import marker
from rocm_ci.github.client import MAX_BODY
from rocm_ci.github.marker import MAX_PAYLOAD, Marker, Stamp
from rocm_ci.model.past import Acceptance, Point
from rocm_ci.model.verdict import Verdict

POINT = Point(head="b" * 12, verdict=Verdict.PASS, at="2026-11-30T12:00:00Z", run=6, attempt=1)
ACCEPTANCE = Acceptance(name="saxpy", effect_pct=8.4, by="amy", reason="wider tiles", head="a" * 40)
STAMP = Stamp(
    head="a" * 40,
    verdict=Verdict.FAIL,
    run=7,
    attempt=2,
    counts={"findings": 3},
    effects_pct={"saxpy": 8.4},
    history=(POINT,),
    accepted=(ACCEPTANCE,),
)
FIRST = "<!-- rocm-ci:v1 key=default -->"


@given(st.text(max_size=300))
def test_whatever_the_text_the_signature_is_found_again(text: str) -> None:
    body = marker.sign(text, "default", STAMP)

    assert marker.find(body) == Marker(key="default", stamp=STAMP)


@given(
    st.text(alphabet=st.characters(exclude_characters="\r"), max_size=300), st.sampled_from(["", "> ⏳ wait"])
)
def test_the_text_comes_out_again_with_and_without_a_notice(text: str, notice: str) -> None:
    body = marker.sign(text, "default", STAMP, notice=notice)

    assert marker.text_of(body) == text.strip()
    assert marker.find(body) == Marker(key="default", stamp=STAMP)
    assert body.startswith(f"{FIRST}\n{notice}")


def test_both_hidden_lines_are_comments_of_html_and_nothing_in_them_ends_one() -> None:
    first, *_, last = marker.sign("## no\n", "nightly", STAMP).split("\n")

    assert first == "<!-- rocm-ci:v1 key=nightly -->"
    assert last.startswith("<!-- rocm-ci:v1 key=nightly payload=")
    assert last.endswith(" -->")
    assert "--" not in last[4:-3]


@pytest.mark.attack("6", "a text that holds our own marker")
def test_a_marker_inside_the_text_does_not_count() -> None:
    forged = marker.sign("x", "default", STAMP).split("\n")[-1]

    assert marker.find(f"{forged}\n\nand more") is None
    assert marker.find(f"words\n{FIRST}\nwords") is None
    assert marker.find(marker.sign(f"quoting {FIRST}\n{forged}\n", "other", STAMP)) == Marker(
        key="other", stamp=STAMP
    )


def test_github_may_change_the_line_ends() -> None:
    body = marker.sign("a\nb", "default", STAMP, notice="> wait").replace("\n", "\r\n") + "\r\n"

    assert marker.find(body) == Marker(key="default", stamp=STAMP)
    assert marker.text_of(body) == "a\nb"


@pytest.mark.parametrize("keep", [40, 200, 900])
def test_a_comment_whose_end_was_cut_off_is_still_ours_but_remembers_nothing(keep: int) -> None:
    body = marker.sign("## verdict\n" + "words\n" * 200, "nightly", STAMP)[:keep]

    assert marker.find(body) == Marker(key="nightly", stamp=None)


def test_a_comment_whose_beginning_was_cut_off_is_still_ours_but_is_not_believed() -> None:
    body = marker.sign("## verdict", "nightly", STAMP).partition("\n")[2]

    assert marker.find(body) == Marker(key="nightly", stamp=None)


def test_ends_of_two_different_comments_are_not_believed() -> None:
    first = marker.sign("x", "default", STAMP).split("\n")[0]
    last = marker.sign("x", "other", STAMP).split("\n")[-1]

    assert marker.find(f"{first}\ntext\n\n{last}") == Marker(key="other", stamp=None)


@pytest.mark.parametrize("length", [59_000, MAX_BODY - 100, MAX_BODY, 200_000])
@pytest.mark.parametrize("row", ["x" * 79, "é🔧" * 30], ids=["ascii", "wide"])
def test_a_long_text_is_cut_between_lines_to_what_github_takes(length: int, row: str) -> None:
    text = "## verdict\n" + "\n".join([row] * (length // len(row)))

    body = marker.sign(text, "default", STAMP, notice="> wait")

    assert len(body) <= MAX_BODY
    assert marker.find(body) == Marker(key="default", stamp=STAMP)
    shown = marker.text_of(body)
    assert shown.startswith("## verdict\n")
    assert set(shown.split("\n")[1:-2]) <= {row}
    assert ("did not fit" in shown) == (shown != text)


def test_a_report_of_60_000_characters_fits_beside_the_largest_memory_and_a_notice() -> None:
    stamp = msgspec.structs.replace(STAMP, history=(POINT,) * 60)

    body = marker.sign("x" * 59_999, "k" * 40, stamp, notice="> " + "n" * 300)

    assert marker.text_of(body) == "x" * 59_999


def test_of_too_much_to_remember_the_oldest_goes_first_and_acceptances_stay() -> None:
    history = tuple(msgspec.structs.replace(POINT, run=number) for number in range(60))
    stamp = msgspec.structs.replace(STAMP, history=history)

    found = marker.find(marker.sign("x", "default", stamp))

    assert found is not None
    assert found.stamp is not None
    kept = [point.run for point in found.stamp.history]
    assert kept == list(range(60 - len(kept), 60))
    assert 5 < len(kept) < 60
    assert found.stamp.accepted == (ACCEPTANCE,)


def test_even_a_memory_that_is_all_too_large_is_cut_and_the_run_is_kept() -> None:
    stamp = msgspec.structs.replace(STAMP, at="x" * 9000, effects_pct={"y" * 9000: 1.0})

    found = marker.find(marker.sign("x", "default", stamp))

    assert found == Marker(key="default", stamp=Stamp(head="a" * 40, verdict=Verdict.FAIL, run=7, attempt=2))


def holding(payload: bytes) -> str:
    packed = base64.b64encode(payload).decode()
    return f"{FIRST}\ntext\n\n<!-- rocm-ci:v1 key=default payload={packed} -->"


def changed(**values: object) -> bytes:
    known = msgspec.to_builtins(STAMP)
    return json.dumps({**known, **values}).encode()


def test_the_payload_of_the_next_tests_is_right_unless_they_break_it() -> None:
    assert marker.find(holding(changed())) == Marker(key="default", stamp=STAMP)


@pytest.mark.attack("11", "a payload that somebody with write access or another workflow made up")
@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"[" * 2000,
        json.dumps({"head": 1}).encode(),
        changed(verdict="great"),
        changed(head="a; rm -rf /"),
        changed(head="[x](https://evil.example)"),
        changed(run=-1),
        changed(run=2**53),
        changed(attempt=10**30),
        changed(counts={"failed": -4}),
        changed(counts={"failed": 2**40}),
        changed(counts={f"n{n}": 1 for n in range(61)}),
        changed(counts={"x" * 501: 1}),
        changed(effects_pct={"x": 1e999}),
        changed(at="x" * 501),
        changed(history=[{"head": "b" * 12, "verdict": "pass"}] * 61),
        changed(history=[{"head": "not a commit", "verdict": "pass"}]),
        changed(history=[{"head": "b" * 12, "verdict": "pass", "unknown": 1}]),
        changed(accepted=[{"name": "x", "effect_pct": 1e999, "by": "a", "reason": "r", "head": "a" * 40}]),
        changed(accepted=[{"name": "x" * 501, "effect_pct": 1, "by": "a", "reason": "r", "head": "a" * 40}]),
        changed(awaited_head="<script>"),
        b'{"head":"' + b"a" * MAX_PAYLOAD + b'"}',
    ],
)
def test_a_damaged_or_forged_payload_is_our_comment_but_says_nothing(payload: bytes) -> None:
    assert marker.find(holding(payload)) == Marker(key="default", stamp=None)


@pytest.mark.parametrize("rest", [" payload=AAAA", " memory=zstd:AAAA sum=1", ""])
def test_a_later_version_is_ours_too_whatever_it_writes(rest: str) -> None:
    whole = f"<!-- rocm-ci:v2 key=default -->\ntext\n\n<!-- rocm-ci:v2 key=default{rest} -->"

    found = marker.find(whole)

    assert found == Marker(key="default", stamp=None, version=2)
    assert found.is_newer
    assert marker.find(whole.partition("\n")[2]) == found


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello",
        "<!-- rocm-ci -->",
        "<!-- rocm-ci:v1 -->",
        "<!-- rocm-ci:v1 key=-x -->",
        f"<!-- rocm-ci:v1 key={'a' * 41} -->",
        " <!-- rocm-ci:v1 key=a --> text",
        f"text <!-- rocm-ci:v1 key=a payload={'A' * 9000} -->",
        "<!-- rocm-ci:v1 key=a payload=AAAA --> text",
    ],
)
def test_other_comments_are_not_ours(body: str) -> None:
    assert marker.find(body) is None


def test_a_megabyte_of_beginnings_is_read_quickly() -> None:
    assert marker.find("<!-- rocm-ci:v1 key=a " * 50_000) is None


@pytest.mark.attack("13", "a report whose status would have the name of the bot's ok-to-test")
@pytest.mark.parametrize("key", ["ok-to-test", "OK-to-test", "", "a b", "-->", "x" * 41])
def test_a_key_tells_reporters_apart_and_nothing_else(key: str) -> None:
    with pytest.raises(UsageError, match="is no key"):
        marker.checked_key(key)
    assert marker.checked_key("nightly.gfx90a") == "nightly.gfx90a"
