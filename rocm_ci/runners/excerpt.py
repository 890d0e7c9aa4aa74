"""Text of a test made fit to be shown: bounded, and free of colour codes and control characters."""

from __future__ import annotations

import re
from collections import deque

# Stands for ESC where XML forbids it (a noncharacter, so that no report can mean it).
ESCAPE = "\ufdd0"
MESSAGE_CHARS = 2_000
EXCERPT_HEAD = 2_000
EXCERPT_TAIL = 6_000
_MAX_CLEANED = 400_000

# CSI and OSC sequences; pytest writes ESC as the five characters `#x1B`.
_SEQUENCE = re.compile(
    rf"(?:\x1b|{ESCAPE}|#x1B(?=\[))"
    r"(?:\[[0-9;:?<=>]{0,32}[ -/]{0,4}[@-~]"
    r"|\][^\x07\n]{0,200}?(?:\x07|(?:\x1b|\ufdd0)\\)|[()][0-9A-B]|[@-Z\\^_=>78])?"
)
_RESET = re.compile(r"\[0?m")
_ORPHAN = re.compile(r"\[(?:[0-9]{1,3}(?:;[0-9]{1,3}){0,5})?m")
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160), 0xFDD0))
# A right-to-left override makes a reader see another text than the one that is there.
_CONTROL |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def clean(text: str) -> str:
    """`text` without escape sequences and control characters; line ends become `\\n`."""
    text = text[:_MAX_CLEANED]
    if text.isascii() and text.isprintable() and "#x1B" not in text:
        return text
    return _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)


def uncoloured(text: str) -> str:
    """Without colour codes that lost their ESC: GoogleTest drops it from its XML, and only it.

    Only where a reset is among them, for `[10m` alone may mean ten metres.
    """
    return _ORPHAN.sub("", text) if _RESET.search(text) else text


def shortened(text: str, limit: int = MESSAGE_CHARS) -> str:
    """At most `limit` characters; what was cut is said."""
    return text if len(text) <= limit else text[: limit - 2].rstrip() + " …"


class Clip:
    """Collects a text of any size and keeps only its beginning and its end."""

    __slots__ = ("_head", "_kept", "_size", "_tail")

    def __init__(self) -> None:
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._kept = 0
        self._size = 0

    def add(self, text: str) -> None:
        """Append a piece. Memory stays within a small multiple of the bound."""
        room = EXCERPT_HEAD - self._size
        self._size += len(text)
        if room > 0:
            self._head.append(text[:room])
            text = text[room:]
        if text:
            text = text[-EXCERPT_TAIL:]
            self._tail.append(text)
            self._kept += len(text)
            while self._kept - len(self._tail[0]) >= EXCERPT_TAIL:
                self._kept -= len(self._tail.popleft())

    def text(self) -> str:
        """Cleaned text: whole when it was short, otherwise beginning and end with a mark between."""
        head, tail = "".join(self._head), "".join(self._tail)[-EXCERPT_TAIL:]
        gone = self._size - len(head) - len(tail)
        if gone <= 0:
            return uncoloured(clean(head + tail)).strip("\n")
        text = f"{clean(head)}\n[… {gone} characters left out …]\n{clean(tail)}"
        return uncoloured(text).strip("\n")

    def __bool__(self) -> bool:
        return self._size > 0
