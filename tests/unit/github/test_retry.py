"""When a request is sent again."""

from __future__ import annotations

import pytest

from rocm_ci.github.retry import Failure, wait_s

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


def wait(
    status: int | None, message: str = "", *, attempt: int = 1, repeatable: bool = True, **headers: str
) -> float | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    failure = Failure(status=status, message=message, headers=named)
    return wait_s(failure, attempt=attempt, repeatable=repeatable, now=1000.0, pause_s=1.0)


@pytest.mark.parametrize("status", [None, 500, 502, 503, 504])
def test_waits_double_after_an_outage(status: int | None) -> None:
    assert [wait(status, attempt=n) for n in (1, 2, 3)] == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("status", [None, 500, 502, 503, 504])
def test_what_may_have_happened_is_not_repeated(status: int | None) -> None:
    assert wait(status, repeatable=False) is None


@pytest.mark.parametrize("status", [400, 401, 404, 409, 422])
def test_a_plain_no_is_final(status: int) -> None:
    assert wait(status) is None


def test_a_forbidden_call_is_final() -> None:
    assert wait(403, "Resource not accessible by integration", x_ratelimit_remaining="942") is None


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("repeatable", [True, False])
def test_the_advised_wait_is_obeyed_even_for_a_write(status: int, repeatable: bool) -> None:
    assert wait(status, SECONDARY, repeatable=repeatable, retry_after="17") == 17.0


def test_a_secondary_limit_without_advice_waits_a_minute() -> None:
    assert wait(403, SECONDARY) == 60.0
    assert wait(429) == 60.0


def test_the_primary_limit_waits_until_its_reset() -> None:
    message = "API rate limit exceeded for installation"

    assert wait(403, message, x_ratelimit_remaining="0", x_ratelimit_reset="1090") == 91.0
    assert wait(403, message, x_ratelimit_remaining="0", x_ratelimit_reset="900") == 1.0


@pytest.mark.parametrize("advice", ["soon", "-5", "", "1e9", "Wed, 99 Oct 2026 07:28:00 GMT"])
def test_advice_that_is_neither_a_number_nor_a_date_is_no_advice(advice: str) -> None:
    assert wait(503, retry_after=advice) == 1.0
    assert wait(429, retry_after=advice) == 60.0


def test_advice_may_be_a_date() -> None:
    assert wait(429, retry_after="Thu, 01 Jan 1970 00:17:00 GMT") == 20.0
    assert wait(503, retry_after="Thu, 01 Jan 1970 00:17:00 GMT") == 20.0


def test_a_date_that_has_passed_needs_no_waiting() -> None:
    assert wait(429, retry_after="Thu, 01 Jan 1970 00:00:00 GMT") == 0.0


def test_what_was_never_sent_may_always_be_sent_again() -> None:
    failure = Failure(status=None, message="ConnectTimeout", never_sent=True)

    assert wait_s(failure, attempt=1, repeatable=False, now=0.0, pause_s=1.0) == 1.0
    assert not failure.is_unclear


def test_what_is_hopeless_is_not_tried_again() -> None:
    failure = Failure(status=None, message="SSLError", is_hopeless=True)

    assert wait_s(failure, attempt=1, repeatable=True, now=0.0, pause_s=1.0) is None
    assert not failure.is_unclear


@pytest.mark.parametrize("jitter", [0.0, 0.3, 1.0])
def test_no_wait_is_shorter_for_chance_than_what_was_advised(jitter: float) -> None:
    def shaken(status: int, **headers: str) -> float | None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        failure = Failure(status=status, message="", headers=named)
        return wait_s(failure, attempt=1, repeatable=True, now=1000.0, pause_s=2.0, jitter=jitter)

    assert shaken(502) == 2.0 + jitter
    assert shaken(429, retry_after="9") == 9.0 + 2.0 * jitter
    assert shaken(429) == 60.0 + 2.0 * jitter
    assert shaken(403, x_ratelimit_remaining="0", x_ratelimit_reset="1009") == 10.0 + 2.0 * jitter
