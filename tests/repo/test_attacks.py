"""The page of attacks names exactly the tests that are marked as such, each of the twenty points among them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.attacks import END, PAGE, START

TESTS = Path(__file__).resolve().parents[1]
_ROW = re.compile(r"\| (?P<point>\S+) \| (?P<what>.+?) \| `(?P<test>[^`]+)` \| (?P<result>[^|]+) \|")


def rows() -> list[re.Match[str]]:
    text = PAGE.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    return [match for line in text.splitlines() if (match := _ROW.match(line))]


def marked() -> set[tuple[str, str, str]]:
    """(point, what, test) of every function that is marked `attack`."""
    found = set()
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "mark.attack(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                where = f"{path.relative_to(TESTS.parent).as_posix()}::{node.name}"
                found |= {(*args, where) for args in _marks(node)}
    return found


def _marks(node: ast.FunctionDef) -> set[tuple[str, str]]:
    calls = [
        d
        for d in node.decorator_list
        if isinstance(d, ast.Call) and ast.unparse(d.func).endswith("mark.attack")
    ]
    return {(str(ast.literal_eval(call.args[0])), ast.literal_eval(call.args[1])) for call in calls}


def test_the_page_lists_every_marked_test_and_no_other() -> None:
    assert {(row["point"], row["what"], row["test"]) for row in rows()} == marked(), (
        "run `pytest -m attack --write-attacks`"
    )


def test_every_attack_of_the_list_is_played() -> None:
    assert {str(n) for n in range(1, 21)} <= {row["point"] for row in rows()}


def test_every_attack_failed() -> None:
    assert [row["test"] for row in rows() if not row["result"].startswith("passed")] == []
