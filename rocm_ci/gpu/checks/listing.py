"""The doctor's answer for people: one line for each check, more where something is to be done."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import ELSEWHERE
from rocm_ci.gpu.checks.run import GROUPS, verdict
from rocm_ci.log import printable
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.model.facts import Facts
    from rocm_ci.model.result import Check

_MARKS = {
    Verdict.PASS: ("✓", "32"),
    Verdict.NEUTRAL: ("!", "33"),
    Verdict.INCONCLUSIVE: ("?", "33"),
    Verdict.SKIPPED: ("–", "2"),
    Verdict.ERROR: ("✗", "31"),
    Verdict.FAIL: ("✗", "31"),
}
_WORDS = {
    Verdict.PASS: "as needed",
    Verdict.NEUTRAL: "advice",
    Verdict.INCONCLUSIVE: "open",
    Verdict.SKIPPED: "not looked at",
    Verdict.ERROR: "wrong",
    Verdict.FAIL: "wrong",
}
_NAME = 17
_LEAST, _MOST = 60, 140
_INDENT = 4


def listing(checks: Sequence[Check], facts: Facts, *, colour: bool = False, width: int = 100) -> str:
    """All checks in their groups; what only another machine could tell stands together at the end."""
    pen = _Pen(colour=colour, width=max(_LEAST, min(width, _MOST)))
    lines = [pen.paint("1", _machine(facts))]
    elsewhere = [c for c in checks if c.status is Verdict.SKIPPED and c.fix == ELSEWHERE]
    bundled = {check.id for check in elsewhere}
    by_id = {check.id: check for check in checks}
    for title, names in GROUPS.items():
        shown = [by_id[name] for name in names if name in by_id and name not in bundled]
        if shown:
            lines += ["", pen.paint("1;36", title), *(line for check in shown for line in pen.lines(check))]
    if elsewhere:
        lines += ["", pen.paint("1;36", "not looked at"), *pen.bundle(elsewhere)]
    return "\n".join([*lines, "", *_verdict(checks, pen)])


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
    return printable(" · ".join(part for part in parts if part))


def _verdict(checks: Sequence[Check], pen: _Pen) -> list[str]:
    found = verdict(checks)
    counts = Counter(_WORDS[check.status] for check in checks)
    tally = ", ".join(f"{counts[word]} {word}" for word in dict.fromkeys(_WORDS.values()) if counts[word])
    said = {
        Verdict.ERROR: "This machine cannot do what is asked.",
        Verdict.NEUTRAL: "This machine can do what is asked; there is something to make better.",
    }.get(found, "This machine can do what is asked.")
    if found is Verdict.NEUTRAL and any(c.id == "gpus" and c.status is found for c in checks):
        said = "Without a GPU this machine can scan and build, but run no test or benchmark that wants one."
    return [pen.paint(f"1;{_MARKS[found][1]}", said), f"{tally}."]


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
        mark, code = _MARKS[check.status]
        first, *more = self._wrapped(check.seen, _INDENT + _NAME)
        name = self.paint(
            "1" if check.status in (Verdict.ERROR, Verdict.NEUTRAL) else "0", f"{check.id:<{_NAME}}"
        )
        yield f"  {self.paint(code, mark)} {name}{first}"
        yield from more
        if check.status is not Verdict.PASS:
            if check.status is not Verdict.SKIPPED:
                yield from self._labelled("needed", check.needed, "2")
            yield from self._labelled(
                "fix", check.fix or "", code if check.status is not Verdict.SKIPPED else "2"
            )

    def bundle(self, group: Sequence[Check]) -> Iterator[str]:
        """Checks that want another machine: each reason once, and once what to do."""
        mark, code = _MARKS[Verdict.SKIPPED]
        same: dict[str, list[str]] = defaultdict(list)
        for check in group:
            same[check.seen].append(check.id)
        for reason, names in same.items():
            first, *more = self._wrapped(f"{', '.join(names)}: {reason}", _INDENT)
            yield f"  {self.paint(code, mark)} {first}"
            yield from more
        yield from self._labelled("fix", ELSEWHERE, "2", at=_INDENT)

    def _labelled(self, label: str, text: str, code: str, *, at: int = _INDENT + _NAME) -> Iterator[str]:
        if not text:
            return
        first, *more = self._wrapped(text, at + 8)
        yield " " * at + self.paint(code, f"{label:<8}") + first
        yield from more

    def _wrapped(self, text: str, indent: int) -> list[str]:
        """The first line without its indentation, the others with it. Paths and commands stay whole."""
        room = max(20, self._width - indent)
        pieces = textwrap.wrap(
            printable(text).replace("\n", " "), room, break_long_words=True, break_on_hyphens=False
        ) or [""]
        return [pieces[0], *(" " * indent + piece for piece in pieces[1:])]
