"""The shipped rules with their needles as `make gen` wrote them: nothing to parse or to derive at the start.

An entry of `rules/ready.json` counts as long as all that it was made of is the same: its rule file, the
needles of its table, the modules of its detector, the code that derives needles. What is newer is read
and derived by the scan itself.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import msgspec

from rocm_ci import registry
from rocm_ci.model.base import Frozen
from rocm_ci.scan.prefilter import Need, Way
from rocm_ci.scan.rule import Rule
from rocm_ci.scan.screen import Screen

FILE = "ready.json"
_HERE = Path(__file__).resolve().parent
# What makes a rule of its file, and needles of a rule.
_CODE = ("rule.py", "sieve.py", "needles.py", "screen.py")
_HEAD = 5  # lines of a table that may hold its needles


class WrittenNeed(Frozen, frozen=True, kw_only=True, omit_defaults=True):
    """A `Need`; `screen` is the pattern of its screen."""

    strings: tuple[str, ...]
    folded: bool = False
    screen: str | None = None
    names: bool = False


class WrittenWays(Frozen, frozen=True, kw_only=True):
    """The ways of a rule in files of these languages."""

    languages: tuple[str, ...]
    ways: tuple[tuple[WrittenNeed, ...], ...]


class Entry(Frozen, frozen=True, kw_only=True):
    """A rule file. `made_of` are the modules, below `rocm_ci/scan`, that its detectors' needles come from."""

    file: str
    digest: str
    made_of: tuple[str, ...] = ()
    rule: Rule
    ways: tuple[WrittenWays, ...]


def digest(text: bytes, made_of: tuple[str, ...], tables: tuple[str, ...]) -> str:
    """A short name for all that an entry was made of."""
    known = hashlib.blake2b(text, digest_size=12)
    for part in (*_CODE, *made_of):
        known.update(_module(part))
    for table in tables:
        known.update(_needles(table))
    return known.hexdigest()


def tables_of(rule: Rule) -> tuple[str, ...]:
    """The lists of names whose needles are the rule's own."""
    return tuple(spec.table for spec in rule.match if spec.table)


@cache
def _module(name: str) -> bytes:
    return _short(_HERE / name)


@cache
def _needles(table: str) -> bytes:
    path = registry.data_folder("rules") / "tables" / f"{table}.txt"
    try:
        with path.open("rb") as file:
            head = [line for _, line in zip(range(_HEAD), file, strict=False)]
    except OSError:
        return b""
    return next((line for line in head if line.startswith(b"# needles: ")), None) or _short(path)


def _short(path: Path) -> bytes:
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=12).digest()
    except OSError:
        return b""


@cache
def _entries() -> dict[str, Entry]:
    try:
        data = (registry.data_folder("rules") / FILE).read_bytes()
        return {entry.file: entry for entry in msgspec.json.decode(data, type=tuple[Entry, ...])}
    except (OSError, msgspec.DecodeError):
        return {}  # of another release, or not there: all is derived


# By the id of the rule; what it was asked for is compared with `is`, for a test may change a rule.
_IN_USE: dict[str, Entry] = {}


def rule_of(file: str, text: bytes) -> Rule | None:
    """The rule of a shipped file that holds `text`; None when it was not written down or has changed."""
    entry = _entries().get(file)
    if entry is None or entry.digest != digest(text, entry.made_of, tables_of(entry.rule)):
        return None
    _IN_USE[entry.rule.id] = entry
    return entry.rule


def ways_of(rule: Rule, language: str) -> tuple[Way, ...] | None:
    """The ways of a rule that `rule_of` gave; None for any other."""
    entry = _IN_USE.get(rule.id)
    if entry is None or entry.rule is not rule:
        return None
    found = next((some.ways for some in entry.ways if language in some.languages), None)
    return None if found is None else tuple(tuple(map(_need, way)) for way in found)


def _need(written: WrittenNeed) -> Need:
    look = None if written.screen is None else Screen(written.screen, written.names)
    strings = frozenset(text.encode("utf-8", "surrogateescape") for text in written.strings)
    return Need(strings, written.folded, look)
