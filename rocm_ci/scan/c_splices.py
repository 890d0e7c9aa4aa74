"""Names that a backslash at the end of a line cuts in two, put together again."""

from __future__ import annotations

import re

_SPLIT = re.compile(rb"\\\r?\n(?=\w)")
_NAME = re.compile(rb"(?<!\w)(\w+)((?:\\\r?\n)+)(\w+)")
_MOST = 8  # pieces of one name


def spliced(data: bytes) -> bytes:
    r"""C source with every such name whole on the line where it begins, as the preprocessor reads it.

    The backslash and the newline move behind the name, so that all lines keep their numbers and everything
    but the rest of these lines its place.
    """
    if not any(_is_word(data, found.start() - 1) for found in _SPLIT.finditer(data)):
        return data
    for _ in range(_MOST):
        joined = _NAME.sub(rb"\1\3\2", data)
        if joined == data:
            break
        data = joined
    return data


def _is_word(data: bytes, at: int) -> bool:
    return at >= 0 and (chr(data[at]).isalnum() or data[at] == ord("_"))
