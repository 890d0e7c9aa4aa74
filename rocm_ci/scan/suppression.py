"""`rocm-ci: allow RULE-ID reason` in a comment, on the line of a finding or on the line above it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.finding import Finding, Severity, Topic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WITHOUT_REASON = "suppression-without-reason"
UNKNOWN = "unknown-suppression"
OWN_RULES = frozenset({WITHOUT_REASON, UNKNOWN})
MARK = b"rocm-ci:"

# The comment signs of every language we read; a string that quotes the words silences nothing.
_ALLOW = re.compile(
    r"(?P<before>.*?)(?:\#|//|/\*|<!--|--|;|^\s*\*|\bREM\b)\s*(?P<mark>rocm-ci:\s*allow\b)[ \t]*"
    r"(?P<ids>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)?[ \t]*(?P<reason>.*)"
)
_COMMENT_END = re.compile(r"\s*(\*/|-->)\s*$")
_WORD = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment. `covers` are the 1-based lines it speaks about."""

    line: int
    column: int
    end: int
    rules: tuple[str, ...]
    reason: str
    covers: tuple[int, ...]


def find(lines: Sequence[str]) -> tuple[Suppression, ...]:
    """Every suppression of a file."""
    found = [one for n, line in enumerate(lines, 1) if "rocm-ci:" in line for one in _of_line(n, line)]
    # Comments may be stacked above one line: each then reaches past the others.
    alone = {s.line for s in found if len(s.covers) > 1}
    stacked = []
    for one in found:
        last = one.line
        while last in alone:
            last += 1
        covers = (one.line, last) if one.line in alone else (one.line,)
        stacked.append(Suppression(one.line, one.column, one.end, one.rules, one.reason, covers))
    return tuple(stacked)


def _of_line(number: int, line: str) -> Iterator[Suppression]:
    found = _ALLOW.match(line)
    if found is None:
        return
    ids = tuple(part.strip() for part in (found["ids"] or "").split(",") if part.strip())
    reason = _COMMENT_END.sub("", found["reason"]).strip(" \t:-–—")
    covers = (number,) if found["before"].strip() else (number, number + 1)
    start = found.start("mark") + 1
    yield Suppression(number, start, len(line.rstrip()) + 1, ids, reason, covers)


def silences(suppressions: Sequence[Suppression], finding: Finding) -> bool:
    """Whether a finding is silenced. A suppression without a reason silences nothing."""
    return any(
        finding.line in one.covers and finding.rule in one.rules and _WORD.search(one.reason)
        for one in suppressions
    )


def problems(
    path: str, suppressions: Sequence[Suppression], topics: Mapping[str, Topic]
) -> Iterator[Finding]:
    """Findings about the suppressions themselves; `topics` gives the topic of every known rule."""
    for one in suppressions:
        for rule in one.rules or ("",):
            if rule not in topics:
                yield _problem(path, one, UNKNOWN, Topic.CUDA_TOOL, _unknown(rule, topics))
        if one.rules and not _WORD.search(one.reason):
            topic = topics.get(one.rules[0], Topic.CUDA_TOOL)
            yield _problem(
                path, one, WITHOUT_REASON, topic, "this suppression gives no reason, so it is not honoured"
            )


def _unknown(rule: str, topics: Mapping[str, Topic]) -> str:
    import difflib  # noqa: PLC0415 - only after a typing mistake

    near = difflib.get_close_matches(rule, topics, n=1)
    known = f"; did you mean `{near[0]}`?" if near else ""
    return f"no rule is called `{rule}`{known}" if rule else "this suppression names no rule"


def _problem(path: str, at: Suppression, rule: str, topic: Topic, message: str) -> Finding:
    return Finding(
        rule=rule,
        topic=topic,
        severity=Severity.WARNING,
        path=path,
        line=at.line,
        column=at.column,
        end=at.end,
        message=message,
        fix="write `rocm-ci: allow RULE-ID reason`, with the rule's id and why it is right here",
        docs=f"docs/rules/{rule}.md",
    )
