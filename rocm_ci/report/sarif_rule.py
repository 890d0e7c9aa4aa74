"""A rule as SARIF describes it: help, level, tags, and how far it can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocm_ci.model.finding import Severity
from rocm_ci.report import inert
from rocm_ci.report.links import published
from rocm_ci.report.rule_help import why
from rocm_ci.report.sarif_result import LEVELS, MAX_TEXT, plain

if TYPE_CHECKING:
    from rocm_ci.model.finding import Finding

# The words of GitHub's code scanning. A warning is likely, not certain, by our own definition.
_PRECISION = {Severity.ERROR: "high", Severity.WARNING: "medium", Severity.NOTE: "medium"}
_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}


def described(finding: Finding) -> dict[str, Any]:
    """The `reportingDescriptor` of a finding's rule."""
    docs = published(finding.docs)
    reason = why(finding)
    advice = f"Fix: {finding.fix}." if finding.fix else ""
    about = f"rocm-ci rule {finding.rule}, topic {finding.topic.value}."
    paragraphs = [text for text in (reason, advice) if text]
    rule: dict[str, Any] = {
        "id": finding.rule,
        "name": "".join(part.capitalize() for part in finding.rule.split("-")),
        "shortDescription": {"text": plain(finding.message)},
        "fullDescription": {"text": plain(" ".join((about, *paragraphs[:1])))},
        "help": {
            "text": plain(" ".join(paragraphs) or about) + (f" See {docs}" if docs else ""),
            "markdown": _markdown(finding, reason, docs),
        },
        "defaultConfiguration": {"level": LEVELS[finding.severity]},
        "properties": {
            "tags": ["rocm", "portability", finding.topic.value],
            "precision": _PRECISION[finding.severity],
            "problem.severity": _PROBLEM[finding.severity],
        },
    }
    return rule | {"helpUri": docs} if docs else rule


def _markdown(finding: Finding, reason: str, docs: str | None) -> str:
    parts = [f"**{inert.prose(finding.message, limit=MAX_TEXT)}**"]
    if reason:
        parts.append(inert.prose(reason, limit=MAX_TEXT))
    if finding.fix:
        parts.append(f"**Fix:** {inert.prose(finding.fix, limit=MAX_TEXT)}")
    if docs:
        parts.append(f"[More about this rule]({docs})")
    return "\n\n".join(parts)
