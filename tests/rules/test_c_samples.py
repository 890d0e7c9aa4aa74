"""Device code of many shapes: what stands with a mark is flagged by that rule, everything else is left alone.

A mark is a comment at the end of its line: `//! rule-id other-id` (or `/*! … */` before a backslash). A
first line `// archs: gfx942` gives the targets. Lines without a mark may only have notes.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.model.finding import Severity, Topic
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook, shipped

FOLDER = Path(__file__).parent / "samples"
MEANING = {Topic.WARP_SIZE, Topic.INTRINSICS, Topic.INLINE_ASM, Topic.PRECISION, Topic.MEMORY_MODEL}
ALSO = {"device-side-launch", "group-collective", "device-pass-guard"}
RULES = [rule for rule in shipped() if rule.topic in MEANING or rule.id in ALSO]
BOOK = RuleBook(RULES)
MARK = re.compile(r"/[/*]! ([a-z0-9-]+(?: [a-z0-9-]+)*)")
ARCHS = re.compile(r"(?://|#) archs: ([\w ,]+)")


class OneFile:
    """A tree of one file."""

    def __init__(self, path: str, data: bytes) -> None:
        self._path, self._data = path, data

    def read(self, path: str) -> bytes | None:
        return self._data if path == self._path else None


@pytest.mark.parametrize("sample", sorted(FOLDER.iterdir()), ids=lambda p: p.name)
def test_marked_lines_are_flagged_and_no_others(sample: Path) -> None:
    data = sample.read_bytes()
    lines = data.decode().split("\n")
    wanted = {
        (number, rule)
        for number, line in enumerate(lines, 1)
        for marked in MARK.finditer(line)
        for rule in marked[1].split()
    }
    given = ARCHS.match(lines[0])
    archs = tuple(re.split(r"[ ,]+", given[1].strip())) if given else DEFAULT_ARCHS
    path = f"src/{sample.name}"

    found = scan(OneFile(path, data), whole_tree((path,)), ScanOptions(), archs, book=BOOK).findings

    assert wanted - {(f.line, f.rule) for f in found} == set(), "missed"
    loud = {(f.line, f.rule) for f in found if f.severity > Severity.NOTE}
    assert loud - wanted == set(), "flagged without reason"
