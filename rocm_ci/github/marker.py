"""The hidden last line by which we find our own comment again, and what it remembers."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

import msgspec

from rocm_ci.github.client import MAX_BODY
from rocm_ci.model.past import Acceptance, Point
from rocm_ci.model.verdict import Verdict

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")
# Anchored at the very end: whatever a pull request gets into the text above cannot pose as it.
_MARKER = re.compile(
    r"<!-- rocm-ci:v(?P<version>[0-9]{1,4}) key=(?P<key>[A-Za-z0-9._-]{1,40}) "
    r"payload=(?P<payload>[A-Za-z0-9+/=]{0,4096}) -->\s*\Z"
)
_CUT = "\n\n*The rest did not fit into a comment; the whole report is an artifact of the run.*"


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """What a posted comment says of the run it came from, and what it remembers of earlier ones.

    `history` is oldest first, without the run itself. `notice` counts the characters at the beginning of
    the comment that are a passing notice. `suggested` says that review suggestions were posted.
    """

    head: str
    verdict: Verdict
    run: int | None = None
    attempt: int | None = None
    counts: dict[str, int] = {}
    at: str = ""
    effects_pct: dict[str, float] = {}
    history: tuple[Point, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    notice: int = 0
    suggested: bool = False

    @property
    def order(self) -> tuple[int, int]:
        """Later runs and attempts are greater."""
        return (self.run or 0, self.attempt or 0)


@dataclass(frozen=True, kw_only=True)
class Marker:
    """A marker that was found. `stamp` is None when its payload is of another version or damaged."""

    key: str
    stamp: Stamp | None


def sign(text: str, key: str, stamp: Stamp) -> str:
    """The comment's body: `text` and the marker, cut between two lines to what GitHub takes."""
    payload = base64.b64encode(msgspec.json.encode(stamp)).decode()
    marker = f"\n\n<!-- rocm-ci:v1 key={key} payload={payload} -->"
    room = MAX_BODY - len(marker)
    text = text.rstrip()
    if len(text) > room:
        text = text[: room - len(_CUT)].rpartition("\n")[0] + _CUT
    return text + marker


def find(body: str) -> Marker | None:
    """The marker at the end of a comment."""
    match = _MARKER.search(body[-8192:])
    if match is None:
        return None
    stamp = None
    if match["version"] == "1":
        try:
            stamp = msgspec.json.decode(base64.b64decode(match["payload"], validate=True), type=Stamp)
        except (binascii.Error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            stamp = None
    return Marker(key=match["key"], stamp=stamp)
