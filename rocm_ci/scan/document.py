"""A text file as lines that can be edited and written back with nothing else changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.edit import patched
from rocm_ci.scan.files import decoded, encoding_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.edit import Edit

_MARK = "\ufeff"


class Document:
    """Lines with the positions of the scanner; byte order mark, line ends and odd bytes are kept aside."""

    def __init__(self, data: bytes) -> None:
        self._encoding = encoding_of(data)
        # What is no text in the encoding must come back as it was: Latin-1 in UTF-8, half a pair in UTF-16.
        self._errors = "surrogateescape" if self._encoding == "utf-8" else "surrogatepass"
        try:
            text = data.decode(self._encoding, self._errors)
        except UnicodeDecodeError as error:
            message = f"it is no valid {self._encoding.upper()}"
            raise ValueError(message) from error
        self._mark = _MARK if text.startswith(_MARK) else ""
        self._lines = text.removeprefix(_MARK).split("\n")
        self._seen = decoded(data).lines
        if self._bytes(self._lines) != data:
            message = "its bytes would not come back as they are"
            raise ValueError(message)

    def edited(self, edits: Sequence[Edit]) -> bytes:
        """The bytes with edits in the order of `edit.in_order`. Raises ValueError when one does not fit."""
        for edit in edits:
            self._check(edit)
        # Positions count from the start of a line, so a carriage return at its end is not in the way.
        return self._bytes(patched(self._lines, edits))

    def _check(self, edit: Edit) -> None:
        """The scanner must have seen this very line, and no edit may reach its end mark."""
        at = edit.line - 1
        if not 0 <= at < min(len(self._lines), len(self._seen)):
            message = f"it has no line {edit.line}"
            raise ValueError(message)
        line = self._lines[at].removesuffix("\r") if at < len(self._lines) - 1 else self._lines[at]
        seen = self._seen[at]
        if line.replace("\r", " ") != seen or edit.end > len(seen) + 1:
            message = f"line {edit.line} is not what was scanned"
            raise ValueError(message)

    def _bytes(self, lines: Sequence[str]) -> bytes:
        return (self._mark + "\n".join(lines)).encode(self._encoding, self._errors)
