"""Regular expressions over whole files, passed by where a file holds none of the literals they need."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.scan import screen
from rocm_ci.tools import needles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ahocorasick_rs import AhoCorasick

_FEW = 12  # literals; for more of them an automaton is faster than looking for one after the other


def finditer(pattern: re.Pattern[str], text: str) -> Iterable[re.Match[str]]:
    """Like `pattern.finditer(text)`. Searching for a literal is a hundred times as fast."""
    literals = _literals(pattern)
    return () if literals and not _holds_one(literals, text) else pattern.finditer(text)


def _holds_one(literals: tuple[str, ...], text: str) -> bool:
    if len(literals) > _FEW:
        return bool(_automaton(literals).find_matches_as_indexes(_encodable(text)))
    return any(literal in text for literal in literals)


def lines_with(pattern: re.Pattern[str], text: str, literals: Collection[str] = ()) -> list[int]:
    """The sorted 1-based lines on which a match begins. `literals`: one of these is in every match."""
    literals = literals or _literals(pattern)
    if literals and _is_of_one_line(pattern):
        starts: Iterable[int] = (
            start
            for start, end in _lines_holding(literals, text)
            if pattern.search(text, start, end) is not None
        )
    else:
        starts = (match.start() for match in finditer(pattern, text))
    return _lines_of(starts, text)


def lines_naming(words: Iterable[str], text: str) -> list[int]:
    """The sorted 1-based lines that hold one of these identifiers as a whole word."""
    places: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if not (_is_word(text[at - 1 : at]) or _is_word(text[end : end + 1])):
                places.append(at)
            at = text.find(word, end)
    return _lines_of(sorted(places), text)


def _is_word(char: str) -> bool:
    return char == "_" or char.isalnum()


def _lines_of(starts: Iterable[int], text: str) -> list[int]:
    found: list[int] = []
    line, at = 1, 0
    for start in starts:
        line += text.count("\n", at, start)
        at = start
        if not found or found[-1] != line:
            found.append(line)
    return found


def _lines_holding(literals: Collection[str], text: str) -> list[tuple[int, int]]:
    """(start, end) of every line with one of the literals, in order."""
    found: dict[int, int] = {}
    if len(literals) > _FEW:
        for _, at, _ in _automaton(tuple(literals)).find_matches_as_indexes(_encodable(text)):
            start = text.rfind("\n", 0, at) + 1
            if start not in found:
                end = text.find("\n", at)
                found[start] = len(text) if end < 0 else end
        return sorted(found.items())
    for literal in literals:
        at = text.find(literal)
        while at >= 0:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            found[text.rfind("\n", 0, at) + 1] = end
            at = text.find(literal, end)
    return sorted(found.items())


def _encodable(text: str) -> str:
    """A text as long, whose surrogates (bytes that are no UTF-8) are question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=64)
def _automaton(literals: tuple[str, ...]) -> AhoCorasick:
    import ahocorasick_rs  # noqa: PLC0415 - a small scan may need none

    return ahocorasick_rs.AhoCorasick(literals, implementation=ahocorasick_rs.Implementation.DFA)


@lru_cache(maxsize=1024)
def _is_of_one_line(pattern: re.Pattern[str]) -> bool:
    return screen.is_of_one_line(pattern.pattern)


@lru_cache(maxsize=1024)
def _literals(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """One of these is in every match; none when that is not known or there are too many."""
    if pattern.flags & (re.IGNORECASE | re.VERBOSE) or needles.ignores_case(pattern.pattern):
        return ()
    found = needles.of_pattern(pattern.pattern) or ()
    # What contains another one tells nothing more.
    least = [one for one in found if not any(other != one and other in one for other in found)]
    return tuple(sorted(least))
