"""JSON with comments, as editors and CMake allow it, made into text that a YAML parser reads."""

from __future__ import annotations

import re

_PIECE = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?(?:\*/|$)", re.DOTALL)


def without_comments(text: str) -> str:
    """Comments replaced by blanks, so that places hold; strings are left as they are."""
    return _PIECE.sub(lambda m: m.group() if m.group()[0] == '"' else re.sub(r"[^\n]", " ", m.group()), text)
