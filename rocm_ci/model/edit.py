"""An exact change of text, and how several of them are applied."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rocm_ci.model.base import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Edit(Frozen, frozen=True, kw_only=True):
    """The text of `line` from `column` up to, not including, `end` becomes `text`, which has no newline.

    Lines and columns are 1-based and count characters (code points). Equal columns insert.
    """

    line: int
    column: int
    end: int
    text: str


def in_order(edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
    """Sorted and without doubles; None when two of them touch the same text in different ways.

    Two insertions at one place count as a conflict: nobody knows which comes first.
    """
    ordered = sorted(set(edits), key=lambda e: (e.line, e.column, e.end))
    for before, after in pairwise(ordered):
        if before.line != after.line:
            continue
        if before.end > after.column or before.column == after.column:
            return None
    return tuple(ordered)


def patched(lines: Sequence[str], edits: Sequence[Edit], first: int = 1) -> list[str]:
    """`lines`, of which the first has the number `first`, with edits in the order of `in_order` applied.

    Raises ValueError when an edit lies outside of them.
    """
    made = list(lines)
    for edit in reversed(edits):
        at = edit.line - first
        if not 0 <= at < len(made) or not 1 <= edit.column <= edit.end <= len(made[at]) + 1:
            message = f"no text at {edit.line}:{edit.column}-{edit.end}"
            raise ValueError(message)
        made[at] = made[at][: edit.column - 1] + edit.text + made[at][edit.end - 1 :]
    return made
