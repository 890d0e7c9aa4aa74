"""What there is to find: every rule in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rocm_ci.scan.levels import Levels

if TYPE_CHECKING:
    from rocm_ci.config.options import ScanOptions
    from rocm_ci.scan.rule import Rule
    from rocm_ci.scan.rulebook import RuleBook


def catalogue(book: RuleBook, options: ScanOptions, *, as_json: bool) -> str:
    """Every rule with its topic, its severity as configured, and whether a repair can be written."""
    levels = Levels(options, book.asked)
    rows = []
    for rule in sorted((c.rule for c in book.rules), key=lambda r: (r.topic.value, r.id)):
        severity, _ = levels.of(rule.id, rule.topic, "", rule.severity)
        rows.append(
            {
                "rule": rule.id,
                "topic": rule.topic.value,
                "severity": severity.value if severity else "off",
                "fixable": _is_fixable(rule, book),
                "languages": rule.languages,
                "docs": f"docs/rules/{rule.id}.md",
            }
        )
    if as_json:
        document = {"version": 1, "rules": rows}
        return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    widths = [max((len(str(row[key])) for row in rows), default=0) for key in ("rule", "topic", "severity")]
    lines = [
        f"{row['rule']!s:{widths[0]}}  {row['topic']!s:{widths[1]}}  {row['severity']!s:{widths[2]}}"
        f"  {'--fix' if row['fixable'] else ''}".rstrip()
        for row in rows
    ]
    return "\n".join([*lines, f"{len(rows)} rules; a page for each: docs/rules"])


def _is_fixable(rule: Rule, book: RuleBook) -> bool:
    """Whether some of its findings carry an edit."""
    if rule.replace is not None or rule.repair is not None:
        return True
    return any(spec.table is not None and any(book.tables[spec.table].values()) for spec in rule.match)
