"""Little projects of build files, manifests, containers and CI: what is marked is flagged, nothing else is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.model.finding import Severity
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook, shipped

FOLDER = Path(__file__).parent / "build_files"
BOOK = RuleBook(shipped())
_EXPECTED = re.compile(r"[ \t]*<<< (note )?([a-z-]+(?: [a-z-]+)*)$")


@dataclass
class Case:
    """A tree in memory and what must be found in it: (path, line) → topics, one of which is right."""

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    loud: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    quiet: dict[tuple[str, int], set[str]] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        return self.texts[path].encode() if path in self.texts else None


def cases() -> list[Case]:
    found: list[Case] = []
    for file in sorted(FOLDER.glob("*.cases")):
        path, number = "", 0
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("@@ "):
                found.append(Case(f"{file.stem}: {line[3:]}"))
            elif line.startswith("== "):
                path, number = line[3:], 0
                found[-1].texts[path] = ""
            elif path:
                number += 1
                expected = _EXPECTED.search(line)
                if expected:
                    kind = found[-1].quiet if expected[1] else found[-1].loud
                    kind[path, number] = set(expected[2].split())
                found[-1].texts[path] += _EXPECTED.sub("", line) + "\n"
    return found


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_exactly_the_marked_lines_are_flagged(case: Case) -> None:
    found = scan(case, whole_tree(tuple(case.texts)), ScanOptions(), DEFAULT_ARCHS, book=BOOK).findings
    loud = [f for f in found if f.severity is not Severity.NOTE]

    unexpected = [
        f"{f.path}:{f.line} {f.rule} [{f.topic}] {f.message}"
        for f in loud
        if (f.path, f.line) not in case.loud
    ]
    assert unexpected == []
    for (path, line), topics in case.loud.items():
        told = {f.topic.value for f in loud if (f.path, f.line) == (path, line)}
        assert told & topics, f"{path}:{line} is {told or 'silent'}, not {topics}"
    for (path, line), topics in case.quiet.items():
        told = {f.topic.value for f in found if (f.path, f.line) == (path, line)}
        assert told & topics, f"{path}:{line} is {told or 'silent'}, not {topics}"
