"""Rule files are decoded strictly, and a mistake is answered with help."""

from __future__ import annotations

import re

import pytest

from rocm_ci.errors import ConfigError
from rocm_ci.model.finding import Severity, Topic
from rocm_ci.scan.rule import decode
from rocm_ci.scan.rulebook import RuleBook
from rocm_ci.scan.source import RegionKind
from rocm_ci.scan.tables import Tables
from tests.unit.scan.trees import scan_all

RULE = """\
id: own-rule
topic: cuda-api
severity: warning
languages: [c]
match:
  - kind: code
    pattern: '\\bforbidden_\\w+'
message: "`{match}` is forbidden"
why: |
  because:
  bad: this line is text, not a key
fix: use {match}_ok
bad: [{path: a.c, text: "forbidden_x();", lines: [1]}]
good: [{path: a.c, text: "fine();"}]
references: [a/b#1]
since: "0.1"
"""


def test_a_rule_file_says_all() -> None:
    rule = decode(RULE, "own.yaml")

    assert (rule.id, rule.topic, rule.severity) == ("own-rule", Topic.CUDA_API, Severity.WARNING)
    assert rule.match[0].kinds == (RegionKind.CODE,)
    assert rule.bad[0].lines == (1,)


def test_documentation_can_be_left_out_without_changing_the_rest() -> None:
    brief = decode(RULE, "own.yaml", documentation=False)

    assert (brief.why, brief.bad) == ("", ())
    assert brief.match == decode(RULE, "own.yaml").match
    assert brief.fix == "use {match}_ok"


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("severity:", "severty:", "unknown key `severty`", "`severity`"),
        ("    pattern:", "    patern:", "unknown key `patern`", "`pattern`"),
        ("warning", "fatal", "fatal", ""),
        ("[c]", "[]", "languages", ""),
        ("kind: code", "kind: coda", "coda", ""),
        ("    pattern: '\\bforbidden_\\w+'\n", "", "looks for nothing", "`pattern`"),
        ("kind: code", "guards: [amd]", "without `kind`", "kinds are"),
        ("kind: code\n", "detector: x\n", "has other keys", "remove"),
        ("id: own-rule", "id: Own_Rule", "id", ""),
        ("match:", "match: [", "not valid YAML", "indentation"),
    ],
)
def test_a_mistake_is_told_with_the_file_and_a_hint(old: str, new: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        decode(RULE.replace(old, new, 1), "own.yaml")

    assert str(caught.value).startswith("own.yaml")
    assert hint in caught.value.hint


def test_a_rule_of_ones_own_works_at_once() -> None:
    book = RuleBook([decode(RULE, "own.yaml")])
    (found,) = scan_all({"a.c": "int a;\n  forbidden_x();\n"}, book=book).findings

    assert (found.line, found.column, found.message) == (2, 3, "`forbidden_x` is forbidden")
    assert found.fix == "use forbidden_x_ok"


@pytest.mark.parametrize(
    ("matcher", "text", "lines"),
    [
        ("{kind: code, names: [foo, bar]}", "foo(); food(); bar();\nx.foo2();\n", [1, 1]),
        ("{kind: include, pattern: '^a/', context: quote}", '#include "a/b.h"\n#include <a/c.h>\n', [1]),
        ("{kind: include, pattern: '^a/', not-context: quote}", '#include "a/b.h"\n#include <a/c.h>\n', [2]),
        ("{kind: code, pattern: 'f\\w+', not-pattern: 'x$'}", "fx();\nfy();\n", [2]),
        ("{kind: [string, code], pattern: 'foo'}", 'foo();\n"foo";\n', [1, 2]),
        ("{kind: code, pattern: '^foo'}", "foo();\n  foo();\na foo();\n", [1, 2]),
        ("{kind: code, pattern: 'foo$'}", "foo();\nint foo\n;\n", [2]),
        ("{kind: code, pattern: 'a\\s*b'}", "a\nb;\na b;\n", [3]),
        (
            "{kind: code, names: [foo], guards: [amd]}",
            "foo;\n#ifdef USE_ROCM\nfoo;\n#else\nfoo;\n#endif\n",
            [3],
        ),
        (
            "{kind: code, names: [foo], guards: [none, amd]}",
            "foo;\n#ifdef USE_ROCM\nfoo;\n#else\nfoo;\n#endif\n",
            [1, 3],
        ),
    ],
)
def test_every_key_of_a_matcher_does_what_it_says(matcher: str, text: str, lines: list[int]) -> None:
    whole = re.sub(r"  - kind: code\n    pattern: .*\n", lambda _: f"  - {matcher}\n", RULE)
    book = RuleBook([decode(whole, "own.yaml")])

    assert [f.line for f in scan_all({"a.c": text}, book=book).findings] == lines


def test_a_table_gives_the_replacement(tmp_path: object) -> None:
    assert Tables()["runtime-renames"]["cudaMalloc"] == "hipMalloc"

    with pytest.raises(ConfigError, match="no table 'nope'"):
        Tables()["nope"]


def test_two_rules_of_one_name_and_unknown_parts_are_refused() -> None:
    rule = decode(RULE, "own.yaml")

    with pytest.raises(ConfigError, match="two rules are called own-rule"):
        RuleBook([rule, rule]).check()
    with pytest.raises(ConfigError, match="no language 'cobol'"):
        RuleBook([decode(RULE.replace("[c]", "[cobol]"), "own.yaml")]).check()
    asks = re.sub(r"  - kind: code\n    pattern: .*\n", "  - {detector: nope}\n", RULE)
    with pytest.raises(ConfigError, match="no detector 'nope'"):
        RuleBook([decode(asks, "own.yaml")]).check()


def test_once_reports_the_first_place_only() -> None:
    book = RuleBook([decode(RULE + "once: true\n", "own.yaml")])

    assert [f.line for f in scan_all({"a.c": "forbidden_a;\nforbidden_b;\n"}, book=book).findings] == [1]


def test_a_path_can_be_left_alone() -> None:
    book = RuleBook([decode(RULE + "not-path: '^gen/'\n", "own.yaml")])
    found = scan_all({"gen/a.c": "forbidden_a;\n", "b.c": "forbidden_b;\n"}, book=book).findings

    assert [f.path for f in found] == ["b.c"]
