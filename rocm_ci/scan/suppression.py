"""Comments that allow a finding, for a line or for a whole file, and what is wrong with some of them.

`rocm-ci: allow RULE-ID reason` speaks about its line, or the next one when it stands alone;
`rocm-ci: allow-file RULE-ID reason` about the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.finding import Finding, Severity, Silenced, SilencedBy, Topic
from rocm_ci.scan.scanned import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

WITHOUT_REASON = "suppression-without-reason"
UNKNOWN = "unknown-suppression"
UNUSED = "unused-suppression"
STALE = "stale-baseline"
OWN_RULES = frozenset({WITHOUT_REASON, UNKNOWN, UNUSED, STALE})
MARK = b"rocm-ci:"

# The comment signs of every language we read; a string that quotes the words silences nothing.
_ALLOW = re.compile(
    r"(?P<before>.*?)(?:\#|//|/\*|<!--|--|;|^\s*\*|\bREM\b)\s*"
    r"(?P<mark>rocm-ci:\s*allow(?P<file>-file)?(?![\w-]))[ \t]*"
    r"(?P<ids>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)?[ \t]*(?P<reason>.*)"
)
_COMMENT_END = re.compile(r"\s*(\*/|-->)\s*$")
_WORD = re.compile(r"\w{2,}")
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment. `covers` are the 1-based lines it speaks about, none of them for `whole_file`."""

    line: int
    column: int
    end: int
    rules: tuple[str, ...]
    reason: str
    covers: tuple[int, ...]
    whole_file: bool = False

    @property
    def is_honoured(self) -> bool:
        """Whether it silences anything: not without a reason."""
        return bool(_WORD.search(self.reason))

    def speaks_about(self, finding: Finding) -> bool:
        """Whether it names the rule and the line of a finding."""
        return finding.rule in self.rules and (self.whole_file or finding.line in self.covers)


def find(lines: Sequence[str]) -> tuple[Suppression, ...]:
    """Every suppression of a file."""
    found = [one for n, line in enumerate(lines, 1) if "rocm-ci:" in line for one in _of_line(n, line)]
    # Comments may be stacked above one line: each then reaches past the others.
    alone = {s.line for s in found if len(s.covers) != 1}
    stacked = []
    for one in found:
        last = one.line
        while last in alone:
            last += 1
        covers = (one.line, last) if len(one.covers) > 1 else one.covers
        stacked.append(
            Suppression(one.line, one.column, one.end, one.rules, one.reason, covers, one.whole_file)
        )
    return tuple(stacked)


def _of_line(number: int, line: str) -> Iterator[Suppression]:
    found = _ALLOW.match(line)
    if found is None:
        return
    ids = tuple(part.strip() for part in (found["ids"] or "").split(",") if part.strip())
    reason = _COMMENT_END.sub("", found["reason"]).strip(" \t:-–—")[:_LONGEST_REASON]
    whole = found["file"] is not None
    covers = () if whole else (number,) if found["before"].strip() else (number, number + 1)
    start = found.start("mark") + 1
    yield Suppression(number, start, len(line.rstrip()) + 1, ids, reason, covers, whole)


class Marks:
    """The suppressions of one file, and which of them were needed."""

    def __init__(self, suppressions: Sequence[Suppression] = ()) -> None:
        self._all = tuple(suppressions)
        self._used: set[tuple[Suppression, str]] = set()

    def reach(self, added: Container[int] | None) -> Container[int] | None:
        """The lines to look at so that it is known which suppressions are needed; None for all."""
        if added is None or any(one.whole_file for one in self._all):
            return None
        covered = frozenset(line for one in self._all for line in one.covers)
        return _Either(added, covered) if covered else added

    def silencing(self, finding: Finding) -> Silenced | None:
        """What silences a finding; None when nothing does."""
        for one in self._all:
            if one.is_honoured and one.speaks_about(finding):
                self._used.add((one, finding.rule))
                by = SilencedBy.FILE if one.whole_file else SilencedBy.COMMENT
                return Silenced(by=by, reason=encodable(one.reason), line=one.line)
        return None

    def problems(
        self, path: str, topics: Mapping[str, Topic], is_on: Callable[[str], bool]
    ) -> Iterator[Finding]:
        """Notes about the suppressions themselves, once every finding was shown to `silencing`.

        `topics` gives the topic of every known rule, `is_on` whether a rule was tried.
        """
        for one in self._all:
            for rule in one.rules or ("",):
                topic = topics.get(rule, Topic.CUDA_TOOL)
                if rule not in topics:
                    yield _problem(path, one, UNKNOWN, topic, _unknown(rule, topics))
                elif one.is_honoured and (one, rule) not in self._used and is_on(rule):
                    where = "in this file" if one.whole_file else "here"
                    yield _problem(path, one, UNUSED, topic, f"`{rule}` finds nothing {where} to be silenced")
            if one.rules and not one.is_honoured:
                topic = topics.get(one.rules[0], Topic.CUDA_TOOL)
                said = "this suppression gives no reason, so it is not honoured"
                yield _problem(path, one, WITHOUT_REASON, topic, said)


class _Either:
    def __init__(self, first: Container[int], second: Container[int]) -> None:
        self._both = (first, second)

    def __contains__(self, line: object) -> bool:
        return any(line in one for one in self._both)


def _unknown(rule: str, topics: Mapping[str, Topic]) -> str:
    import difflib  # noqa: PLC0415 - only after a typing mistake

    near = difflib.get_close_matches(rule, topics, n=1)
    known = f"; did you mean `{near[0]}`?" if near else ""
    return f"no rule is called `{rule}`{known}" if rule else "this suppression names no rule"


def _problem(path: str, at: Suppression, rule: str, topic: Topic, message: str) -> Finding:
    sign = "allow-file" if at.whole_file else "allow"
    fix = f"write `rocm-ci: {sign} RULE-ID reason`, with the rule's id and why it is right here"
    if rule == UNUSED:
        fix = "remove the comment, or this rule from it"
    return Finding(
        rule=rule,
        topic=topic,
        severity=Severity.NOTE,
        path=path,
        line=at.line,
        column=at.column,
        end=at.end,
        message=message,
        fix=fix,
        docs="docs/silencing.md",
    )
