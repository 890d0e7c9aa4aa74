"""The threat model names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/.]+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_exists(path: str, name: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))

    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_row_says_what_stops_it_and_shows_it() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and line.count(" | ") == 2]
    shown = [row for row in rows if "::" in row]
    without = [row for row in rows if row.endswith("| – |")]

    assert len(NAMED) > 40
    assert len(shown) > 25
    # What is the maintainer's own to do has no test of ours.
    assert len(without) == 2


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)\)", PAGE))))
def test_links_lead_to_files(target: str) -> None:
    assert (ROOT / target).exists()
