"""Integers of 32 bits in C, spelled out, and the same in 64: for repairs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.model.edit import Edit

if TYPE_CHECKING:
    from rocm_ci.scan.c_source import CFile
    from rocm_ci.scan.language import Match

NARROW = r"(?:unsigned(?:\s+int)?|signed(?:\s+int)?|int|(?:std::)?u?int32_t|uint)"
WIDE = r"(?:unsigned\s+long(?:\s+long)?(?:\s+int)?|(?:std::)?uint64_t|auto)"
CAST = rf"\(\s*{NARROW}\s*\)\s*"
DECLARED = re.compile(
    rf"(?:^|[;{{}}(,]|\b(?:const|constexpr|static|inline|__device__|__constant__))\s*(?P<type>{NARROW}|{WIDE})\s+(?:const\s+)?"
    rf"(?P<name>[A-Za-z_]\w*)\s*(?:=|\{{|\()\s*(?P<cast>{CAST})?\Z"
)


def offset_of(file: CFile, match: Match) -> int:
    """Where a match is in the code."""
    return file.lexed.line_starts[match.line - 1] + match.column - 1


def edit(file: CFile, start: int, end: int, text: str) -> Edit | None:
    """An edit of a stretch of code; None when it is spread over lines."""
    if "\n" in file.code[start:end]:
        return None
    line, column = file.lexed.place(start)
    return Edit(line=line, column=column, end=column + end - start, text=text)


# HIP's functions are overloaded for this type; `uint64_t` is `unsigned long` on Linux, for which the
# call of `__ffsll` is ambiguous in older releases.
WIDENED = "unsigned long long"
