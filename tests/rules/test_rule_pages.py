"""The generated pages: nothing of a rule's template shows, and a reader finds everything."""

from __future__ import annotations

import re

import pytest

from rocm_ci.model.finding import Topic
from rocm_ci.scan.rule import Rule, decode
from rocm_ci.scan.rulebook import shipped
from tools import rule_pages

RULES = {rule.id: rule for rule in shipped(documentation=True)}
PLACEHOLDER = re.compile(r"\{(?:match|replacement|arch)\}")
OWN = """\
id: own-rule
topic: cuda-api
severity: warning
languages: [c]
archs: [gfx94*]
match: [{kind: code, names: [oldName]}]
message: "`{match}` has another name on {arch}"
fix: "write `{replacement}`"
replace: {from: old, to: new}
why: Because.
bad:
  - {path: a.cu, text: "int x;\\noldName();\\n", lines: [2], files: {setup.py: "x = 1\\n"}}
good:
  - {path: a.md, text: "```\\n````\\n"}
references: [owner/name#7, owner/name docs/x.md, a book]
"""


@pytest.fixture
def own() -> Rule:
    return decode(OWN, "own.yaml")


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_no_page_shows_a_placeholder(rule: Rule) -> None:
    assert not PLACEHOLDER.search(rule_pages.page(rule))


def test_a_page_says_what_the_rule_says_of_its_first_example(own: Rule) -> None:
    page = rule_pages.page(own)

    assert "> `oldName` has another name on gfx942\n" in page
    assert "\nWrite `newName`.\n\n`rocm-ci scan --fix` writes this" in page
    assert "**warning** · [cuda-api](README.md#cuda-api) · in c · for `gfx94*`" in page


def test_a_page_shows_the_lines_that_are_found_and_the_files_beside(own: Rule) -> None:
    page = rule_pages.page(own)

    assert "`a.cu`, line 2\n\n```cpp\nint x;\noldName();\n```\n" in page
    assert "`setup.py` beside it\n\n```python\nx = 1\n```\n" in page
    assert "`````\n```\n````\n`````\n" in page


def test_references_lead_to_their_threads_and_files(own: Rule) -> None:
    page = rule_pages.page(own)

    assert "* [owner/name#7](https://github.com/owner/name/issues/7)\n" in page
    assert "* [owner/name docs/x.md](https://github.com/owner/name/blob/HEAD/docs/x.md)\n" in page
    assert "* a book\n" in page


def test_the_index_lists_every_rule_below_its_topic_with_what_it_says(own: Rule) -> None:
    index = rule_pages.index([*RULES.values(), own])

    assert not PLACEHOLDER.search(index)
    assert "| [own-rule](own-rule.md) | warning | `oldName` has another name on gfx942 |" in index
    assert all(f"| [{name}]({name}.md) | " in index for name in RULES)
    assert [line[3:] for line in index.split("\n") if line.startswith("## ")] == [t.value for t in Topic]
