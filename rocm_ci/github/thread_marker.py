"""The hidden last line of a review suggestion: which findings it repairs, and whether they are gone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

State = Literal["open", "fixed"]
FINGERPRINT = re.compile(r"[0-9a-f]{16}-[0-9a-f]{8}\Z")
MOST_FINGERPRINTS = 8
# Anchored at the very end: the suggested code stands above it and can hold whatever it likes.
_MARK = re.compile(
    r"<!-- rocm-ci-suggestion:v[0-9]{1,4} key=(?P<key>[A-Za-z0-9._-]{1,40}) "
    r"state=(?P<state>open|fixed) prints=(?P<prints>[0-9a-f,-]{25,400})"
    r"(?: [a-z]{1,20}=[^ <>]{0,200}){0,8} -->\s*\Z"
)
_TAIL = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMark:
    """`prints` are the fingerprints of the findings; `key` tells the reporter that wrote it."""

    key: str
    prints: frozenset[str]
    state: State = "open"


def sign(text: str, mark: ThreadMark) -> str:
    """The body of the review comment."""
    prints = ",".join(sorted(mark.prints)[:MOST_FINGERPRINTS])
    return (
        f"{text.rstrip()}\n\n<!-- rocm-ci-suggestion:v1 key={mark.key} state={mark.state} prints={prints} -->"
    )


def find(body: str) -> ThreadMark | None:
    """The mark at the end of a review comment."""
    match = _MARK.search(body[-_TAIL:])
    if match is None:
        return None
    prints = _known(match["prints"].split(","))
    state: State = "fixed" if match["state"] == "fixed" else "open"
    return ThreadMark(key=match["key"], prints=prints, state=state) if prints else None


def unsigned(body: str) -> str:
    """The text above the mark."""
    match = _MARK.search(body[-_TAIL:])
    return body if match is None else body[: len(body) - len(match[0])].rstrip()


def _known(prints: Iterable[str]) -> frozenset[str]:
    return frozenset(one for one in prints if FINGERPRINT.match(one))
