"""The arguments of a call in C code with comments and literals blank."""

from __future__ import annotations

import re

_STRUCTURE = re.compile(r"[()\[\]{},;]")
_LONGEST = 4000


def arguments(code: str, start: int) -> list[str]:
    """The arguments of the call whose opening parenthesis ends at `start`, white space squeezed.

    An unfinished call yields what is there.
    """
    found, _ = arguments_and_end(code, start)
    return found


def arguments_and_end(code: str, start: int) -> tuple[list[str], int]:
    """The arguments, and the offset of the closing parenthesis."""
    parts, depth, begin = [], 1, start
    end = min(len(code), start + _LONGEST)
    for token in _STRUCTURE.finditer(code, start, end):
        char = token[0]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if not depth:
                parts.append(code[begin : token.start()])
                return _squeezed(parts), token.start()
        elif char == "," and depth == 1:
            parts.append(code[begin : token.start()])
            begin = token.end()
        elif char == ";" and depth == 1:
            break
    return _squeezed(parts), end


def _squeezed(parts: list[str]) -> list[str]:
    words = [" ".join(part.split()) for part in parts]
    return [] if words == [""] else words
