"""The `patch` of a changed file → hunks, as far as a review may speak of them: the side of the head.

GitHub gives hunks only, without the two lines of names above them, and no patch for what is binary or
too large. The text is a stranger's: a hunk counts only while its lines are those that its head promises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_PATCH = 4_000_000  # characters; GitHub shows no diff of more than 1 MB
MAX_LINE_NUMBER = 1_000_000
_HEAD = re.compile(
    r"@@ -(?P<old>[0-9]{1,9})(?:,(?P<removed>[0-9]{1,9}))? "
    r"\+(?P<new>[0-9]{1,9})(?:,(?P<added>[0-9]{1,9}))? @@",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Hunk:
    """`lines` of the head from line `first` (1-based) on; `added` are the numbers of those that are new.

    A line has no newline at its end, but keeps a carriage return.
    """

    first: int
    lines: tuple[str, ...]
    added: frozenset[int]

    @property
    def last(self) -> int:
        """Its last line; one less than `first` when the head has none of it."""
        return self.first + len(self.lines) - 1

    def text(self, first: int, last: int) -> tuple[str, ...] | None:
        """The lines `first` to `last`; None unless all of them are in here."""
        if not self.first <= first <= last <= self.last:
            return None
        return self.lines[first - self.first : last - self.first + 1]

    def adds(self, first: int, last: int) -> bool:
        """Whether the change adds every line from `first` to `last`."""
        return self.first <= first <= last <= self.last and self.added.issuperset(range(first, last + 1))


def hunks(patch: str | None) -> tuple[Hunk, ...]:
    """The hunks of one file in their order; those before the first that is damaged. Never raises."""
    if not patch or len(patch) > MAX_PATCH:
        return ()
    rows = iter(patch.split("\n"))
    found: list[Hunk] = []
    row = next(rows, None)
    while row is not None:
        head = _HEAD.match(row)
        if head is None:
            # The end of a patch may be a newline, and after it nothing.
            break
        hunk = _hunk(head, rows)
        if hunk is None or (found and hunk.first <= found[-1].last):
            break
        found.append(hunk)
        row = next(rows, None)
        while row is not None and row.startswith("\\"):
            row = next(rows, None)
    return tuple(found)


def _hunk(head: re.Match[str], rows: Iterator[str]) -> Hunk | None:
    """One hunk by the counts of its head: what it holds may itself look like a head or a name."""
    old, kept = _count(head["removed"]), _count(head["added"])
    # The head of a hunk without lines on this side names the line before it.
    first = int(head["new"]) + (kept == 0)
    if not 1 <= first <= first + kept <= MAX_LINE_NUMBER:
        return None
    lines: list[str] = []
    added: list[int] = []
    while old or kept > len(lines):
        row = next(rows, None)
        if row is None:
            return None
        mark, text = row[:1], row[1:]
        if mark == "\\":
            continue
        if mark == "+":
            added.append(first + len(lines))
        elif mark not in ("-", " ", ""):  # an empty context line may have lost its blank on the way
            return None
        if mark != "+":
            old -= 1
        if mark != "-":
            lines.append(text)
        if old < 0 or len(lines) > kept:
            return None
    return Hunk(first, tuple(lines), frozenset(added))


def _count(written: str | None) -> int:
    return 1 if written is None else int(written)
