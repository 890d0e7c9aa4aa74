"""Which tests show that an attack fails, and the page that lists them with how they ended.

A test that plays an attack is marked `@pytest.mark.attack(POINT, "what the attacker tries")`. POINT is a
number of the list in the page, or «input» for what is no attack but just as bad. The page is written by
`pytest -m attack --write-attacks`: the rows of the tests that ran, and of the others as they stand there, if
they are still marked. A test compares its rows with the marked tests.
"""

from __future__ import annotations

import ast
import platform
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "evidence" / "security.md"
START, END = "<!-- generated: attacks -->\n", "<!-- end: attacks -->\n"
_CASE = re.compile(r"\[.*", re.DOTALL)
_ROW = re.compile(r"\| (\S+) \| (.+?) \| `([^`]+)` \| ([^|]+) \|")
Attack = tuple[str, str, str]
"""Point, what is tried, and the test that plays it."""


class Evidence:
    """Remembers how the marked tests of this session ended."""

    def __init__(self, config: pytest.Config) -> None:
        self._write = bool(config.getoption("--write-attacks"))
        self._ended: dict[Attack, list[str]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = dict(report.user_properties).get("attack")
        if told is None or (report.when != "call" and report.passed):
            return
        point, what = str(told).split("\t")
        self._ended[point, what, _CASE.sub("", report.nodeid)].append(report.outcome)

    def pytest_sessionfinish(self) -> None:
        if not self._write or not self._ended:
            return
        page = PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(START)
        _, _, after = rest.partition(END)
        known = marked()
        told = {attack: result for attack, result in rows().items() if attack in known}
        told |= {attack: _result(outcomes) for attack, outcomes in self._ended.items()}
        PAGE.write_text(before + START + table(told) + END + after, encoding="utf-8")


def rows() -> dict[Attack, str]:
    """What the page says, and with which result."""
    text = PAGE.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    found = (match for line in text.splitlines() if (match := _ROW.match(line)))
    return {(match[1], match[2], match[3]): match[4] for match in found}


def marked() -> set[Attack]:
    """Every function that is marked `attack`, found without running or importing it."""
    found = set()
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "mark.attack(" not in text:
            continue
        where = path.relative_to(TESTS.parent).as_posix()
        for name, node in _functions(ast.parse(text).body, where):
            found |= {(point, what, name) for point, what in _marks(node)}
    return found


def _functions(body: list[ast.stmt], where: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Those of a module and of its classes, as pytest calls them."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield f"{where}::{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{where}::{node.name}")


def _marks(node: ast.FunctionDef) -> set[tuple[str, str]]:
    calls = [
        d
        for d in node.decorator_list
        if isinstance(d, ast.Call) and ast.unparse(d.func).endswith("mark.attack")
    ]
    return {(str(ast.literal_eval(call.args[0])), ast.literal_eval(call.args[1])) for call in calls}


def _result(outcomes: list[str]) -> str:
    """A test function may have several cases; they are counted."""
    bad = sorted({one for one in outcomes if one != "passed"})
    count = f" ({len(outcomes)} cases)" if len(outcomes) > 1 else ""
    return f"{', '.join(bad) or 'passed'}{count}"


def table(results: dict[Attack, str]) -> str:
    """A row per test function."""
    made = [
        f"Python {platform.python_version()}, {platform.system()}.\n",
        "| point | attack | test | result |",
        "|--:|---|---|---|",
    ]
    made += [
        f"| {point} | {what} | `{test}` | {result} |"
        for (point, what, test), result in sorted(results.items(), key=lambda item: _order(item[0]))
    ]
    return "\n".join(made) + "\n"


def _order(attack: Attack) -> tuple[bool, int, str, str, str]:
    point, what, test = attack
    return (not point.isdecimal(), int(point) if point.isdecimal() else 0, point, what, test)
