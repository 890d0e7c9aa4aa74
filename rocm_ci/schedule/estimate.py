"""How long each task will take: what is recorded, and the median of that for the others. Pure."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Where nothing is recorded all tasks are alike, however long that is.
_ANY_S = 1.0


def filled(names: Iterable[str], known: Mapping[str, float]) -> dict[str, float]:
    """Seconds for each name; the unknown ones get the median of those of `names` that are known."""
    listed = list(names)
    there = [known[name] for name in listed if name in known]
    typical = statistics.median(there) if there else _ANY_S
    return {name: known.get(name, typical) for name in listed}


def balanced(names: Sequence[str], known: Mapping[str, float], parts: int) -> tuple[tuple[str, ...], ...]:
    """`names` in `parts` groups that take about as long, each in the given order; none lost, none doubled.

    Longest first, always into the group that is shortest by then (Graham 1969: at most 4/3 of the best).
    """
    expected = filled(dict.fromkeys(names), known)
    order = sorted(range(len(names)), key=lambda at: (-expected[names[at]], at))
    loads, members = [0.0] * parts, [list[int]() for _ in range(parts)]
    for at in order:
        shortest = min(range(parts), key=lambda part: (loads[part], len(members[part]), part))
        loads[shortest] += expected[names[at]]
        members[shortest].append(at)
    return tuple(tuple(names[at] for at in sorted(group)) for group in members)
