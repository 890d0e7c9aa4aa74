"""Every example of every rule file is a test: what is bad is flagged on its lines, what is good is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from rocm_ci import registry
from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook, rule_files, shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.model.finding import Finding
    from rocm_ci.scan.rule import Example, Rule

RULES = shipped(documentation=True)
BOOK = RuleBook(RULES)
FOLDER = registry.data_folder("rules") / "scan"


@dataclass
class Files:
    """A tree in memory."""

    texts: Mapping[str, str]

    def read(self, path: str) -> bytes | None:
        return self.texts[path].encode() if path in self.texts else None


def findings(example: Example, *, prefilter: bool = True) -> tuple[Finding, ...]:
    files = Files({**example.files, example.path: example.text})
    archs = example.archs or DEFAULT_ARCHS
    changes = whole_tree((example.path,))
    options = ScanOptions(rules={rule.id: "note" for rule in RULES if not rule.default})
    return scan(files, changes, options, archs, book=BOOK, prefilter=prefilter).findings


def examples(kind: str) -> list[object]:
    return [
        pytest.param(rule, example, id=f"{rule.id}-{kind}-{number}")
        for rule in RULES
        for number, example in enumerate(getattr(rule, kind), 1)
    ]


@pytest.mark.parametrize(("rule", "example"), examples("bad"))
def test_a_bad_example_is_flagged_on_exactly_its_lines(rule: Rule, example: Example) -> None:
    lines = {f.line for f in findings(example) if f.rule == rule.id}

    assert lines == set(example.lines) if example.lines else lines


@pytest.mark.parametrize(("rule", "example"), examples("good"))
def test_a_good_example_is_not_flagged(rule: Rule, example: Example) -> None:
    assert [f for f in findings(example) if f.rule == rule.id] == []


@pytest.mark.parametrize(("rule", "example"), [*examples("bad"), *examples("good")])
def test_the_prefilter_loses_no_finding(rule: Rule, example: Example) -> None:
    assert findings(example) == findings(example, prefilter=False)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_a_rule_says_why_and_shows_both_sides(rule: Rule) -> None:
    assert rule.why.strip()
    assert rule.bad
    assert rule.good
    assert rule.references
    assert rule.since


def test_the_file_of_a_rule_is_named_after_it_and_lies_under_its_topic() -> None:
    for path, rule in zip(rule_files(FOLDER), RULES, strict=True):
        assert path.stem == rule.id
        assert path.parent.name == rule.topic.value


def test_the_rules_fit_together() -> None:
    BOOK.check()


def test_leaving_out_the_documentation_changes_nothing_that_matters_for_matching() -> None:
    for brief, whole in zip(shipped(), RULES, strict=True):
        assert (brief.id, brief.match, brief.severity, brief.message) == (
            whole.id,
            whole.match,
            whole.severity,
            whole.message,
        )
