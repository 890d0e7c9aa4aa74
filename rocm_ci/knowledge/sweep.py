"""A log of any size, read once: every line that one of many patterns fits, and what stands around it.

Bytes go through an automaton of all needles; only a line that holds one of a pattern's needles is made plain
and tried. Memory is bounded by what is remembered of each pattern, not by the log.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.knowledge.plain import MAX_LINE, Plain, plain
from rocm_ci.tools import needles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import IO

_CHUNK = 1 << 20
# So much stands ready before and behind a line for whoever wants to see what is around it.
_AROUND = 1 << 16
CONTEXT_LINES = 60
# A pattern that fits this often has said what it has to say.
MOST_HITS = 200
_WITH_CONTEXT = 8


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that a pattern fits. `before` and `after` are plain lines around it, nearest first."""

    line: int
    said: Plain
    values: dict[str, str]
    before: tuple[Plain, ...] = ()
    after: tuple[Plain, ...] = ()


@dataclass(slots=True)
class Found:
    """What a pattern found: its first hits, and how many lines it fitted in all (at least)."""

    hits: list[Hit] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, slots=True)
class Probe:
    """A pattern ready to be looked for; `words` are its needles."""

    pattern: re.Pattern[str]
    words: frozenset[bytes]
    folded: bool = False


def probe(pattern: str, words: Iterable[str] = ()) -> Probe:
    """Of a pattern without needles of its own `words` must be given; raises `ValueError` without both."""
    found = frozenset(words) or needles.of_pattern(pattern)
    if not found:
        message = (
            f"no literal text of at least {needles.SHORTEST} characters is in every match of {pattern!r}"
        )
        raise ValueError(message)
    return Probe(re.compile(pattern), frozenset(w.encode() for w in found), needles.ignores_case(pattern))


class Sweep:
    """Looks for many patterns at once. Thread-safe once made."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        from ahocorasick_rs import BytesAhoCorasick  # noqa: PLC0415 - only who explains something needs it

        self._probes = tuple(probes)
        owners: dict[bytes, list[int]] = defaultdict(list)
        for number, one in enumerate(probes):
            for word in one.words:
                for spelt in {word, word.lower(), word.upper(), word.capitalize()} if one.folded else (word,):
                    owners[spelt].append(number)
        self._words = list(owners)
        self._owners = [tuple(owners[word]) for word in self._words]
        self._automaton = BytesAhoCorasick(self._words) if self._words else None

    def over(self, log: IO[bytes]) -> dict[int, Found]:
        """By the number of the pattern, in the order of the log."""
        found: dict[int, Found] = {}
        for window in _windows(log):
            self._look(window, found)
        return found

    def _look(self, window: _Window, found: dict[int, Found]) -> None:
        if self._automaton is None:
            return
        for place, wanted in self._lines(window, found):
            if not wanted:
                continue
            start, end = window.bounds(place)
            raw = window.text(start, end, place)
            said = plain(raw)
            for number in wanted:
                match = self._probes[number].pattern.search(said.text)
                if match is None:
                    continue
                here = found.setdefault(number, Found())
                here.count += 1
                if len(here.hits) >= MOST_HITS:
                    continue
                around = (
                    (window.before(start), window.after(end)) if len(here.hits) < _WITH_CONTEXT else ((), ())
                )
                values = {k: v for k, v in match.groupdict().items() if v is not None}
                here.hits.append(Hit(window.number(start), said, values, *around))

    def _lines(self, window: _Window, found: dict[int, Found]) -> Iterator[tuple[int, list[int]]]:
        """A place in each line that holds a needle, and the patterns to try there."""
        assert self._automaton is not None  # noqa: S101 - asked before
        end, place, words = -1, 0, set[int]()
        # Hits come by where they end; within a line that makes no difference.
        for word, at, _ in self._automaton.find_matches_as_indexes(window.data, overlapping=True):
            if at >= end:
                if words:
                    yield place, self._wanted(words, found)
                    words = set()
                if not window.first <= at < window.last:
                    continue
                end, place = window.bounds(at)[1], at
            words.add(word)
        if words:
            yield place, self._wanted(words, found)

    def _wanted(self, words: set[int], found: dict[int, Found]) -> list[int]:
        """The patterns of these needles that have not said yet what they have to say."""
        numbers = dict.fromkeys(number for word in sorted(words) for number in self._owners[word])
        return [n for n in numbers if n not in found or found[n].count < MOST_HITS]


class _Window:
    """A piece of the log. Lines that begin in `first`…`last` are its own, the rest is there to look at."""

    def __init__(self, data: bytes, first: int, last: int, line: int) -> None:
        self.data = data
        self.first = first
        self.last = last
        self._line = line
        self._at = first

    def number(self, start: int) -> int:
        """The line on which a place stands. Asked from the front to the back."""
        if start > self._at:
            self._line += self.data.count(b"\n", self._at, start)
            self._at = start
        return self._line

    def bounds(self, place: int) -> tuple[int, int]:
        """Where the line around a place begins and ends."""
        start = self.data.rfind(b"\n", 0, place) + 1
        end = self.data.find(b"\n", place)
        return start, len(self.data) if end < 0 else end

    def text(self, start: int, end: int, place: int) -> str:
        """A line, or of one that is too long what stands around the place."""
        if end - start > MAX_LINE:
            start, end = max(start, place - MAX_LINE // 2), min(end, place + MAX_LINE // 2)
        return self.data[start:end].decode("utf-8", "replace")

    def before(self, start: int) -> tuple[Plain, ...]:
        """Lines above, nearest first."""
        piece = self.data[max(0, start - _AROUND // 2) : max(0, start - 1)]
        lines = piece.split(b"\n")[-CONTEXT_LINES:]
        return tuple(plain(one[:MAX_LINE].decode("utf-8", "replace")) for one in reversed(lines))

    def after(self, end: int) -> tuple[Plain, ...]:
        """Lines below, nearest first."""
        piece = self.data[end + 1 : end + 1 + _AROUND // 2]
        lines = piece.split(b"\n", CONTEXT_LINES)[:CONTEXT_LINES]
        return tuple(plain(one[:MAX_LINE].decode("utf-8", "replace")) for one in lines)


def _windows(log: IO[bytes]) -> Iterator[_Window]:
    """The log in pieces that overlap, so that every line is seen whole and with what is around it."""
    data, first, line = b"", 0, 1
    while True:
        chunk = log.read(_CHUNK)
        data += chunk
        is_end = not chunk
        last = len(data) if is_end else data.rfind(b"\n", 0, max(0, len(data) - _AROUND)) + 1
        if last <= first and not is_end:
            # One line that does not end: it is looked at in pieces.
            last = len(data) - _AROUND
            if last <= first:
                continue
        window = _Window(data, first, last, line)
        yield window
        if is_end:
            return
        line = window.number(last)
        keep = max(0, last - _AROUND)
        data, first = data[keep:], last - keep
