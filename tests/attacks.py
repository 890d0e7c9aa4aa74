"""Which tests show that an attack fails, and the page that lists them with how they ended.

A test that plays an attack is marked `@pytest.mark.attack(POINT, "what the attacker tries")`. POINT is a
number of the list in the page, or «input» for what is no attack but just as bad. The page is written by
`pytest -m attack --write-attacks`; a test compares its rows with the marked tests.
"""

from __future__ import annotations

import platform
import re
from collections import defaultdict
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "security.md"
START, END = "<!-- generated: attacks -->\n", "<!-- end: attacks -->\n"
_CASE = re.compile(r"\[.*", re.DOTALL)


class Evidence:
    """Remembers how the marked tests of this session ended."""

    def __init__(self, config: pytest.Config) -> None:
        self._write = bool(config.getoption("--write-attacks"))
        self._ended: dict[tuple[str, str, str], list[str]] = defaultdict(list)

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
        PAGE.write_text(before + START + table(self._ended) + END + after, encoding="utf-8")


def table(ended: dict[tuple[str, str, str], list[str]]) -> str:
    """A row per test function; its cases are counted."""
    made = [
        f"Python {platform.python_version()}, {platform.system()}.\n",
        "| point | attack | test | result |",
        "|--:|---|---|---|",
    ]
    for (point, what, test), outcomes in sorted(ended.items(), key=_order):
        bad = sorted({one for one in outcomes if one != "passed"})
        count = f" ({len(outcomes)} cases)" if len(outcomes) > 1 else ""
        made.append(f"| {point} | {what} | `{test}` | {', '.join(bad) or 'passed'}{count} |")
    return "\n".join(made) + "\n"


def _order(item: tuple[tuple[str, str, str], list[str]]) -> tuple[bool, int, str, str]:
    point, what, _ = item[0]
    return (not point.isdecimal(), int(point) if point.isdecimal() else 0, point, what)
