"""A vote in 64 bits: its variable and every function that counts or searches its bits, together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments_and_end
from rocm_ci.scan.c_narrow import CAST, DECLARED, NARROW, WIDENED, edit, offset_of
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.repair import Fixer, Repair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.edit import Edit
    from rocm_ci.scan.language import Match, Parsed

# What has the same result for a vote of 32 lanes, in 32 bits and in 64. `__clz` and `__brev` have not.
_COUNT = r"__popc|__ffs|__builtin_popcount|__builtin_ffs|__builtin_ctz"
_COUNTS = re.compile(rf"\b(?P<count>{_COUNT})\s*\(\s*(?P<cast>{CAST})?\Z")
_COUNTS_NAME = re.compile(rf"(?P<count>{_COUNT})\s*\(\s*(?P<cast>{CAST})?(?P<name>[A-Za-z_]\w*)\s*[)&]")
_VOTE = re.compile(r"__(?:ballot|ballot_sync|activemask|match_any_sync|match_any)\s*\(")
_SHIFT = re.compile(r"\s*&\s*\(\s*\(\s*(?P<one>1[uU]?(?:[lL]{2})?)\s*<<\s*[\w.]+\s*\)\s*-\s*1[uU]?\s*\)\s*\Z")
_TRUTH_BEFORE = re.compile(r"(?:!|&&|\|\||\b(?:if|while)\s*\()\s*\Z")
_TRUTH_AFTER = re.compile(r"\s*(?:[=!]=\s*0[uU]?(?![\w.])|>\s*0[uU]?(?![\w.])|\?|&&|\|\|)")
_CONDITION = re.compile(r"\s*(?:\)|&&|\|\||[=!]=\s*0[uU]?(?![\w.]))")
_LEAST_BIT = re.compile(r"\s*&=\s*(?P<name>\w+)\s*-\s*1\s*;")
_OWN_BIT = re.compile(r"\s*>>\s*[\w.]+\s*\)\s*&\s*1[uU]?(?![\w.])")
_FARTHEST = 400
_LONGEST_SCOPE = 20_000


class BallotWidth:
    """Each use of the variable must be one of a few forms, or nothing is changed."""

    name = "ballot-width"

    def repair(self, parsed: Parsed, match: Match) -> Repair | None:
        """See `Fixer`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return None
        at = offset_of(file, match)
        vote = _VOTE.match(file.code, at)
        edits = list(_of_vote(file, vote) if vote is not None else _of_count(file, at))
        known = tuple(one for one in edits if one is not None)
        return Repair(known) if known and len(known) == len(edits) else None


def _of_count(file: CFile, at: int) -> Iterator[Edit | None]:
    """`__popc(votes)`, where `votes` is wide already."""
    found = _COUNTS_NAME.match(file.code, at)
    if found is None or (found["count"] == "__ffs" and not _is_long_long(file, found["name"], at)):
        return
    yield _longer(file, found)
    if found["cast"]:
        yield edit(file, found.start("cast"), found.end("cast"), "")


def _is_long_long(file: CFile, name: str, at: int) -> bool:
    """Whether a variable has the very type that `__ffsll` is declared for in every release."""
    declared = re.compile(rf"\b(?:unsigned\s+long\s+long(?:\s+int)?|auto)\s+(?:const\s+)?{name}\b")
    return declared.search(file.code, max(0, at - _LONGEST_SCOPE), at) is not None


def _of_vote(file: CFile, vote: re.Match[str]) -> Iterator[Edit | None]:
    begin = max(0, vote.start() - _FARTHEST)
    before = file.code[begin : vote.start()]
    counted = _COUNTS.search(before)
    if counted is not None:
        yield _longer(file, counted, begin)
        if counted["cast"]:
            yield edit(file, vote.start() - len(counted["cast"]), vote.start(), "")
        return
    declared = DECLARED.search(before)
    _, end = arguments_and_end(file.code, vote.end())
    finished = re.compile(r"\)\s*[;})]").match(file.code, end)
    if declared is None or finished is None or not re.fullmatch(NARROW, declared["type"]):
        return
    start = begin + declared.start("type")
    yield edit(file, start, start + len(declared["type"]), WIDENED)
    if declared["cast"]:
        yield edit(file, vote.start() - len(declared["cast"]), vote.start(), "")
    yield from _of_uses(file, declared["name"], finished.end() - 1)


def _of_uses(file: CFile, name: str, start: int) -> Iterator[Edit | None]:
    """The edits of every use of a variable; a None among them where one cannot be understood."""
    code, end = file.code, _end_of_block(file.code, start)
    at = start
    pattern = re.compile(rf"(?<![\w.>]){re.escape(name)}\b")
    while found := pattern.search(code, at, end):
        at = found.end()
        before, after = code[max(0, found.start() - 80) : found.start()], code[at : at + 120]
        counted = _COUNTS.search(before)
        least = _LEAST_BIT.match(after)
        if counted is not None:
            yield from _of_counted(file, found, counted)
        elif least is not None and least["name"] == name:
            at += least.end()
        elif not (_is_truth(before, after) or _is_mask(before, after) or _is_own_bit(before, after)):
            yield None


def _of_counted(file: CFile, name: re.Match[str], counted: re.Match[str]) -> Iterator[Edit | None]:
    """`__popc(votes)` and `__popc(votes & ((1 << lane) - 1))`."""
    begin = max(0, name.start() - 80)
    yield _longer(file, counted, begin)
    if counted["cast"]:
        yield edit(file, name.start() - len(counted["cast"]), name.start(), "")
    _, end = arguments_and_end(file.code, name.end())
    rest = file.code[name.end() : end]
    below = _SHIFT.match(rest)
    if below is None:
        if rest.strip():
            yield None
    elif "l" not in below["one"].lower():
        yield edit(file, name.end() + below.start("one"), name.end() + below.end("one"), "1ull")


def _is_mask(before: str, after: str) -> bool:
    """The mask of a `_sync` function, which HIP wants in 64 bits."""
    return re.search(r"_sync\s*\(\s*\Z", before) is not None and after.lstrip().startswith(",")


def _is_own_bit(before: str, after: str) -> bool:
    """`(votes >> lane) & 1`."""
    return before.rstrip().endswith("(") and _OWN_BIT.match(after) is not None


def _is_truth(before: str, after: str) -> bool:
    if _TRUTH_AFTER.match(after):
        return re.search(r"(?:[-+*/%<>^~]|(?<![|&])[|&])\s*\Z", before) is None
    return _TRUTH_BEFORE.search(before) is not None and _CONDITION.match(after) is not None


def _longer(file: CFile, found: re.Match[str], begin: int = 0) -> Edit | None:
    start, end = found.span("count")
    return edit(file, begin + start, begin + end, f"{found['count']}ll")


def _end_of_block(code: str, start: int) -> int:
    depth = 0
    for brace in re.compile(r"[{}]").finditer(code, start, start + _LONGEST_SCOPE):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return brace.start()
    return min(len(code), start + _LONGEST_SCOPE)


FIXER: Fixer = BallotWidth()
