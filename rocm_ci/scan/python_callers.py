"""Which lines matter because they call a function that holds a line that matters: its guard stands there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.literal_search import lines_naming

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEF = re.compile(r"([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)")
_MOST = 40  # functions whose callers are looked for


def with_callers(text: str, lines: Sequence[str], hits: Sequence[int]) -> tuple[int, ...]:
    """The given sorted lines, and those on which a function around one of them is named."""
    names = _around(lines, hits)
    if not names or len(names) > _MOST:
        return tuple(hits)
    return tuple(sorted({*hits, *lines_naming(names, text)}))


def _around(lines: Sequence[str], hits: Sequence[int]) -> set[str]:
    """Names of the functions that hold some lines; the innermost of each line."""
    names: set[str] = set()
    wanted = sorted(hits, reverse=True)
    below: list[int] = []  # indentation of lines that still look for their function
    last = wanted[0] if wanted else 0
    at = 0
    for number in range(last, 0, -1):
        line = lines[number - 1] if number <= len(lines) else ""
        if at < len(wanted) and wanted[at] == number:
            below.append(len(line) - len(line.lstrip()))
            at += 1
        if not below:
            continue
        head = _DEF.match(line)
        if head is not None and any(indent > len(head[1]) for indent in below):
            names.add(head[2])
            below = [indent for indent in below if indent <= len(head[1])]
        elif line and not line[0].isspace() and line[0] not in "#)]}":
            below = [indent for indent in below if indent == 0]
        below = [indent for indent in below if indent]
    return names
