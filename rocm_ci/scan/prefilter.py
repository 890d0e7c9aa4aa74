"""Bytes of a file → the rules that could match in it. Never loses a finding; only saves parsing."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_ASCII_LOWER = bytes(b + 32 if 65 <= b <= 90 else b for b in range(256))


class Prefilter:
    """One automaton over the needles of many rules.

    `needles[i]` are the strings of which a file must contain one for rule `i`; None means that the
    rule has none and is always possible. Needles of rules in `folded` are lower case and compared
    with the lower-cased file.
    """

    def __init__(
        self, needles: Sequence[frozenset[bytes] | None], folded: frozenset[int] = frozenset()
    ) -> None:
        self._always = frozenset(i for i, some in enumerate(needles) if some is None)
        self._plain = _Automaton({i: s for i, s in enumerate(needles) if s is not None and i not in folded})
        self._folded = _Automaton({i: s for i, s in enumerate(needles) if s is not None and i in folded})

    def possible(self, data: bytes) -> frozenset[int]:
        """Indices of the rules that could match."""
        found = self._always | self._plain.rules(data)
        if self._folded:
            found |= self._folded.rules(data.translate(_ASCII_LOWER))
        return found

    def lines(self, data: bytes, rules: Collection[int]) -> tuple[int, ...] | None:
        """Sorted 1-based lines with a needle of one of these rules; None when one of them has no needles."""
        if any(rule in self._always for rule in rules):
            return None
        places = self._plain.places(data, rules)
        if self._folded:
            places |= self._folded.places(data.translate(_ASCII_LOWER), rules)
        ends = [m.start() for m in re.finditer(b"\n", data)]
        return tuple(sorted({bisect_left(ends, place) + 1 for place in places}))


class _Automaton:
    def __init__(self, needles: dict[int, frozenset[bytes]]) -> None:
        self._owners: list[frozenset[int]] = []
        self._matcher = None
        by_needle: dict[bytes, set[int]] = {}
        for rule, strings in needles.items():
            for string in strings:
                by_needle.setdefault(string, set()).add(rule)
        if not by_needle:
            return
        # 2 ms to import, but a pull request without any file of a known language needs it not at all.
        import ahocorasick_rs  # noqa: PLC0415

        self._owners = [frozenset(rules) for rules in by_needle.values()]
        self._matcher = ahocorasick_rs.BytesAhoCorasick(list(by_needle))

    def __bool__(self) -> bool:
        return self._matcher is not None

    def rules(self, data: bytes) -> frozenset[int]:
        if self._matcher is None:
            return frozenset()
        # Overlapping, for a needle inside another one's hit must be seen too.
        hits = {needle for needle, _, _ in self._matcher.find_matches_as_indexes(data, overlapping=True)}
        return frozenset().union(*(self._owners[needle] for needle in hits))

    def places(self, data: bytes, rules: Collection[int]) -> set[int]:
        """Offsets at which a needle of one of these rules ends."""
        if self._matcher is None:
            return set()
        wanted = {i for i, owners in enumerate(self._owners) if not owners.isdisjoint(rules)}
        hits = self._matcher.find_matches_as_indexes(data, overlapping=True)
        return {end - 1 for needle, _, end in hits if needle in wanted}
