"""What a source says now against the rows of the master table that came from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.api_table import merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tools.api_table.row import Row

# HIP names that stand in the table although a source says «none» come from headers.
_FROM_HEADERS = "headers show it"


def differences(
    label: str, theirs: Mapping[str, Row], table: Mapping[str, Row], columns: Sequence[str]
) -> Iterator[str]:
    """Every name and value in which a source and its rows of the table differ; kept rows are ours."""
    for name, row in sorted(theirs.items()):
        if not merge.is_distinctive(name) or row.is_identity:
            continue
        ours = table.get(name)
        if ours is None:
            yield f"{label}: {name} is not in the table"
        elif ours.source == label:
            yield from _columns(label, row, ours, columns)
    gone = (n for n, row in sorted(table.items()) if row.source == label and n not in theirs)
    yield from (f"{label}: {name} is in the table and no longer there" for name in gone)


def _columns(label: str, row: Row, ours: Row, columns: Sequence[str]) -> Iterator[str]:
    for column in columns:
        said, have = getattr(row, column), getattr(ours, column)
        if column == "hip" and not said:  # a later header may know more than the translator
            continue
        if said != have and not (column.startswith("cuda_") and not said):
            yield f"{label}: {row.name}: {column} is {said or 'none'}, the table has {have or 'none'}"
