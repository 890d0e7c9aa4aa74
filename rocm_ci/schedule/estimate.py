"""How long each task will take: what is recorded, and the median of that for the others. Pure."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Where nothing is recorded all tasks are alike, however long that is.
_ANY_S = 1.0
# A suite that takes so long on each GPU is worth starting its tool more often, in pieces that grow smaller.
WORTH_MORE_S = 600.0
# What the first of those take, and the smaller ones after them. With these PyTorch's
# tests end within 4 % of the best although a fifth of them is new and the rest off by 30 % (bench/schedule).
TAPER = (0.6, 0.25, 0.11, 0.04)


def filled(names: Iterable[str], known: Mapping[str, float]) -> dict[str, float]:
    """Seconds for each name; the unknown ones get the median of those of `names` that are known."""
    listed = list(names)
    there = [known[name] for name in listed if name in known]
    typical = statistics.median(there) if there else _ANY_S
    return {name: known.get(name, typical) for name in listed}


def cut(
    seconds: Sequence[float], is_known: Sequence[bool], parts: int, *, exactly: bool
) -> tuple[tuple[int, ...], ...]:
    """Positions in `parts` groups, or in more that grow smaller where that pays, if not `exactly`."""
    if exactly or not any(is_known) or sum(seconds) < parts * WORTH_MORE_S:
        return balanced(seconds, parts)
    return tapered(seconds, is_known, parts)


def balanced(seconds: Sequence[float], parts: int) -> tuple[tuple[int, ...], ...]:
    """Positions in `parts` groups that take about as long, each in order; none lost, doubled or empty.

    Longest first, always into the group that is shortest by then (Graham 1969: at most 4/3 of the best).
    """
    loads, members = [0.0] * parts, [list[int]() for _ in range(parts)]
    for at in sorted(range(len(seconds)), key=lambda at: (-seconds[at], at)):
        shortest = min(range(parts), key=lambda part: (loads[part], len(members[part]), part))
        loads[shortest] += seconds[at]
        members[shortest].append(at)
    return tuple(tuple(sorted(group)) for group in members if group)


def tapered(
    seconds: Sequence[float], is_known: Sequence[bool], parts: int, shares: Sequence[float] = TAPER
) -> tuple[tuple[int, ...], ...]:
    """As `balanced`, but in several waves of `parts` groups, each wave shorter than the one before.

    An estimate that was wrong shows in an early group, and the later ones make up for it: they start where
    something is free. So what is not known at all comes first, then the longest. `shares` of the whole are
    what the waves take; the last one gets the rest.
    """
    order = sorted(range(len(seconds)), key=lambda at: (is_known[at], -seconds[at], at))
    whole, taken, found = sum(seconds), 0.0, list[tuple[int, ...]]()
    waves: list[list[int]] = [[] for _ in shares]
    ends = [whole * sum(shares[: number + 1]) for number in range(len(shares) - 1)]
    for at in order:
        waves[sum(taken >= end for end in ends)].append(at)
        taken += seconds[at]
    for wave in waves:
        groups = balanced([seconds[at] for at in wave], parts)
        found += [tuple(sorted(wave[inner] for inner in group)) for group in groups]
    return tuple(found)
