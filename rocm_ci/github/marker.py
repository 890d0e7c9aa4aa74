"""The hidden lines by which we find our own comment again, and what it remembers.

    <!-- rocm-ci:v1 key=default -->                  first line: whose comment this is
    > a passing notice                               only while something is under way
    <!-- rocm-ci:notice-ends -->
    ## the comment
    <!-- rocm-ci:v1 key=default payload=BASE64 -->   last line: base64 of the JSON of a `Stamp`

Either end is enough to know the comment as ours, so that one that was cut is repaired and not doubled;
the payload is believed only with both. Whoever may edit our comments or write under our login can
write a payload too: it is bounded and checked here, and what would weaken a gate is confirmed elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from dataclasses import dataclass

import msgspec

from rocm_ci.errors import UsageError
from rocm_ci.github.client import MAX_BODY
from rocm_ci.model.past import Acceptance, Point
from rocm_ci.model.verdict import Verdict

VERSION = 1
# The status of that name is the bot's word for a maintainer, and counts because the bot has set it.
RESERVED = "ok-to-test"
MAX_PAYLOAD = 5_000  # characters; with it and a notice the 60,000 bytes of a report still fit
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")
_NAME = r"rocm-ci:v(?P<version>[0-9]{1,4}) key=(?P<key>[A-Za-z0-9][A-Za-z0-9._-]{0,39})"
# Anchored at both ends: whatever a pull request gets into the text between cannot pose as one of them.
_FIRST = re.compile(rf"<!-- {_NAME} -->[ \t]*(?:\n|\Z)")
_LAST = re.compile(rf"<!-- {_NAME}(?: (?P<rest>[^<>\n]{{0,8000}}))? -->\s*\Z")
_PAYLOAD = re.compile(r"payload=([A-Za-z0-9+/=]*)\Z")
_NOTICE_ENDS = "<!-- rocm-ci:notice-ends -->\n"
_COMMIT = re.compile(r"[0-9a-f]{7,64}\Z")
_CUT = "\n\n*The rest did not fit into a comment; the whole report is an artifact of the run.*"
_MANY = 60  # points, acceptances, benchmarks, counts: more is no memory of ours


class Stamp(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a posted comment says of the run it came from, and what it remembers of earlier ones.

    `history` is oldest first, without the run itself. `suggested` says that review suggestions were
    posted. `awaited_…` name the commit and the run that the notice at the comment's beginning is about;
    `awaited_ended` when that run left no result.
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
    suggested: bool = False
    awaited_head: str = ""
    awaited_run: int | None = None
    awaited_attempt: int | None = None
    awaited_ended: bool = False

    @property
    def order(self) -> tuple[int, int]:
        """Later runs and attempts are greater."""
        return (self.run or 0, self.attempt or 0)

    @property
    def awaited(self) -> tuple[int, int]:
        """The order of the run that the notice is about; zeros without one."""
        return (self.awaited_run or 0, self.awaited_attempt or 0)

    @property
    def is_waiting(self) -> bool:
        """Whether that run is still under way, as far as we were told."""
        return self.awaited_run is not None and not self.awaited_ended

    @property
    def point(self) -> Point:
        """The run it shows, as one point of a history."""
        return Point(
            head=self.head,
            verdict=self.verdict,
            at=self.at,
            run=self.run,
            attempt=self.attempt,
            counts=self.counts,
            effects_pct=self.effects_pct,
        )


@dataclass(frozen=True, kw_only=True)
class Marker:
    """A marker that was found. `stamp` is None when the payload is damaged, cut or of another version."""

    key: str
    stamp: Stamp | None
    version: int = VERSION

    @property
    def is_newer(self) -> bool:
        """Whether a newer rocm-ci wrote it, whose memory this one cannot keep."""
        return self.version > VERSION


def checked_key(key: str) -> str:
    """`key`, if it can tell a reporter from others. Raises `UsageError`."""
    if not KEY.match(key) or key.casefold() == RESERVED:
        message = f"{key[:60]!r} is no key"
        hint = f"use up to 40 letters, digits, dots, dashes and underscores; {RESERVED!r} is taken"
        raise UsageError(message, hint=hint)
    return key


def sign(text: str, key: str, stamp: Stamp, *, notice: str = "") -> str:
    """The comment's body: `text` between the two hidden lines, cut between two lines to what GitHub takes."""
    first = f"<!-- rocm-ci:v{VERSION} key={key} -->\n"
    if notice:
        first += f"{notice.strip()}\n\n{_NOTICE_ENDS}"
    last = f"\n\n<!-- rocm-ci:v{VERSION} key={key} payload={_packed(stamp)} -->"
    room = MAX_BODY - len(first) - len(last)
    text = text.strip()
    if len(text) > room:
        text = text[: room - len(_CUT)].rpartition("\n")[0] + _CUT
    return first + text + last


