"""The doctor's answer for people: one line for each check, more where something is to be done.

What is wrong stands where it belongs, and once more by name at the end: that is what a terminal shows last.
"""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import ELSEWHERE, is_unknown
from rocm_ci.gpu.checks.run import GROUPS, verdict
from rocm_ci.log import printable
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.model.facts import Facts
    from rocm_ci.model.result import Check


@dataclass(frozen=True)
class _Kind:
    """How a check is shown: its mark and colour, and what it is called."""

    mark: str
    colour: str
    word: str


_WRONG = _Kind("✗", "31", "wrong")
_ADVICE = _Kind("!", "33", "advice")
_UNKNOWN = _Kind("?", "36", "unknown")
_IDLE = _Kind("–", "2", "not used")
_AWAY = _Kind("–", "2", "not applicable")
_FINE = _Kind("✓", "32", "as needed")
_KINDS = (_WRONG, _ADVICE, _UNKNOWN, _FINE, _AWAY, _IDLE)
_NAME = 17
_LEAST, _MOST = 60, 140
_INDENT = 4
_LABEL = 9


def listing(checks: Sequence[Check], facts: Facts, *, colour: bool = False, width: int = 100) -> str:
    """All checks in their groups; what only another machine could tell stands together at the end."""
    pen = _Pen(colour=colour, width=max(_LEAST, min(width, _MOST)))
    lines = [pen.paint("1", line) for line in pen.wrapped(_machine(facts), 0)]
    away = [check for check in checks if _kind(check) is _AWAY]
    by_id = {check.id: check for check in checks if _kind(check) is not _AWAY}
    for title, names in GROUPS.items():
        shown = [by_id[name] for name in names if name in by_id]
        if shown:
            lines += ["", pen.paint("1", title), *(line for check in shown for line in pen.lines(check))]
    if away:
        lines += ["", pen.paint("1", _AWAY.word), *pen.bundle(away)]
    return "\n".join([*lines, "", *_verdict(checks, pen)])


def _kind(check: Check) -> _Kind:
    if is_unknown(check):
        return _UNKNOWN
    if check.status is Verdict.SKIPPED:
        return _AWAY if check.fix == ELSEWHERE else _IDLE
    return {Verdict.PASS: _FINE, Verdict.NEUTRAL: _ADVICE, Verdict.INCONCLUSIVE: _ADVICE}.get(
        check.status, _WRONG
    )


def _machine(facts: Facts) -> str:
    host = facts.host
    kinds = Counter(gpu.name or gpu.gfx or "AMD GPU" for gpu in facts.gpus)
    gpus = ", ".join(f"{count} × {name}" for name, count in kinds.items()) or "no AMD GPU"
    parts = (
        host.os,
        f"kernel {host.kernel}" if host.kernel else None,
        f"inside a {host.container} container" if host.container else None,
        gpus,
    )
    return " · ".join(part for part in parts if part)


def _verdict(checks: Sequence[Check], pen: _Pen) -> list[str]:
    """What it comes to, how many of each kind, and where to begin."""
    found = verdict(checks)
    said, kind = "This machine can do what is asked.", _FINE
    if found is Verdict.ERROR:
        said, kind = "This machine cannot do what is asked.", _WRONG
    elif found is Verdict.NEUTRAL:
        said, kind = "This machine can do what is asked; there is something to make better.", _ADVICE
        if any(check.id == "gpus" and check.status is found for check in checks):
            said = "Without a GPU this machine can scan and build, but run nothing that wants one."
    counts = Counter(_kind(check) for check in checks)
    tally = ", ".join(f"{counts[one]} {one.word}" for one in _KINDS if counts[one])
    lines = [pen.paint(f"1;{kind.colour}", line) for line in pen.wrapped(said, 0)]
    lines += pen.wrapped(f"{tally}.", 0)
    for one in (_WRONG, _ADVICE):
        named = [check.id for check in checks if _kind(check) is one]
        if named:
            lines += pen.labelled(f"{one.mark} {one.word}", ", ".join(named), one.colour, at=2)
    return lines


class _Pen:
    """Writes checks as lines of a width, in colour or without."""

    def __init__(self, *, colour: bool, width: int) -> None:
        self._colour = colour
        self._width = width

    def paint(self, code: str, text: str) -> str:
        """The text, in a colour where there are any."""
        return f"\033[{code}m{text}\033[0m" if self._colour and text else text

    def lines(self, check: Check) -> Iterator[str]:
        """One check: its line, and what is needed and how to get there where it is not as needed."""
        kind = _kind(check)
        # What is not known is no trouble yet: a line is enough to say how to find out.
        seen = f"{check.seen} → {check.fix}" if kind is _UNKNOWN else check.seen
        first, *more = self.wrapped(seen, _INDENT + _NAME)
        name = f"{check.id:<{_NAME}}"
        strong = self.paint("1", name) if kind in (_WRONG, _ADVICE) else name
        yield f"  {self.paint(kind.colour, kind.mark)} {strong}{first}"
        yield from more
        if kind in (_WRONG, _ADVICE):
            yield from self.labelled("needed", check.needed, "2")
            yield from self.labelled("fix", check.fix or "", kind.colour)

    def bundle(self, group: Sequence[Check]) -> Iterator[str]:
        """Checks that want another machine: each reason once, and once what to do."""
        same: dict[str, list[str]] = defaultdict(list)
        for check in group:
            same[check.seen].append(check.id)
        for reason, names in same.items():
            first, *more = self.wrapped(f"{', '.join(names)}: {reason}", _INDENT)
            yield f"  {self.paint(_AWAY.colour, _AWAY.mark)} {first}"
            yield from more
        first, *more = self.wrapped(f"→ {ELSEWHERE}", _INDENT)
        yield from (" " * _INDENT + first, *more)

    def labelled(self, label: str, text: str, code: str, *, at: int = _INDENT + _NAME) -> Iterator[str]:
        """A label and what it is about."""
        if not text:
            return
        first, *more = self.wrapped(text, at + _LABEL)
        yield " " * at + self.paint(code, f"{label:<{_LABEL}}") + first
        yield from more

    def wrapped(self, text: str, indent: int) -> list[str]:
        """The first line without its indentation, the others with it. Paths and commands stay whole."""
        room = max(20, self._width - indent)
        pieces = textwrap.wrap(
            printable(text).replace("\n", " "), room, break_long_words=True, break_on_hyphens=False
        ) or [""]
        return [pieces[0], *(" " * indent + piece for piece in pieces[1:])]
