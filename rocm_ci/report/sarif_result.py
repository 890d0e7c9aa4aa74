"""One finding as a SARIF result: place, words, fingerprint, repair, and who silenced it."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rocm_ci.model.edit import Edit
from rocm_ci.model.finding import Severity, SilencedBy
from rocm_ci.report import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.finding import Finding

ROOT = "SRCROOT"
MAX_TEXT = 1_000
# GitHub's own `primaryLocationLineHash` is left to its upload action, which warns of any other value.
FINGERPRINT = "rocmCi/v2"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_ARGUMENT = re.compile(r"\{(?=[0-9])")
_IN_SOURCE = (SilencedBy.COMMENT, SilencedBy.FILE)


def result(finding: Finding, rule: int, fingerprint: str) -> dict[str, Any]:
    """The result; `rule` is the index of its rule."""
    said = plain(finding.message) + (f" {plain(finding.fix)}" if finding.fix else "")
    place = located(finding.path, None)
    place["physicalLocation"]["region"] = _region(finding, finding.line, finding.column, finding.end)
    made: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": LEVELS[finding.severity],
        "message": {"text": said},
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }
    edits = finding.edits
    if not edits and finding.replacement is not None:
        text = finding.replacement
        edits = (Edit(line=finding.line, column=finding.column, end=finding.end, text=text),)
    if edits:
        made["fixes"] = [_fix(finding, edits)]
    if finding.silenced is not None:
        kind = "inSource" if finding.silenced.by in _IN_SOURCE else "external"
        reason = plain(finding.silenced.reason) or finding.silenced.by.value
        made["suppressions"] = [{"kind": kind, "status": "accepted", "justification": reason}]
    return made


def located(path: str, line: int | None) -> dict[str, Any]:
    """A place in a file, or the file."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(path), "uriBaseId": ROOT}}
    if line is not None:
        physical["region"] = {"startLine": max(line, 1)}
    return {"physicalLocation": physical}


def plain(value: str) -> str:
    """A plain message: SARIF would read `[text](target)` and `{0}` in it, so both are broken up."""
    return _ARGUMENT.sub("{ ", inert.line(value, limit=MAX_TEXT)).replace("](", "] (")


def uri(path: str) -> str:
    """A relative reference; a path that would leave the checkout loses what would make it."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return quote("/".join(parts), safe="/", errors="replace") or "unknown"


def substitute(finding: Finding) -> str:
    """A fingerprint for a finding that came without one."""
    text = f"{finding.rule}\0{finding.path}\0{finding.message}"
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:25]


def _fix(finding: Finding, edits: Sequence[Edit]) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(
                finding, edit.line, edit.column, edit.end, is_empty=edit.column == edit.end
            ),
            "insertedContent": {"text": inert.block(edit.text)},
        }
        for edit in edits
    ]
    said = plain(finding.fix or "Replace with what AMD GPUs know.")
    if finding.unsafe:
        said += " It may change what the code means on NVIDIA."
    change = {"artifactLocation": located(finding.path, None)["physicalLocation"]["artifactLocation"]}
    return {"description": {"text": said}, "artifactChanges": [change | {"replacements": replacements}]}


def _region(finding: Finding, line: int, column: int, end: int, *, is_empty: bool = False) -> dict[str, int]:
    """A region in UTF-16 code units. One without width is for insertions only."""
    start = max(_utf16(finding, line, column), 1)
    return {
        "startLine": max(line, 1),
        "startColumn": start,
        "endColumn": max(_utf16(finding, line, end), start if is_empty else start + 1),
    }


def _utf16(finding: Finding, line: int, column: int) -> int:
    return column + sum(at == line and before < column for at, before in finding.wide)
