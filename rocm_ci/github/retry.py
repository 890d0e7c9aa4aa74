"""When a failed request may be sent again, and after how long. Pure.

Facts: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api (primary limit:
403 or 429 with `x-ratelimit-remaining: 0`; secondary limit: 403 or 429, `retry-after` if given, else at
least a minute), RFC 9110 section 10.2.3 (`retry-after` is seconds or a date).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDARY_WAIT_S = 60.0
_TRANSIENT = {500, 502, 503, 504}
_LIMIT_WORDS = ("rate limit", "abuse detection")


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A request without success. `status` is None when no answer came; header names are lower case.

    `never_sent` says that GitHub cannot have seen it: no connection came about. `is_hopeless` says that
    it will fail the same way again, as with a certificate that nobody trusts.
    """

    status: int | None
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)
    never_sent: bool = False
    is_hopeless: bool = False

    @property
    def is_rate_limit(self) -> bool:
        """GitHub turned the request away before doing anything, and will take it later."""
        if self.status == 429:
            return True
        return self.status == 403 and (
            "retry-after" in self.headers
            or self.headers.get("x-ratelimit-remaining") == "0"
            or any(words in self.message.lower() for words in _LIMIT_WORDS)
        )

    @property
    def is_transient(self) -> bool:
        """No answer, or one that says nothing about whether the request was carried out."""
        return not self.is_hopeless and (self.status is None or self.status in _TRANSIENT)

    @property
    def is_unclear(self) -> bool:
        """It may have been carried out."""
        return self.is_transient and not self.never_sent


def wait_s(
    failure: Failure, *, attempt: int, repeatable: bool, now: float, pause_s: float, jitter: float = 0.0
) -> float | None:
    """Seconds until the request may be sent again; None when it must not be.

    `attempt` counts from 1; `now` is seconds since the epoch. `repeatable` says that doing it twice
    is the same as once: after an unclear answer nothing else may be repeated, but a request turned
    away by a rate limit, or never sent, always may. Without advice from GitHub the waits double, from
    `pause_s` on. `jitter` (0 to 1) lengthens each wait by up to half (by up to `pause_s` where GitHub
    advised it), so that jobs that failed together do not come back together.
    """
    backoff = pause_s * 2.0 ** (attempt - 1) * (1.0 + jitter / 2.0)
    advised = _advised(failure.headers.get("retry-after"), now)
    if failure.is_rate_limit:
        spread = jitter * pause_s
        if advised is not None:
            return advised + spread
        reset = _seconds(failure.headers.get("x-ratelimit-reset"))
        if failure.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            # The reset is told in whole seconds, rounded down.
            return max(reset - now, 0.0) + 1.0 + spread
        return max(SECONDARY_WAIT_S + spread, backoff)
    if failure.is_transient and (repeatable or failure.never_sent):
        return max(backoff, advised or 0.0)
    return None


def _advised(text: str | None, now: float) -> float | None:
    """`retry-after` in seconds from now; a date that has passed is 0, and what is neither is no advice."""
    seconds = _seconds(text)
    if seconds is not None or text is None:
        return seconds
    try:
        return max(parsedate_to_datetime(text).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.strip().isdecimal() else None
