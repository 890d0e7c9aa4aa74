"""Reports that are not well-formed, as parse events: what can be understood is kept.

Tools print raw `<`, `&` and `]]>` into their reports, forget end tags, or write two documents into
one file. Only the words of the JUnit vocabulary count as tags here; everything else is text.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from rocm_ci.runners.junit_dialects import local

if TYPE_CHECKING:
    from rocm_ci.runners.junit_elements import Builder

MAX_CHARS = 64_000_000
_MAX_ATTRIBUTES = 100
_MAX_TAG = 65_536
# Each tag without an end costs a look at `_MAX_TAG` characters: not more than this often.
_MAX_LOST = 1_000
_TEXT = {"failure", "error", "skipped", "system-out", "system-err", "output", "rerunfailure", "rerunerror",
         "flakyfailure", "flakyerror"}  # fmt: skip
_FRAME = {"testsuites", "testsuite", "testcase"}
_KNOWN = _TEXT | _FRAME | {"properties", "property", "skip", "ignored", "disabled", "stacktrace"}
_MARKUP = re.compile(
    r"<!\[CDATA\[|<!--|<\?|<!(?:DOCTYPE|ENTITY)\b|<(?P<end>/?)(?P<name>[A-Za-z_][\w:.-]{0,80})"
)
_ATTRIBUTE = re.compile(
    r"\s*(?P<name>[A-Za-z_][\w:.-]{0,80})\s*=\s*"
    # A quote inside the value does not end it: what follows must look like the rest of a tag.
    r"""(?:"(?P<double>.*?)"(?=\s+[\w:.-]+\s*=|\s*/?>)|'(?P<single>.*?)'(?=\s+[\w:.-]+\s*=|\s*/?>)|(?P<bare>[^\s<>"'/]+))""",
    re.DOTALL,
)
_CLOSE = re.compile(r"\s*(?P<empty>/?)>")
_SKIPPED_TO = {"<!--": "-->", "<?": "?>"}


class Loose:
    """One damaged document. `truncated` is set when it ends inside of an element."""

    def __init__(self, text: str, builder: Builder) -> None:
        self._text = text
        self._builder = builder
        self._stack: list[str] = []
        self._lost = 0
        self.truncated = False

    def parse(self) -> None:
        """Feed the builder with balanced events."""
        from rocm_ci.runners.junit_strict import refuse  # noqa: PLC0415 - keeps the two parsers apart

        text, position = self._text, 0
        while True:
            match = _MARKUP.search(text, position) if self._lost < _MAX_LOST else None
            if match is None:
                self._data(text[position:])
                break
            self._data(text[position : match.start()])
            markup = match.group()
            if markup == "<![CDATA[":
                position = self._cdata(match.end())
            elif markup in _SKIPPED_TO:
                found = text.find(_SKIPPED_TO[markup], match.end())
                position = match.end() if found < 0 else found + len(_SKIPPED_TO[markup])
            elif markup.startswith("<!"):
                refuse()
            elif not self._counts(local(match.group("name")), is_end=bool(match.group("end"))):
                self._data(markup)
                position = match.end()
            else:
                position = self._tag(match)
        self.truncated = self.truncated or bool(self._stack)

    def finish(self) -> None:
        """Close what is open, after the builder was told that the document ended early."""
        while self._stack:
            self._builder.end(self._stack.pop())

    def _data(self, text: str) -> None:
        if text:
            self._builder.data(html.unescape(text) if "&" in text else text)

    def _cdata(self, start: int) -> int:
        end = self._text.find("]]>", start)
        if end < 0:
            self._builder.data(self._text[start:])
            self.truncated = True
            return len(self._text)
        self._builder.data(self._text[start:end])
        return end + 3

    def _counts(self, name: str, *, is_end: bool) -> bool:
        """Whether a word after `<` is a tag of the report here, or text of a test."""
        if name not in _KNOWN:
            return False
        if self._stack and self._stack[-1] in _TEXT:
            # Inside of printed text only its own end, or the frame around it, is believed.
            return name in _FRAME or (name == self._stack[-1] and is_end) or name == "stacktrace"
        return True

    def _tag(self, match: re.Match[str]) -> int:
        name = local(match.group("name"))
        if match.group("end"):
            close = _CLOSE.match(self._text, match.end())
            self._end(name)
            return close.end() if close else match.end()
        attributes, position = self._attributes(match.end())
        close = _CLOSE.match(self._text, position)
        if close is None:
            self._lost += 1
            if position >= len(self._text) - 1 or self._text.find(">", position) < 0:
                self.truncated = True
                return len(self._text)
            self._data(match.group())
            return match.end()
        if name in _FRAME:
            # A frame tag cannot stand inside of a test: the end of that test was forgotten.
            self._end("testcase")
        self._builder.start(name, attributes)
        if close.group("empty"):
            self._builder.end(name)
        else:
            self._stack.append(name)
        return close.end()

    def _attributes(self, position: int) -> tuple[dict[str, str], int]:
        found: dict[str, str] = {}
        limit = position + _MAX_TAG
        for _ in range(_MAX_ATTRIBUTES):
            match = _ATTRIBUTE.match(self._text, position, limit)
            if match is None:
                break
            value = next((v for v in match.group("double", "single", "bare") if v is not None), "")
            found.setdefault(match.group("name"), html.unescape(value))
            position = match.end()
        return found, position

    def _end(self, name: str) -> None:
        if name not in self._stack:
            return
        while self._stack:
            closed = self._stack.pop()
            self._builder.end(closed)
            if closed == name:
                return
