"""Repairs on added lines → what a review can offer with one click. Pure: needs no checkout.

A suggestion of GitHub replaces whole lines, so all repairs of a line go into one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.edit import in_order, patched
from rocm_ci.model.result import ScanResult
from rocm_ci.report import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocm_ci.model.edit import Edit
    from rocm_ci.model.finding import Finding
    from rocm_ci.model.report import Report

_SHOWN_LINES = 12  # of each in a list
_MOST_LISTED = 500  # findings that a list is made of


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Lines `first` to `last` of `path`, which are `before`, become `lines`; that repairs `findings`."""

    path: str
    first: int
    last: int
    before: tuple[str, ...]
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
    at: dict[tuple[str, int], _Stretch] = {}
    for finding in findings:
        if not finding.excerpt or not finding.edits:
            continue
        new = _Stretch(finding)
        if new.lines is None:
            continue
        touching = {id(one): one for place in new.places() if (one := at.get(place)) is not None}
        joined: _Stretch | None = new
        for one in touching.values():
            joined = joined.joined(one) if joined is not None else None
        if joined is not None:
            at |= dict.fromkeys(joined.places(), joined)
    made = sorted({id(one): one for one in at.values()}.values(), key=lambda one: (one.path, one.first))
    return tuple(one.suggestion() for one in made)


def mechanical(report: Report) -> tuple[Finding, ...]:
    """The findings that `rocm-ci scan --fix` repairs; each once, however many legs of a matrix tell it."""
    scans = [result for result in report.results if isinstance(result, ScanResult)]
    found = (finding for scan in scans for finding in scan.findings)
    return tuple(dict.fromkeys(finding for finding in found if finding.edits and not finding.unsafe))


def listed(report: Report, *, limit: int = 30) -> str:
    """The repairs as a folded Markdown list, for where no review can be posted; empty when there are none.

    Nobody has compared them with the diff, so they are shown and cannot be applied by a click.
    """
    repairs = mechanical(report)
    found = suggestions(repairs[:_MOST_LISTED])
    if not found:
        return ""
    head = "1 repair" if len(repairs) == 1 else f"{len(repairs)} repairs"
    parts = [f"<details><summary>{head} for <code>rocm-ci scan --fix</code></summary>", ""]
    for one in found[:limit]:
        place = f"{one.path}:{one.first}"
        parts += [f"{inert.code(place)}", "", inert.fence(_as_diff(one), language="diff"), ""]
    shown = sum(len(one.findings) for one in found[:limit])
    if len(repairs) > shown:
        parts += [f"and {len(repairs) - shown} more", ""]
    return "\n".join([*parts, "</details>", ""])


def _as_diff(one: Suggestion) -> str:
    before = [f"-{line}" for line in one.before[:_SHOWN_LINES]]
    after = [f"+{line}" for line in one.lines[:_SHOWN_LINES]]
    return "\n".join(before + after)


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

    def places(self) -> Iterator[tuple[str, int]]:
        return ((self.path, number) for number in self.text)

    def joined(self, other: _Stretch) -> _Stretch | None:
        """Both together; None when their edits or their lines contradict each other."""
        if any(self.text[n] != other.text[n] for n in self.text.keys() & other.text.keys()):
            return None
        both = _Stretch(*other.findings, *self.findings)
        return both if both.lines is not None else None

    def suggestion(self) -> Suggestion:
        before = tuple(self.text[n] for n in range(self.first, self.last + 1))
        return Suggestion(self.path, self.first, self.last, before, self.lines or (), self.findings)

    def _patched(self, edits: Sequence[Edit] | None) -> tuple[str, ...] | None:
        whole = [self.text.get(n) for n in range(self.first, self.last + 1)]
        present = [line for line in whole if line is not None]
        if edits is None or len(present) != len(whole):
            return None
        try:
            return tuple(patched(present, edits, self.first))
        except ValueError:
            return None
