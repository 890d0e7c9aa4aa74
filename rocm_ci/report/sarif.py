"""Findings → SARIF 2.1.0, within what GitHub code scanning takes.

Format: OASIS SARIF 2.1.0. Limits: docs.github.com, «SARIF support for code scanning» (25,000
results, 25,000 rules and 10 MB compressed a run, of which the 5,000 worst are shown; 20 tags a rule).
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocm_ci import __version__
from rocm_ci.model.finding import SilencedBy
from rocm_ci.model.scan_note import NoteKind
from rocm_ci.report import sarif_result
from rocm_ci.report.links import PROJECT
from rocm_ci.report.sarif_result import ROOT, located, plain
from rocm_ci.report.sarif_rule import described

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.model.finding import Finding
    from rocm_ci.model.scan_note import ScanNote

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_RESULTS = 25_000
SHOWN = 5_000
MAX_NOTIFICATIONS = 2_000
MAX_COMPRESSED = 10_000_000
_LOUD = (NoteKind.SKIPPED, NoteKind.UNFINISHED)


@dataclass(frozen=True, slots=True)
class Log:
    """A log as JSON, and how many of the least severe findings are not in it."""

    text: str
    left_out: int


def render_findings(findings: Sequence[Finding], notes: Sequence[ScanNote] = ()) -> str:
    """What code scanning is to show: silenced findings are left out, for GitHub opens alerts for them."""
    return _fitted(list(findings), notes, with_states=False).text


def render_category(findings: Sequence[Finding], notes: Sequence[ScanNote], *, category: str) -> Log:
    """The same under a category (which ends in a slash): analyses of other categories stay beside it."""
    return _fitted(list(findings), notes, with_states=False, category=category)


def render_scan(findings: Sequence[Finding], silenced: Sequence[Finding], notes: Sequence[ScanNote]) -> str:
    """Everything found. What is silenced carries who said so; `baselineState` tells what is old."""
    with_states = any(_is_known(f) for f in silenced)
    everything = sorted((*findings, *silenced), key=lambda f: (f.path, f.line, f.column, f.rule))
    return _fitted(everything, notes, with_states=with_states).text


def _is_known(finding: Finding) -> bool:
    return finding.silenced is not None and finding.silenced.by is SilencedBy.BASELINE


def _fitted(
    findings: list[Finding], notes: Sequence[ScanNote], *, with_states: bool, category: str = ""
) -> Log:
    """One log with one run; the worst findings stay when there are too many for GitHub."""
    kept = findings
    if len(findings) > SHOWN:
        # Only so many are shown, the first ones among equals.
        kept = _worst_first(findings)[:MAX_RESULTS]
    text = _log(kept, findings, notes, with_states=with_states, category=category)
    while len(kept) > 1 and _is_too_large(text):
        kept = _worst_first(kept)[: len(kept) // 2]
        text = _log(kept, findings, notes, with_states=with_states, category=category)
    return Log(text, len(findings) - len(kept))


def _worst_first(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.silenced is None, f.severity), reverse=True)


def _is_too_large(text: str) -> bool:
    data = text.encode("utf-8", "replace")
    return len(data) > MAX_COMPRESSED and len(gzip.compress(data)) > MAX_COMPRESSED


def _log(
    kept: list[Finding],
    all_found: list[Finding],
    notes: Sequence[ScanNote],
    *,
    with_states: bool,
    category: str,
) -> str:
    rules: dict[str, Finding] = {}
    for finding in kept:
        rules.setdefault(finding.rule, finding)
    index = {rule: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "rocm-ci",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": PROJECT,
                "rules": [described(finding) for finding in rules.values()],
            }
        },
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the checkout."}}},
        "invocations": [_invocation(notes, index)],
        "results": [
            sarif_result.result(finding, index[finding.rule], print_)
            | ({"baselineState": "unchanged" if _is_known(finding) else "new"} if with_states else {})
            for finding, print_ in zip(kept, fingerprints(kept), strict=True)
        ],
    }
    if category:
        run["automationDetails"] = {"id": category}
    if len(kept) < len(all_found):
        run["properties"] = {"leftOut": len(all_found) - len(kept)}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False)


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """The fingerprint of each finding with its turn among equal ones, as the baseline counts them."""
    seen: Counter[tuple[str, str]] = Counter()
    made = []
    for finding in findings:
        print_ = finding.fingerprint or sarif_result.substitute(finding)
        seen[finding.path, print_] += 1
        made.append(f"{print_}:{seen[finding.path, print_]}")
    return made


def _invocation(notes: Sequence[ScanNote], rules: dict[str, int]) -> dict[str, Any]:
    """How the scan went. What was not looked at is said: an empty log need not be a clean tree."""
    made: dict[str, Any] = {
        "executionSuccessful": not any(note.kind is NoteKind.UNFINISHED for note in notes),
    }
    if notes:
        made["toolExecutionNotifications"] = [_notification(n, rules) for n in notes[:MAX_NOTIFICATIONS]]
    return made


def _notification(note: ScanNote, rules: dict[str, int]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "level": "warning" if note.kind in _LOUD else "note",
        "message": {"text": plain(note.reason)},
        "locations": [located(note.path, note.line)],
        "descriptor": {"id": note.kind.value},
    }
    if note.rule is not None:
        made["associatedRule"] = {"id": note.rule} | (
            {"index": rules[note.rule]} if note.rule in rules else {}
        )
    return made
