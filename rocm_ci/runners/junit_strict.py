"""Well-formed reports as parse events, streamed: memory does not grow with the size of the file.

expat and not lxml: it hands out character data in pieces whatever a node's size (libxml2 stops at
10 MB, or keeps all of it), and lets us refuse a DTD at its first word, before any entity exists.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn
from xml.parsers import expat

from rocm_ci.runners.junit_elements import Builder, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable

# A tag that has not ended after this many characters is an attack or damage.
MAX_PENDING = 40_000_000
# No element found, unclosed token, partial character, unclosed CDATA: the text simply stops.
_CUT = (3, 5, 6, 20)


class Ending(enum.Enum):
    """How a document ended."""

    WHOLE = "whole"
    TRUNCATED = "truncated"
    BROKEN = "broken"


@dataclass(frozen=True)
class Outcome:
    """`detail` says where and why it is not whole."""

    ending: Ending
    detail: str = ""


def parse(text: Iterable[str], builder: Builder) -> Outcome:
    """Feed `builder`. Raises `RefusedError` for a document type declaration."""
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True  # else each line of a test's output is a call of its own
    parser.buffer_size = 65_536
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    fed = 0
    try:
        for piece in text:
            data = piece.encode("utf-8", "replace")
            parser.Parse(data)
            fed += len(data)
            if fed - parser.CurrentByteIndex > MAX_PENDING:
                return Outcome(Ending.BROKEN, f"line {parser.CurrentLineNumber}: a tag without an end")
    except expat.ExpatError as error:
        return Outcome(Ending.BROKEN, _told(error))
    try:
        parser.Parse(b"", True)  # noqa: FBT003 - positional in the C interface
    except expat.ExpatError as error:
        return Outcome(Ending.TRUNCATED if error.code in _CUT else Ending.BROKEN, _told(error))
    return Outcome(Ending.WHOLE)


def refuse(name: str = "", *_: object) -> NoReturn:
    """A DTD can define entities that expand without end or read files: no test report needs one."""
    message = "it holds a document type declaration"
    if name.lower() == "html":
        message = "it is a web page (HTML) and no report"
    raise RefusedError(message)


def _told(error: expat.ExpatError) -> str:
    return f"line {error.lineno}: {expat.ErrorString(error.code)}"
