"""`additions.txt`: what the sources lack or have wrong, kept by hand and reviewed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tools.api_table.row import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILE = Path(__file__).with_name("additions.txt")
_FIXED = ("library", "kind", "hip")


def entries(text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(name, columns) of every line.

    A line reads `name library kind hip [column=value …]`; `.` keeps what a source says, `-` is nothing, `=`
    the same name (then there is nothing to report). Several names with one rest may share a line: `a|b|c`.
    """
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) < 1 + len(_FIXED):
            message = f"{FILE.name}:{number}: wants «name library kind hip»"
            raise ValueError(message)
        values = dict(zip(_FIXED, words[1:], strict=False))
        for word in words[1 + len(_FIXED) :]:
            column, _, value = word.partition("=")
            if column.replace("-", "_") not in COLUMNS:
                message = f"{FILE.name}:{number}: no column {column!r}"
                raise ValueError(message)
            values[column.replace("-", "_")] = value
        for name in words[0].split("|"):
            yield name, values
