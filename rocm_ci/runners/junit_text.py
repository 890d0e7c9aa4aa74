"""The bytes of a report as text that XML 1.0 allows: any encoding, forbidden characters taken out."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, BinaryIO

from rocm_ci.runners.excerpt import ESCAPE

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 262_144
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BARE = ((b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff\ufdd0]")
_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,10}));")
_PAIR = re.compile(r"&#x([dD][89abAB][0-9A-Fa-f]{2});&#x([dD][c-fC-F][0-9A-Fa-f]{2});")
_LONGEST_REFERENCE = 24


class Text:
    """Iterates over the cleaned text of a binary file in pieces; `repaired` says what it met."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.repaired = False

    def __iter__(self) -> Iterator[str]:
        head = self._source.read(CHUNK)
        encoding, skip = self._encoding(head)
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        carry, data, first = "", head[skip:], True
        while data:
            text, decoder = self._decoded(decoder, encoding, data)
            data = self._source.read(CHUNK)
            if first:
                text = text.lstrip("\ufeff \t\r\n")
                first = not text
            text = carry + text
            # A character reference may be cut by the end of a piece: keep it for the next one.
            cut = text.rfind("&", max(0, len(text) - _LONGEST_REFERENCE)) if data else -1
            text, carry = (text, "") if cut < 0 else (text[:cut], text[cut:])
            yield self._allowed(text)

    def _encoding(self, head: bytes) -> tuple[str, int]:
        """Encoding and length of its mark. The bytes are believed more than the declaration."""
        for mark, name in _MARKS:
            if head.startswith(mark):
                return name, len(mark)
        for start, name in _BARE:
            if head.startswith(start):
                return name, 0
        declared = _DECLARED.match(head)
        name = declared.group(1).decode().lower() if declared else "utf-8"
        if name in ("utf-8", "utf8", "ascii", "us-ascii"):
            return "utf-8", 0
        try:
            # Refuses what is no text encoding (zip, rot13), and UTF-16 where one byte is one sign.
            if b"<?xml".decode(name) == "<?xml":
                return name, 0
        except (LookupError, UnicodeError):
            pass
        self.repaired = True
        return "utf-8", 0

    def _decoded(
        self, decoder: codecs.IncrementalDecoder, encoding: str, data: bytes
    ) -> tuple[str, codecs.IncrementalDecoder]:
        state = decoder.getstate()
        try:
            return decoder.decode(data), decoder
        except UnicodeDecodeError:
            self.repaired = True
            lenient = codecs.getincrementaldecoder(encoding)("rocm-ci-single-bytes")
            lenient.setstate(state)
            return lenient.decode(data), lenient

    def _allowed(self, text: str) -> str:
        if _FORBIDDEN.search(text):
            self.repaired = True
            text = _FORBIDDEN.sub(_stand_in, text)
        # Only then the references: one to ESC is replaced by a sign that is forbidden itself.
        return _REFERENCE.sub(self._reference, _PAIR.sub(self._pair, text)) if "&#" in text else text

    def _reference(self, match: re.Match[str]) -> str:
        code = int(match.group(1), 16) if match.group(1) else int(match.group(2))
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            self.repaired = True
            return "\ufffd"
        if _FORBIDDEN.match(chr(code)):
            self.repaired = True
            return ESCAPE if code == 0x1B else ""
        return match.group()

    def _pair(self, match: re.Match[str]) -> str:
        self.repaired = True
        high, low = int(match.group(1), 16), int(match.group(2), 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _stand_in(match: re.Match[str]) -> str:
    return ESCAPE if match.group() == "\x1b" else ""


def _single_bytes(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are not what the report claims: most often Latin-1 in a file that says UTF-8."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return wrong.decode("cp1252", "replace"), error.end


codecs.register_error("rocm-ci-single-bytes", _single_bytes)