def find(body: str) -> Marker | None:
    """The marker of a comment, by its first line, its last line or both."""
    body = _unix(body)
    first, last = _FIRST.match(body), _LAST.search(body[-8192:])
    known = last or first
    if known is None:
        return None
    version = max(int(end["version"]) for end in (first, last) if end)
    whole = first and last and first["key"] == last["key"] and first["version"] == last["version"]
    stamp = _unpacked(last["rest"] or "") if whole and last and version == VERSION else None
    return Marker(key=known["key"], stamp=stamp, version=version)


def text_of(body: str) -> str:
    """What a reader sees of a comment, without the notice."""
    body = _unix(body)
    first = _FIRST.match(body)
    if first:
        body = body[first.end() :]
        head, ends, rest = body.partition(_NOTICE_ENDS)
        body = rest if ends else head
    last = _LAST.search(body[-8192:])
    return (body[: len(body) - len(last[0])] if last else body).strip()


def _unix(body: str) -> str:
    """GitHub's web editor turns line ends into those of Windows."""
    return body.replace("\r\n", "\n")


def _packed(stamp: Stamp) -> str:
    """As base64; when there is too much to remember, the oldest goes first, and acceptances last."""
    while True:
        payload = base64.b64encode(msgspec.json.encode(stamp)).decode()
        if len(payload) <= MAX_PAYLOAD:
            return payload
        if stamp.history:
            stamp = msgspec.structs.replace(stamp, history=stamp.history[1:])
        elif stamp.effects_pct:
            stamp = msgspec.structs.replace(stamp, effects_pct={})
        elif stamp.accepted:
            stamp = msgspec.structs.replace(stamp, accepted=stamp.accepted[1:])
        else:
            stamp = Stamp(head=stamp.head, verdict=stamp.verdict, run=stamp.run, attempt=stamp.attempt)


def _unpacked(rest: str) -> Stamp | None:
    packed = _PAYLOAD.match(rest)
    if packed is None or len(packed[1]) > MAX_PAYLOAD:
        return None
    try:
        stamp = msgspec.json.decode(base64.b64decode(packed[1], validate=True), type=Stamp)
    except (binascii.Error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return stamp if _is_sound(stamp) else None


def _is_sound(stamp: Stamp) -> bool:
    """Whether every value is one that we could have written."""
    points = (stamp.point, *stamp.history)
    numbers = [stamp.awaited_run, stamp.awaited_attempt, *(n for p in points for n in (p.run, p.attempt))]
    names = [name for p in points for name in (*p.counts, *p.effects_pct)]
    texts = [p.at for p in points] + [t for a in stamp.accepted for t in (a.name, a.by, a.reason)]
    effects = [e for p in points for e in p.effects_pct.values()] + [a.effect_pct for a in stamp.accepted]
    heads = [p.head for p in points] + ([stamp.awaited_head] if stamp.awaited_head else [])
    return (
        max(len(stamp.history), len(stamp.accepted)) <= _MANY
        and all(len(p.counts) <= _MANY and len(p.effects_pct) <= _MANY for p in points)
        and all(_COMMIT.match(head) for head in heads)
        and all(n is None or 0 <= n < 2**53 for n in numbers)
        and all(0 <= n < 2**31 for p in points for n in p.counts.values())
        and all(math.isfinite(e) for e in effects)
        and all(len(text) <= 500 for text in (*names, *texts))
    )
