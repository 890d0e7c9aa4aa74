"""What a source says now against the rows of the master table that came from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.api_table import merge

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tools.api_table.row import Row


def differences(
    label: str,
    theirs: Mapping[str, Row],
    table: Mapping[str, Row],
    columns: Sequence[str],
    shared: Collection[str] = (),
) -> Iterator[str]:
    """Every name and value in which a source and its rows of the table differ.

    Rows that another source or the additions settled are left alone; `shared` are names that HIP has too.
    """
    for name, row in sorted(theirs.items()):
        if not merge.is_distinctive(name) or row.is_identity or name in shared:
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
        if said != have and not _may_differ(label, column, row, ours):
            yield f"{label}: {row.name}: {column} is {said or 'none'}, the table has {have or 'none'}"


def _may_differ(label: str, column: str, row: Row, ours: Row) -> bool:
    if column.startswith("cuda_"):  # the script leaves many releases out
        return not getattr(row, column)
    if column != "hip":
        return False
    # Headers may know more than a translator; cuDNN's names are settled by them alone; and torch
    # translates some names to what no header declares.
    return not row.hip or ours.library == "cudnn" or (label == "torch" and not ours.hip)
