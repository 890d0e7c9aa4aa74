"""docs/evidence/scan-coverage.md against the rules: what it names exists, and nothing is left out."""

from __future__ import annotations

import re
from pathlib import Path

from rocm_ci.scan.rulebook import shipped

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "evidence" / "scan-coverage.md").read_text(
    encoding="utf-8"
)
RULES = {rule.id for rule in shipped()}
NAMED = set(re.findall(r"\[([\w-]+)\]\(\.\./rules/\1\.md\)", PAGE))
KINDS = 48


def test_every_rule_that_the_page_names_exists() -> None:
    assert len(NAMED) > KINDS
    assert NAMED <= RULES


def test_every_proposed_kind_has_a_line_with_a_rule_or_a_reason() -> None:
    lines = dict(re.findall(r"^\| (R[A-Z]+\d{3}) \|[^|]*\| (.*) \|$", PAGE, re.MULTILINE))

    assert len(lines) == KINDS
    without = {name for name, rules in lines.items() if "](../rules/" not in rules}
    assert without == {name for name in without if f"**{name}**" in PAGE}
    assert without == {"RWAV009", "RBLD001"}
