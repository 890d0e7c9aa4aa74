"""Regular expression → literal needles: strings of which every match must contain at least one."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Part:
    """`exact`: all texts this part can be; `needed`: strings of which every text contains one."""

    exact: frozenset[str] | None
    needed: frozenset[str] | None


_ANYTHING = _Part(None, None)
_NOTHING = _Part(frozenset({""}), None)


def of_pattern(pattern: str) -> frozenset[str] | None:
    """The needles of a pattern; None when there are none. Where it ignores case, so must the search."""
    return _usable(_sequence(parser.parse(pattern)))


def ignores_case(pattern: str) -> bool:
    """Whether any part of a pattern ignores case: `(?i)…`, `(?i:…)`."""
    return _IGNORES_CASE.search(pattern) is not None


def _usable(part: _Part) -> frozenset[str] | None:
    best = _better(part.exact, part.needed)
    return best if best and min(map(len, best)) >= SHORTEST else None


def _better(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """The set whose shortest string is longer, for it lets fewer files through."""
    if not one or "" in one:
        return other if other and "" not in other else None
    if not other or "" in other:
        return one
    return max(one, other, key=lambda s: (min(map(len, s)), -len(s)))


def _sequence(items: Any) -> _Part:
    run: frozenset[str] = frozenset({""})
    needed: frozenset[str] | None = None
    whole = True
    for op, argument in items:
        part = _item(op, argument)
        if part.exact is not None and len(part.exact) * len(run) <= _MOST_STRINGS:
            run = frozenset(a + b for a, b in product(run, part.exact))
            continue
        needed = _better(_better(needed, run), _better(part.exact, part.needed))
        run, whole = frozenset({""}), False
    return _Part(run if whole else None, _better(needed, run))


def _item(op: Any, argument: Any) -> _Part:
    if op is ops.LITERAL:
        return _Part(frozenset({chr(argument)}), None)
    if op is ops.IN:
        return _characters(argument)
    if op is ops.BRANCH:
        return _alternatives([_sequence(one) for one in argument[1]])
    if op is ops.SUBPATTERN:
        return _sequence(argument[3])
    if op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return _NOTHING
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT) or op is getattr(ops, "POSSESSIVE_REPEAT", None):
        least, most, inner = argument
        part = _sequence(inner)
        if part.exact is not None and most <= _FEW and len(part.exact) ** most <= _MOST_STRINGS:
            times = range(least, most + 1)
            return _Part(frozenset("".join(p) for n in times for p in product(part.exact, repeat=n)), None)
        return _Part(None, _better(part.exact, part.needed)) if least else _ANYTHING
    return _ANYTHING


def _characters(items: Any) -> _Part:
    if all(op is ops.LITERAL for op, _ in items) and len(items) <= 8:
        return _Part(frozenset(chr(argument) for _, argument in items), None)
    return _ANYTHING


def _alternatives(parts: list[_Part]) -> _Part:
    exact: frozenset[str] | None = frozenset()
    needed: frozenset[str] | None = frozenset()
    for part in parts:
        exact = exact | part.exact if exact is not None and part.exact is not None else None
        best = _better(part.exact, part.needed)
        needed = needed | best if needed is not None and best else None
    if exact is not None and len(exact) > _MOST_STRINGS:
        exact = None
    return _Part(exact, needed)
