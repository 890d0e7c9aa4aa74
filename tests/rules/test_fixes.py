"""What every example of every rule becomes by its edits: the finding is gone, nothing new has come."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.scan.engine import scan
from rocm_ci.scan.fixes import fixes
from rocm_ci.scan.rulebook import RuleBook, shipped

if TYPE_CHECKING:
    from rocm_ci.model.changes import Changes
    from rocm_ci.model.finding import Finding
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.rule import Example, Rule
    from rocm_ci.scan.scanned import Scanned

RULES = shipped(documentation=True)
BOOK = RuleBook(RULES)


@dataclass
class Project:
    """The files of an example, in memory."""

    example: Example
    content: dict[str, bytes] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        texts = {**self.example.files, self.example.path: self.example.text}
        return self.content.get(path, texts[path].encode() if path in texts else None)

    def names(self, folder: str) -> tuple[str, ...]:
        texts = {**self.example.files, self.example.path: self.example.text}
        below = folder + "/" if folder else ""
        rest = {path.removeprefix(below) for path in texts if path.startswith(below)}
        return tuple(sorted({name.split("/")[0] + "/" * ("/" in name) for name in rest}))

    def rescan(self, source: FileSource, changes: Changes) -> Scanned:
        archs = self.example.archs or DEFAULT_ARCHS
        return scan(source, changes, ScanOptions(), archs, book=BOOK)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.rescan(self, whole_tree((self.example.path,))).findings

    def repaired(self) -> Project:
        changes = whole_tree((self.example.path,))
        found = fixes(self, changes, self.rescan(self, changes), self.rescan, unsafe=True)
        assert not found.refused
        return Project(self.example, {**self.content, **{one.path: one.after for one in found.files}})

    def lines(self) -> list[bytes]:
        data = self.read(self.example.path)
        assert data is not None
        return data.split(b"\n")


def repairable() -> list[object]:
    return [
        pytest.param(rule, example, id=f"{rule.id}-{number}")
        for rule in RULES
        for number, example in enumerate(rule.bad, 1)
        if any(f.edits for f in Project(example).findings)
    ]


CASES = repairable()


@pytest.mark.parametrize(("rule", "example"), CASES)
def test_after_the_repair_nothing_is_left_to_repair(rule: Rule, example: Example) -> None:
    once = Project(example).repaired()

    assert [f for f in once.findings if f.edits] == []
    assert once.repaired().content == once.content


@pytest.mark.parametrize(("rule", "example"), CASES)
def test_a_repair_brings_nothing_new_on_its_lines(rule: Rule, example: Example) -> None:
    before, after = Project(example), Project(example).repaired()
    changed = {n for n, (a, b) in enumerate(zip(before.lines(), after.lines(), strict=True), 1) if a != b}
    known = {(f.rule, f.line) for f in before.findings}

    assert changed
    assert {(f.rule, f.line) for f in after.findings if f.line in changed} <= known


@pytest.mark.parametrize(("rule", "example"), CASES)
def test_every_repaired_finding_is_gone(rule: Rule, example: Example) -> None:
    before, after = Project(example), Project(example).repaired()
    repaired = {(f.rule, f.line) for f in before.findings if f.edits}
    kept = {(f.rule, f.line) for f in before.findings if not f.edits}

    assert {(f.rule, f.line) for f in after.findings} & (repaired - kept) == set()


def test_enough_examples_carry_an_edit() -> None:
    rules = {case.values[0].id for case in CASES}  # type: ignore[attr-defined]

    assert {
        "cuda-runtime-api", "cuda-driver-api", "cuda-library-api", "cuda-header", "cub-namespace",
        "lane-mask-32-bit", "ballot-in-32-bits", "lane-shift-32-bit", "cuda-wheel-version",
        "rocm-versioned-path", "torch-version-rocm", "triton-cuda-extra", "nv-bfloat16-type",
    } <= rules  # fmt: skip
