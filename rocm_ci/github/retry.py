"""When a failed request may be sent again, and after how long. Pure.

Facts: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api (primary limit:
403 or 429 with `x-ratelimit-remaining: 0`; secondary limit: 403 or 429, `retry-after` if given, else at
least a minute).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDARY_WAIT_S = 60.0
_TRANSIENT = {500, 502, 503, 504}
_LIMIT_WORDS = ("rate limit", "abuse detection")


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A request without success. `status` is None when no answer came; header names are lower case."""

    status: int | None
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

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
        return self.status is None or self.status in _TRANSIENT


def wait_s(failure: Failure, *, attempt: int, repeatable: bool, now: float, pause_s: float) -> float | None:
    """Seconds until the request may be sent again; None when it must not be.

    `attempt` counts from 1; `now` is seconds since the epoch. `repeatable` says that doing it twice
    is the same as once: after an unclear answer nothing else may be repeated, but a request turned
    away by a rate limit always may. Without advice from GitHub the waits double, from `pause_s` on.
    """
    backoff = pause_s * 2.0 ** (attempt - 1)
    advised = _seconds(failure.headers.get("retry-after"))
    if failure.is_rate_limit:
        if advised is not None:
            return max(advised, 0.0)
        reset = _seconds(failure.headers.get("x-ratelimit-reset"))
        if failure.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            # The reset is told in whole seconds, rounded down.
            return max(reset - now, 0.0) + 1.0
        return max(SECONDARY_WAIT_S, backoff)
    if failure.is_transient and repeatable:
        return max(backoff, advised or 0.0)
    return None


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.strip().isdecimal() else None
