"""What must not stand in an error message does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.github.scrub import scrub

TOKEN = "ghs_0123456789abcdef0123"


@pytest.mark.attack("15", "a token, a password or a signed address in a network error")
@pytest.mark.parametrize(
    "said",
    [
        f"invalid header value b'token {TOKEN}'",
        f"your Authorization: Bearer {TOKEN} is bad",
        "Authorization: Basic dXNlcjpzZXNhbWUxMjM=",
        "cannot reach http://robot:sesame@proxy.example:3128",
        "Max retries exceeded with url: /blob/1?sig=sesame%3D&se=2026 (Caused by x)",
        "another one's github_pat_11SESAMEsesamesesame0123",
    ],
)
def test_tokens_passwords_and_signatures_are_struck_out(said: str) -> None:
    told = scrub(said, TOKEN)

    for secret in (TOKEN, "sesame", "SESAME", "dXNlcjpzZXNhbWUxMjM="):
        assert secret not in told


def test_what_helps_is_kept() -> None:
    said = "ProxyError: http://robot:sesame@proxy.example:3128 answered 407 for /repos/o/r?page=2 (token bad)"

    assert scrub(said, TOKEN) == (
        "ProxyError: http://***@proxy.example:3128 answered 407 for /repos/o/r?… (token bad)"
    )


def test_a_message_is_one_short_line() -> None:
    told = scrub("gone\n::error::forged\r\n" + "x" * 90_000, TOKEN)

    assert "\n" not in told
    assert "\r" not in told
    assert len(told) == 500
    assert scrub(None, TOKEN) == ""


@pytest.mark.parametrize("before", ["x" * 490 + " ", "?" + "x" * 4980 + " ", "//" + "x" * 4980 + "@"])
def test_a_secret_at_a_cut_is_not_shown_in_half(before: str) -> None:
    assert TOKEN[:6] not in scrub(before + TOKEN, TOKEN)


@given(st.text(), st.text())
def test_a_secret_is_never_shown_whatever_stands_around_it(before: str, after: str) -> None:
    told = scrub(before + TOKEN + after, TOKEN)

    assert TOKEN not in told
    assert len(told) <= 500
    assert "\n" not in told


def test_without_a_secret_nothing_is_lost() -> None:
    assert scrub("plain", "") == "plain"
