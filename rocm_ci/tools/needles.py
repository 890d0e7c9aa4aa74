"""Regular expression → literal needles: strings of which every match must contain at least one."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

if sys.version_info >= (3, 11):
    from re import _constants as ops  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as ops
    import sre_parse as parser

SHORTEST = 2  # a single letter would let every file through
_MOST_STRINGS = 512
_FEW = 3
_IGNORES_CASE = re.compile(r"\(\?[aLmsux]*i")
_EMPTY = frozenset({""})


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of every text that a part of a pattern can match.

    `exact`: all of them; `starts` and `ends`: how they begin and end (the empty string where anything
    goes); `needed`: strings of which every one contains at least one.
    """

    exact: frozenset[str] | None
    starts: frozenset[str] = _EMPTY
    ends: frozenset[str] = _EMPTY
    needed: frozenset[str] | None = None


def _exactly(texts: frozenset[str]) -> _Part:
    return _Part(texts, texts, texts)


_ANYTHING = _Part(None)
_NOTHING = _exactly(_EMPTY)


@lru_cache(maxsize=1024)
def of_pattern(pattern: str) -> frozenset[str] | None:
    """The needles of a pattern; None when there are none. Where it ignores case, so must the search."""
    best = _best(_sequence(parser.parse(pattern)))
    return best if best and min(map(len, best)) >= SHORTEST else None


def texts_of(pattern: str) -> frozenset[str] | None:
    """Everything a pattern can match, when that is a short list: `^(a|b)$`."""
    return _sequence(parser.parse(pattern)).exact


def ignores_case(pattern: str) -> bool:
    """Whether any part of a pattern ignores case: `(?i)…`, `(?i:…)`."""
    return _IGNORES_CASE.search(pattern) is not None


def _best(part: _Part) -> frozenset[str] | None:
    return _rarest(part.exact, part.starts, part.ends, part.needed)


def _rarest(*sets: frozenset[str] | None) -> frozenset[str] | None:
    """The set whose shortest string is longest, for it lets the fewest files through."""
    usable = [one for one in sets if one and "" not in one]
    return max(usable, key=lambda s: (min(map(len, s)), -len(s)), default=None)


def _joined(one: frozenset[str], other: frozenset[str]) -> frozenset[str] | None:
    """Every text of `one` followed by every text of `other`; None when that is too many."""
    if len(one) * len(other) > _MOST_STRINGS:
        return None
    return frozenset(a + b for a, b in product(one, other))


def _sequence(items: Any) -> _Part:
    whole, run = _NOTHING, ""  # of literals, which are joined at once
    for op, argument in items:
        if op is ops.LITERAL:
            run += chr(argument)
            continue
        if run:
            whole, run = _then(whole, _exactly(frozenset({run}))), ""
        whole = _then(whole, _item(op, argument))
    return _then(whole, _exactly(frozenset({run}))) if run else whole


def _then(one: _Part, other: _Part) -> _Part:
    if one.exact == _EMPTY:
        return other
    if other.exact == _EMPTY:
        return one
    exact = one.exact is not None and other.exact is not None and _joined(one.exact, other.exact)
    if exact:
        return _exactly(exact)
    starts = (_joined(one.exact, other.starts) if one.exact is not None else None) or one.starts
    ends = (_joined(one.ends, other.exact) if other.exact is not None else None) or other.ends
    across = _joined(one.ends, other.starts)
    return _Part(None, starts, ends, _rarest(_best(one), _best(other), across))


def _item(op: Any, argument: Any) -> _Part:
    if op is ops.LITERAL:
        return _exactly(frozenset({chr(argument)}))
    if op is ops.IN:
        return _characters(argument)
    if op is ops.BRANCH:
        return _alternatives([_sequence(one) for one in argument[1]])
    if op is ops.SUBPATTERN:
        return _sequence(argument[3])
    if op is getattr(ops, "ATOMIC_GROUP", None):
        return _sequence(argument)
    if op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return _NOTHING
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT) or op is getattr(ops, "POSSESSIVE_REPEAT", None):
        return _repeated(*argument)
    return _ANYTHING


def _repeated(least: int, most: int, inner: Any) -> _Part:
    part = _sequence(inner)
    if part.exact is not None and most <= _FEW and len(part.exact) ** most <= _MOST_STRINGS:
        times = range(least, most + 1)
        return _exactly(frozenset("".join(p) for n in times for p in product(part.exact, repeat=n)))
    return _Part(None, part.starts, part.ends, _best(part)) if least else _ANYTHING


def _characters(items: Any) -> _Part:
    if all(op is ops.LITERAL for op, _ in items) and len(items) <= 8:
        return _exactly(frozenset(chr(argument) for _, argument in items))
    return _ANYTHING


def _alternatives(parts: list[_Part]) -> _Part:
    exact = _all_of([part.exact for part in parts])
    if exact is not None and len(exact) <= _MOST_STRINGS:
        return _exactly(exact)
    starts = frozenset().union(*(part.starts for part in parts))
    ends = frozenset().union(*(part.ends for part in parts))
    return _Part(None, starts, ends, _all_of([_best(part) for part in parts]))


def _all_of(sets: list[frozenset[str] | None]) -> frozenset[str] | None:
    """The union; None as soon as one is unknown."""
    known = [one for one in sets if one is not None]
    return frozenset[str]().union(*known) if len(known) == len(sets) else None
