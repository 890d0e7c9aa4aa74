"""Bytes of a file → the rules that could match in it. Never loses a finding; only saves parsing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rocm_ci.scan.screen import Screen

    _Hits = Sequence[tuple[int, int, int]]  # (needle, start, end)


@dataclass(frozen=True, slots=True)
class Need:
    """A file must hold one of these strings; `folded` ones are lower case, for the lower-cased file.

    A `screen` also wants a line with one of them to pass.
    """

    strings: frozenset[bytes]
    folded: bool = False
    screen: Screen | None = None


# One way for a rule to match: all of these needs at once, the first one where the match itself is.
Way = tuple[Need, ...]


class Prefilter:
    """Two automata over the needles of many rules. `ways[i]` are the ways in which rule `i` can match.

    A rule with an empty way is always possible, one without any way never.
    """

    def __init__(self, ways: Sequence[Sequence[Way]]) -> None:
        self._ways = [(rule, way) for rule, several in enumerate(ways) for way in several]
        bits: dict[Need, int] = {}
        self._needed: list[int] = []
        for _, way in self._ways:
            for need in way:
                bits.setdefault(need, 1 << len(bits))
            self._needed.append(reduce(or_, (bits[need] for need in way), 0))
        self._bits = bits
        self._plain = _Automaton({need: bit for need, bit in bits.items() if not need.folded})
        self._folded = _Automaton({need: bit for need, bit in bits.items() if need.folded})
        # Of the ways with folded needs: what they want besides.
        plain = reduce(or_, (bit for need, bit in bits.items() if not need.folded), 0)
        parts = {needed & plain for needed in self._needed if needed & ~plain}
        self._plain_parts = (0,) if 0 in parts else tuple(parts)
        self._answers: dict[int, tuple[frozenset[int], list[tuple[int, Way]]]] = {}
        self._last: tuple[bytes, _Hits, _Hits] | None = None

    def possible(self, data: bytes) -> frozenset[int]:
        """Indices of the rules that could match."""
        seen = self._seen(data)
        if seen not in self._answers:
            ways = list(self._open(seen))
            sure = frozenset(rule for rule, way in ways if not any(need.screen for need in way))
            self._answers[seen] = (sure, [one for one in ways if one[0] not in sure])
        sure, screened = self._answers[seen]
        # In what starts like JSON (a notebook) literals are escaped.
        if not screened or data.lstrip()[:1] == b"{":
            return sure | {rule for rule, _ in screened}
        return sure | {rule for rule, way in screened if all(self._passes(data, need) for need in way)}

    def _passes(self, data: bytes, need: Need) -> bool:
        """Whether some line of the file passes the screen of a need."""
        if need.screen is None:
            return True
        _, plain, folded = self._look(data)
        automaton, hits = (self._folded, folded) if need.folded else (self._plain, plain)
        looked: set[tuple[int, bytes]] = set()
        for place, needle in automaton.found(hits, self._bits[need]):
            start = data.rfind(b"\n", 0, place) + 1
            if (start, needle) not in looked:
                looked.add((start, needle))
                end = data.find(b"\n", place)
                if need.screen.passes(data[start : end if end >= 0 else len(data)], needle):
                    return True
        return False

    def lines(self, data: bytes, rules: Collection[int]) -> tuple[int, ...] | None:
        """Sorted 1-based lines on which one of these rules could match; None when that may be anywhere."""
        ways = [way for rule, way in self._open(self._seen(data)) if rule in rules]
        if not all(ways):
            return None
        # All that a way needs: a detector may bring together what stands on several lines.
        wanted = reduce(or_, (self._bits[need] for way in ways for need in way), 0)
        _, plain, folded = self._look(data)
        places = sorted({*self._plain.places(plain, wanted), *self._folded.places(folded, wanted)})
        lines: list[int] = []
        line, before = 1, 0
        for place in places:
            further = data.count(b"\n", before, place)
            if further or not lines:
                line += further
                lines.append(line)
            before = place
        return tuple(lines)

    def _open(self, seen: int) -> Iterable[tuple[int, Way]]:
        return (one for one, needed in zip(self._ways, self._needed, strict=True) if needed & seen == needed)

    def _seen(self, data: bytes) -> int:
        _, plain, folded = self._look(data)
        return self._plain.needs(plain) | self._folded.needs(folded)

    def _wants_folded(self, seen: int) -> bool:
        """Whether a second pass over the lower-cased file could open a way that is not closed already."""
        return any(part & seen == part for part in self._plain_parts)

    def _look(self, data: bytes) -> tuple[bytes, _Hits, _Hits]:
        # A file that passes is asked for its lines right after: the last answer is kept.
        if self._last is None or self._last[0] is not data:
            plain = self._plain.hits(data)
            folded = self._folded.hits(data.lower()) if self._wants_folded(self._plain.needs(plain)) else ()
            self._last = (data, plain, folded)
        return self._last


class _Automaton:
    def __init__(self, needs: dict[Need, int]) -> None:
        owners: dict[bytes, int] = {}
        for need, bit in needs.items():
            for string in need.strings:
                owners[string] = owners.get(string, 0) | bit
        self._owners = list(owners.values())
        self._needles = list(owners)
        self._matcher = None
        if owners:
            # 2 ms to import, but a pull request without any file of a known language needs it not at all.
            import ahocorasick_rs  # noqa: PLC0415

            # Three times as fast as the default for thousands of needles, and built in 3 ms.
            kind = ahocorasick_rs.Implementation.DFA
            self._matcher = ahocorasick_rs.BytesAhoCorasick(list(owners), implementation=kind)

    def __bool__(self) -> bool:
        return self._matcher is not None

    def hits(self, data: bytes) -> _Hits:
        # Overlapping, for a needle inside another one's hit must be seen too.
        return () if self._matcher is None else self._matcher.find_matches_as_indexes(data, overlapping=True)

    def needs(self, hits: _Hits) -> int:
        return reduce(or_, (self._owners[needle] for needle in {needle for needle, _, _ in hits}), 0)

    def found(self, hits: _Hits, wanted: int) -> Iterable[tuple[int, bytes]]:
        """(offset of the last byte, needle) of every needle of one of these needs."""
        return ((end - 1, self._needles[n]) for n, _, end in hits if self._owners[n] & wanted)

    def places(self, hits: _Hits, wanted: int) -> Iterable[int]:
        """Offsets at which a needle of one of these needs ends."""
        return (end - 1 for needle, _, end in hits if self._owners[needle] & wanted)
