"""Pattern → a looser one that is tried on the raw line of a needle before a file is parsed for it.

A string literal stands in the file as it is, between quotes. So a pattern for literals can only match in
the tree where it matches in the raw text, once everything that looks at its surroundings also accepts
a quote: inside the literal there is nothing at that place.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from rocm_ci.scan.source import RegionKind
from rocm_ci.tools import needles

if sys.version_info >= (3, 11):
    from re import _compiler as compiler  # type: ignore[attr-defined]
    from re import _constants as ops  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_compile as compiler
    import sre_constants as ops
    import sre_parse as parser

_QUOTES = (ord('"'), ord("'"))
_MARGINS = (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING, ops.AT_END, ops.AT_END_STRING)
_NAMES = frozenset({RegionKind.CODE, RegionKind.INCLUDE})
_OF_A_NAME = re.compile(rb"[\w.]*")


@dataclass(frozen=True, slots=True)
class Screen:
    """What a line with a needle of `pattern` must look like: it is compiled when a file first holds one.

    With `names`, a needle may also be part of a dotted name. Such names are resolved (`from torch import
    version`), so the raw line says nothing about them.
    """

    pattern: str
    names: bool

    def passes(self, line: bytes, needle: bytes) -> bool:
        """Whether a match may be here."""
        if self.names and _OF_A_NAME.fullmatch(needle):
            return True
        return _compiled(self.pattern).search(line.decode("utf-8", "surrogateescape")) is not None


def of_pattern(pattern: str, kinds: tuple[RegionKind, ...]) -> Screen | None:
    """The screen of a pattern in Python files; None where a match may span lines or has no needles."""
    wanted = needles.of_pattern(pattern)
    tree = parser.parse(pattern, re.MULTILINE)
    if wanted is None or _may_hold(tree, "\n"):
        return None
    could_be_names = [bool(_OF_A_NAME.fullmatch(one.encode("utf-8", "surrogateescape"))) for one in wanted]
    names = bool(_NAMES & set(kinds)) and any(could_be_names)
    if names and all(could_be_names):
        return None
    return Screen(pattern, names)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    tree = parser.parse(pattern, re.MULTILINE)
    loose: re.Pattern[str] = compiler.compile(_loosened(tree, tree.state), re.MULTILINE)
    return loose


def is_of_one_line(pattern: str) -> bool:
    """Whether a pattern can be tried on each line alone: it spans none and looks past the ends of none."""
    return _is_of_one_line(parser.parse(pattern))


def _is_of_one_line(items: Any) -> bool:
    for op, argument in items:
        if op is ops.AT and argument in _MARGINS:
            return False
        inner = [argument[1]] if op in (ops.ASSERT, ops.ASSERT_NOT) else _inner(op, argument) or []
        if not all(_is_of_one_line(one) for one in inner):
            return False
        if op in (ops.ASSERT, ops.ASSERT_NOT) and _may_hold(argument[1], "\n"):
            return False
    return not _may_hold(items, "\n")


def _may_hold(items: Any, char: str) -> bool:
    for op, argument in items:
        if op is ops.LITERAL and argument != ord(char):
            continue
        if op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT, ops.GROUPREF):
            continue
        if op is ops.ANY and char == "\n":
            continue
        if op is ops.IN and not _is_in_set(tuple(argument), char):
            continue
        inner = _inner(op, argument)
        if inner is None or any(_may_hold(one, char) for one in inner):
            return True
    return False


def _inner(op: Any, argument: Any) -> list[Any] | None:
    """The patterns inside a part of a pattern; None for what has none."""
    if op is ops.SUBPATTERN:
        return [argument[3]]
    if op is ops.BRANCH:
        return list(argument[1])
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT) or op is getattr(ops, "POSSESSIVE_REPEAT", None):
        return [argument[2]]
    return [argument] if op is getattr(ops, "ATOMIC_GROUP", None) else None


@lru_cache(maxsize=256)
def _is_in_set(items: tuple[Any, ...], char: str) -> bool:
    one = parser.SubPattern(parser.State(), [(ops.IN, list(items))])
    return compiler.compile(one).fullmatch(char) is not None


def _loosened(items: Any, state: Any) -> Any:
    return parser.SubPattern(state, [_loose(op, argument, state) for op, argument in items])


def _loose(op: Any, argument: Any, state: Any) -> tuple[Any, Any]:
    if op is ops.AT and argument in _MARGINS:
        ahead = argument in (ops.AT_END, ops.AT_END_STRING)
        return _or_quote((op, argument), 1 if ahead else -1, state)
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        direction, inner = argument
        if any(_may_hold(inner, chr(quote)) for quote in _QUOTES):
            return ops.SUBPATTERN, (None, 0, 0, parser.SubPattern(state, []))
        return _or_quote((op, argument), direction, state)
    if op is ops.SUBPATTERN:
        return op, (*argument[:3], _loosened(argument[3], state))
    if op is ops.BRANCH:
        return op, (argument[0], [_loosened(one, state) for one in argument[1]])
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT) or op is getattr(ops, "POSSESSIVE_REPEAT", None):
        return op, (*argument[:2], _loosened(argument[2], state))
    if op is getattr(ops, "ATOMIC_GROUP", None):
        return op, _loosened(argument, state)
    return op, argument


def _or_quote(item: tuple[Any, Any], direction: int, state: Any) -> tuple[Any, Any]:
    """`item`, or a quote before (-1) or behind (1) this place."""
    quote = parser.SubPattern(state, [(ops.IN, [(ops.LITERAL, one) for one in _QUOTES])])
    look: Any = (ops.ASSERT, (direction, quote))
    return ops.BRANCH, (None, [parser.SubPattern(state, [item]), parser.SubPattern(state, [look])])
