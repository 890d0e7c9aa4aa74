"""A rule → what a file must hold for it to match: for each of its matchers, needles that are all needed.

Needles of a pattern come from the pattern. A matcher that names what surrounds a match (the call, the
command) also needs that name. A rule file may give needles of its own where a region is not a piece
of the file, as the full name of something imported is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan import screen
from rocm_ci.scan.language_registry import detector
from rocm_ci.scan.prefilter import Need
from rocm_ci.scan.source import RegionKind
from rocm_ci.tools import needles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rocm_ci.scan.prefilter import Way
    from rocm_ci.scan.rule import MatchSpec, Rule
    from rocm_ci.scan.screen import Screen
    from rocm_ci.scan.tables import Tables

# Regions of these kinds stand in the file as they are, whatever needles a rule gives for others.
_VERBATIM = frozenset({RegionKind.STRING})
# Context entries that end in a name from the file; CMake and the shell let its case differ.
_NAMED = {"call": False, "kw": False, "command": True}


def ways_of(rule: Rule, tables: Tables, language: str = "") -> tuple[Way, ...]:
    """One way for each matcher, in files of a language. An empty one is open to every file."""
    return tuple(_way(spec, tables, language) for spec in rule.match)


def _way(spec: MatchSpec, tables: Tables, language: str) -> Way:
    if spec.detector is not None:
        named = detector(spec.detector)
        own = getattr(named, "needles", ())
        # What must stand in the file besides, where the needles alone are in too many.
        also = getattr(named, "also", ())
        return tuple(_need(some) for some in (own, also) if some)
    given = spec.needles or spec.names or (tables.needles(spec.table) if spec.table else None)
    wanted = [_need(given)] if given else []
    if spec.pattern and not (spec.names or spec.table):
        wanted += _of_pattern(spec, language)
    return (*wanted, *_of_context(spec.context))


def _of_pattern(spec: MatchSpec, language: str) -> Iterator[Need]:
    """The needles of a pattern, with its screen in Python files: literals are the same in every one."""
    pattern = spec.pattern or ""
    strings = needles.of_pattern(pattern)
    look = screen.of_pattern(pattern, spec.kinds) if language == "python" else None
    verbatim = _VERBATIM.issuperset(spec.kinds) or (look is not None and not look.names)
    if strings and (verbatim or not spec.needles):
        yield _need(strings, folded=needles.ignores_case(pattern), look=look)


def _of_context(pattern: str | None) -> Iterator[Need]:
    """What `^call:(importlib\\.import_module|__import__)$` needs: the last part of every name."""
    texts = needles.texts_of(pattern) if pattern else None
    entries = [text.partition(":") for text in texts or ()]
    names = frozenset(name.rsplit(".", 1)[-1] for _, _, name in entries)
    kinds = {kind for kind, _, _ in entries}
    if not entries or not kinds <= set(_NAMED) or min(map(len, names)) < needles.SHORTEST:
        return
    yield _need(names, folded=any(_NAMED[kind] for kind in kinds))


def _need(strings: Collection[str], *, folded: bool = False, look: Screen | None = None) -> Need:
    texts = (text.lower() if folded else text for text in strings)
    return Need(frozenset(text.encode("utf-8", "surrogateescape") for text in texts), folded, look)
