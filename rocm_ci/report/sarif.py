"""Findings → SARIF 2.1.0, within what GitHub code scanning takes.

Format: OASIS SARIF 2.1.0. Limits: docs.github.com, «SARIF support for code scanning» (25,000
results, 25,000 rules and 10 MB compressed a run).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rocm_ci import __version__
from rocm_ci.model.finding import Severity
from rocm_ci.report import inert
from rocm_ci.report.links import PROJECT, published

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.finding import Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_RESULTS = 25_000
MAX_TEXT = 1_000
FINGERPRINT = "rocmCi/v1"
_ARGUMENT = re.compile(r"\{(?=[0-9])")
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render_findings(findings: tuple[Finding, ...]) -> str:
    """One SARIF log with one run, as indented JSON. The worst findings stay when there are too many."""
    kept = findings
    if len(findings) > MAX_RESULTS:
        kept = tuple(sorted(findings, key=lambda f: f.severity, reverse=True)[:MAX_RESULTS])
    rules = {f.rule: f for f in kept}
    index = {rule: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "rocm-ci",
                "version": __version__,
                "informationUri": PROJECT,
                "rules": [_rule(finding) for finding in rules.values()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the checkout."}}},
        "results": [
            _result(finding, index[finding.rule], fingerprint)
            for finding, fingerprint in zip(kept, fingerprints(kept), strict=True)
        ],
    }
    if len(kept) < len(findings):
        run["properties"] = {"leftOut": len(findings) - len(kept)}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """A name for each finding that stays when lines move: of rule, path, words, and its turn among equals."""
    seen: Counter[tuple[str, str, str]] = Counter()
    made = []
    for f in findings:
        key = (f.rule, f.path, f.message)
        turn = seen[key]
        seen[key] += 1
        text = "\0".join((*key, str(turn)))
        made.append(hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32])
    return made


def _rule(finding: Finding) -> dict[str, Any]:
    """What a rule is about, as far as one of its findings tells."""
    docs = published(finding.docs)
    text = f"rocm-ci rule {finding.rule}, topic {finding.topic.value}."
    advice = f" {_text(finding.fix)}" if finding.fix else ""
    rule: dict[str, Any] = {
        "id": finding.rule,
        "shortDescription": {"text": _text(finding.message)},
        "fullDescription": {"text": text + advice},
        "help": {
            "text": text + advice + (f" See {docs}" if docs else ""),
            "markdown": f"{inert.prose(finding.fix or finding.message, limit=MAX_TEXT)}"
            + (f"\n\n[More about this rule]({docs})" if docs else ""),
        },
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        "properties": {"tags": ["rocm", finding.topic.value]},
    }
    return rule | {"helpUri": docs} if docs else rule


def _result(finding: Finding, rule: int, fingerprint: str) -> dict[str, Any]:
    region = {
        "startLine": max(finding.line, 1),
        "startColumn": max(finding.column, 1),
        "endColumn": max(finding.end, finding.column + 1, 2),
    }
    artifact = {"uri": _uri(finding.path), "uriBaseId": "SRCROOT"}
    said = _text(finding.message) + (f" {_text(finding.fix)}" if finding.fix else "")
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": said},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }
    if finding.replacement is not None:
        new = {"deletedRegion": region, "insertedContent": {"text": inert.block(finding.replacement)}}
        result["fixes"] = [
            {
                "description": {"text": _text(finding.fix or "Replace with what AMD GPUs know.")},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": [new]}],
            }
        ]
    return result


def _text(value: str) -> str:
    """A plain message: SARIF would read `[text](target)` and `{0}` in it, so both are broken up."""
    return _ARGUMENT.sub("{ ", inert.line(value, limit=MAX_TEXT)).replace("](", "] (")


def _uri(path: str) -> str:
    """A relative reference; a path that would leave the checkout loses what would make it."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return quote("/".join(parts), safe="/", errors="replace") or "unknown"
