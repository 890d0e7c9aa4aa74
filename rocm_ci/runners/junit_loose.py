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
    from collections.abc import Iterable

    from rocm_ci.runners.junit_elements import Builder

_MAX_ATTRIBUTES = 100
_MAX_TAG = 65_536
_MAX_REFERENCE = 32
# Each tag without an end costs a look at `_MAX_TAG` characters: not more than this often.
_MAX_LOST = 1_000
_TEXT = {"failure", "error", "skipped", "system-out", "system-err", "output", "rerunfailure", "rerunerror",
         "flakyfailure", "flakyerror"}  # fmt: skip
_BAD = {"failure", "error"}
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
# The beginning of a value that has no end in sight.
_CUT = re.compile(
    r"""\s*(?P<name>[A-Za-z_][\w:.-]{0,80})\s*=\s*(?:"(?P<double>[^"<>]{1,2000})|'(?P<single>[^'<>]{1,2000}))(?P<bare>(?!))?"""
)
_CLOSE = re.compile(r"\s*(?P<empty>/?)>")
_SKIPPED_TO = {"<!--": "-->", "<?": "?>"}
# So much is gathered before it is looked at; it must be many times `_MAX_TAG`.
_ENOUGH = 4_000_000


class Loose:
    """One damaged document, fed in pieces. `truncated` is set when it ends inside of an element."""

    def __init__(self, builder: Builder) -> None:
        self._text = ""
        self._whole = False
        self._in_cdata = False
        self._builder = builder
        self._stack: list[str] = []
        self._lost = 0
        self.truncated = False

    def feed(self, pieces: Iterable[str]) -> None:
        """Feed the builder with balanced events."""
        waiting, size = [], 0
        for piece in pieces:
            waiting.append(piece)
            size += len(piece)
            if size > _ENOUGH:
                self._text += "".join(waiting)
                waiting, size = [], 0
                self._text = self._text[self._parse() :]
        self._text += "".join(waiting)
        self._whole = True
        self._parse()
        self.truncated = self.truncated or bool(self._stack) or self._in_cdata
        self._text = ""

    def _parse(self) -> int:
        """Take all markup that surely is whole; returns how far that went."""
        text, position = self._text, 0
        # A tag is looked at as far as it may reach, so it must not begin behind this place.
        safe = len(text) if self._whole else len(text) - 2 * _MAX_TAG
        while True:
            if self._in_cdata:
                position = self._cdata(position)
                if self._in_cdata:
                    return position
            match = _MARKUP.search(text, position) if self._lost < _MAX_LOST else None
            if match is None or match.start() >= safe:
                end = len(text) if self._whole and match is None else self._uncut(position, safe)
                self._data(text[position:end])
                return end
            self._data(text[position : match.start()])
            position = self._markup(match)

    def _uncut(self, start: int, end: int) -> int:
        """Where text may be cut: not within `&quot;`."""
        end = max(start, end)
        reference = self._text.rfind("&", max(start, end - _MAX_REFERENCE), end)
        return end if reference < 0 else reference

    def _markup(self, match: re.Match[str]) -> int:
        from rocm_ci.runners.junit_strict import refuse  # noqa: PLC0415 - keeps the two parsers apart

        markup = match.group()
        if markup == "<![CDATA[":
            self._in_cdata = True
        elif markup in _SKIPPED_TO:
            end = _SKIPPED_TO[markup]
            # A comment that does not end soon is text that some test printed.
            found = self._text.find(end, match.end(), match.end() + _MAX_TAG)
            return match.end() if found < 0 else found + len(end)
        elif markup.startswith("<!") and not self._is_printed:
            refuse(self._text[match.end() : match.end() + _MAX_REFERENCE].strip().partition(">")[0])
        elif markup.startswith("<!"):
            self._data(markup)  # a test printed a web page: nothing here ever expands an entity
        elif not self._counts(local(match.group("name")), is_end=bool(match.group("end"))):
            self._data(markup)
        else:
            return self._tag(match)
        return match.end()

    def _cdata(self, start: int) -> int:
        """The rest of a CDATA section, or what there is of it."""
        end = self._text.find("]]>", start)
        if end >= 0:
            self._in_cdata = False
        rest = len(self._text) if self._whole else max(len(self._text) - 2, start)
        self._builder.data(self._text[start : end if end >= 0 else rest])
        return end + 3 if end >= 0 else rest

    def finish(self) -> None:
        """Close what is open, after the builder was told that the document ended early."""
        while self._stack:
            self._builder.end(self._stack.pop())

    def _data(self, text: str) -> None:
        if text:
            self._builder.data(html.unescape(text) if "&" in text else text)

    @property
    def _is_printed(self) -> bool:
        """Whether what comes now is inside of text that a test printed."""
        return bool(self._stack) and self._stack[-1] in _TEXT

    def _counts(self, name: str, *, is_end: bool) -> bool:
        """Whether a word after `<` is a tag of the report here, or text of a test."""
        if name not in _KNOWN:
            return False
        if self._is_printed:
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
            is_near = self._whole and len(self._text) - position < _MAX_TAG // 2
            is_last = is_near and self._text.find(">", position) < 0
            if is_last or self._lost >= _MAX_LOST:
                self.truncated = True
                return len(self._text)
            if not attributes and name not in _BAD:
                self._data(match.group())
                return match.end()
            # The tag is damaged or endless, yet what it began must count: a failure would pass for none.
        if name in _FRAME:
            # A frame tag cannot stand inside of a test: the end of that test was forgotten.
            self._end("testcase")
        self._builder.start(name, attributes)
        if close and close.group("empty"):
            self._builder.end(name)
        else:
            self._stack.append(name)
        return close.end() if close else position

    def _attributes(self, position: int) -> tuple[dict[str, str], int]:
        found: dict[str, str] = {}
        limit = position + _MAX_TAG
        for _ in range(_MAX_ATTRIBUTES):
            match = _ATTRIBUTE.match(self._text, position, limit) or _CUT.match(self._text, position, limit)
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
