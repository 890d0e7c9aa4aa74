"""Rules that a project keeps below .github/rocm-ci/rules."""

from __future__ import annotations

import pytest

from rocm_ci.errors import ConfigError
from rocm_ci.scan.own_rules import FOLDER, MOST_BYTES, MOST_RULES, with_own
from tests.unit.scan.trees import BOOK, scan_all

RULE = """\
id: {id}
topic: cuda-api
severity: error
languages: [c]
match:
  - {{kind: code, pattern: '{pattern}'}}
message: "`{{match}}` was retired here"
fix: "call ours"
"""


def joined(**files: str | bytes) -> None:
    texts = {f"{FOLDER}/{name}.yaml": text for name, text in files.items()}
    with_own(BOOK, [f"{name}.yaml" for name in files], lambda path: _bytes(texts.get(path)))


def _bytes(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text


def rule(name: str = "retired-call", pattern: str = "oldCall") -> str:
    return RULE.format(id=name, pattern=pattern)


def test_a_rule_of_the_project_finds_beside_the_shipped_ones() -> None:
    book = with_own(BOOK, ["retired.yaml", "README.md"], lambda path: rule().encode())  # noqa: ARG005

    found = scan_all({"a.hip": "int a = oldCall();\nvoid f() { cudaFree(0); }\n"}, book=book).findings

    assert [(f.rule, f.line) for f in found] == [("retired-call", 1), ("cuda-runtime-api", 2)]


def test_without_rules_of_its_own_a_project_has_the_shipped_book() -> None:
    assert with_own(BOOK, ["README.md"], lambda path: None) is BOOK  # noqa: ARG005


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "object"),
        ("id: [", "not valid YAML"),
        (rule() + "colour: red\n", "colour"),
        (rule("lane-math-32"), "two rules are called lane-math-32"),
        (rule().replace("[c]", "[cobol]"), "no language 'cobol'"),
        (rule(pattern="(x"), "no regular expression"),
        (b"id: \xff", "not UTF-8"),
        (b"#" * (MOST_BYTES + 1), "at most"),
    ],
)
def test_what_is_no_rule_is_told_with_its_file(text: str | bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        joined(retired=text)


def test_a_rule_that_cannot_be_read_is_not_left_out() -> None:
    with pytest.raises(ConfigError, match="not a plain file"):
        with_own(BOOK, ["gone.yaml"], lambda path: None)  # noqa: ARG005


def test_more_rules_than_anyone_keeps_are_refused() -> None:
    with pytest.raises(ConfigError, match=f"more than {MOST_RULES}"):
        with_own(BOOK, [f"{n}.yaml" for n in range(MOST_RULES + 1)], lambda path: b"")  # noqa: ARG005


def test_a_slow_pattern_of_the_project_costs_its_file_and_is_told() -> None:
    book = with_own(BOOK, ["slow.yaml"], lambda path: rule("slow-own", "(x+x+)+yw").encode())  # noqa: ARG005

    scanned = scan_all(
        {"a.hip": "int " + "x" * 4000 + "z, xyz, xyw2;\nvoid f() { cudaFree(0); }\n"}, book=book
    )

    assert "cuda-runtime-api" in {f.rule for f in scanned.findings}
    assert [note.rule for note in scanned.notes] == ["slow-own"]
