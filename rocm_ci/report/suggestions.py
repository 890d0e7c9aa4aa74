"""Repairs on added lines → what a review can offer with one click. Pure: needs no checkout.

A suggestion of GitHub replaces whole lines, so all repairs of a line go into one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.edit import in_order, patched

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.model.edit import Edit
    from rocm_ci.model.finding import Finding


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Lines `first` to `last` of `path` become `lines`; `findings` are repaired by that."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def unsafe(self) -> bool:
        """Whether it may change what the code means on NVIDIA."""
        return any(finding.unsafe for finding in self.findings)


def suggestions(findings: Iterable[Finding]) -> tuple[Suggestion, ...]:
    """One suggestion for each stretch of lines that some repairs share, in the order of the findings.

    A repair that does not go together with an earlier one of its lines is left out, as is one whose
    excerpt does not fit: a report may come from a plane that nobody trusts.
    """
    made: list[_Stretch] = []
    for finding in findings:
        if not finding.excerpt or not finding.edits:
            continue
        new = _Stretch(finding)
        if new.lines is None:
            continue
        touching = [one for one in made if one.touches(new)]
        joined: _Stretch | None = new
        for one in touching:
            joined = joined.joined(one) if joined is not None else None
        if joined is not None:
            made = [one for one in made if one not in touching] + [joined]
    made.sort(key=lambda one: (one.path, one.first))
    return tuple(one.suggestion() for one in made)


class _Stretch:
    """Neighbouring lines with the edits of some findings."""

    def __init__(self, *findings: Finding) -> None:
        self.findings = findings
        self.path = findings[0].path
        self.text: dict[int, str] = {}
        for finding in findings:
            first = min(edit.line for edit in finding.edits)
            self.text |= dict(enumerate(finding.excerpt, first))
        self.first, self.last = min(self.text), max(self.text)
        self.edits = in_order(edit for finding in findings for edit in finding.edits)
        self.lines = self._patched(self.edits)

    def touches(self, other: _Stretch) -> bool:
        return self.path == other.path and self.first <= other.last and other.first <= self.last

    def joined(self, other: _Stretch) -> _Stretch | None:
        """Both together; None when their edits or their lines contradict each other."""
        if any(self.text[n] != other.text[n] for n in self.text.keys() & other.text.keys()):
            return None
        both = _Stretch(*other.findings, *self.findings)
        return both if both.lines is not None else None

    def suggestion(self) -> Suggestion:
        return Suggestion(self.path, self.first, self.last, self.lines or (), self.findings)

    def _patched(self, edits: Sequence[Edit] | None) -> tuple[str, ...] | None:
        whole = [self.text.get(n) for n in range(self.first, self.last + 1)]
        present = [line for line in whole if line is not None]
        if edits is None or len(present) != len(whole):
            return None
        try:
            return tuple(patched(present, edits, self.first))
        except ValueError:
            return None
