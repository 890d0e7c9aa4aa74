"""A 64-bit ballot narrowed to 32 bits before its bits are counted or searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments_and_end
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_types import is_narrow, narrow_type
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function

_VOTE = re.compile(
    r"__(?<![\w.>]__)(?:ballot|ballot_sync|ballot64|activemask|match_any_sync|match_all_sync|match_any|match_all)\s*\("
)
_COUNTS = r"__(?:popc|ffs|clz|brev|fns)|__builtin_(?:popcount|ffs|clz|ctz)"
_STATEMENT = re.compile(r"[;}]|(?<!\w)\{|#[ \t]*define[ \t]+\w+(?:\([^()\n]*\))?")
_FARTHEST = 400  # characters between the begin of a statement and a vote in it
_COUNTED = re.compile(
    rf"\b(?:{_COUNTS})\s*\(\s*(?:\(\s*[\w\s:]+\)\s*|static_cast\s*<[^<>]*>\s*\(\s*|\(\s*)*\Z"
)
_RETURNED = re.compile(r"\breturn\s*(?:\(\s*)*\Z")
_LAMBDA = re.compile(r"\[[^\[\]]*\]\s*\([^()]*\)[^{};()]*?->\s*(?P<type>[^{};]+?)\s*\Z")
_ASSIGNED = re.compile(
    r"(?<!\w)(?P<name>[A-Za-z_]\w*)\s*(?P<index>\[[^;={}]*\]\s*)*(?:[&|^]?=|\{|\()\s*(?:\(\s*)*\Z"
)
_ALL_ONES = re.compile(r"\s*[=!]=\s*(?:0[xX][fF]{8}[uU]?(?![\w])|UINT32_MAX|UINT_MAX|~\s*0[uU]?(?![\w]))")
# What is left of a vote after these is a truth value, a lane's bit or a half that is taken on purpose.
_DECIDED = re.compile(r"[?<]|&&|\|\||[=!]=|(?<![-])>")
_NAMED = re.compile(
    rf"(?<![\w:<])(?:const\s+)?(?:unsigned\s+long(?:\s+long)?(?:\s+int)?|(?:std::)?u?int64_t|auto|ulong|long\s+long)\s+(?:const\s+)?"
    rf"(?P<name>\w+)\s*[=({{]\s*(?:{_VOTE.pattern})"
)


class BallotWidth:
    """Votes have one bit per lane: 64 of them on wave64, in a 64-bit integer on every HIP target."""

    name = "ballot-width"
    needles = ("__ballot", "__activemask", "__match_a")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        narrow = narrow_type(file)
        seen: set[int] = set()
        for vote, line, column in file.search(_VOTE):
            if line not in seen and not _is_declared(file, vote) and _is_cut(file, vote, narrow):
                seen.add(line)
                text = vote[0].rstrip("( \t\n")
                yield Match(line, column, column + len(text), text)
        followed: set[tuple[Function | None, str]] = set()
        for named, _, _ in file.search(_NAMED):
            key = (file.functions.at(named.start()), named["name"])
            if key in followed:
                continue
            followed.add(key)
            for match in _later(file, named, narrow):
                if match.line not in seen:
                    seen.add(match.line)
                    yield match


def _is_declared(file: CFile, vote: re.Match[str]) -> bool:
    """`unsigned __ballot(int p) { … }` and `#define __ballot(p) …` are declarations of a shim."""
    name = vote[0].rstrip("( \t\n")
    return name in file.defines or (
        (function := file.functions.at(vote.start())) is not None and function.name == name
    )


def _is_cut(file: CFile, vote: re.Match[str], narrow: str) -> bool:
    code = file.code
    _, end = arguments_and_end(code, vote.end())
    least = max(0, vote.start() - _FARTHEST)
    start = max((found.end() for found in _STATEMENT.finditer(code, least, vote.start())), default=least)
    before = code[start : vote.start()]
    after = code[end + 1 : end + 200].split(";")[0]
    if _ALL_ONES.match(after) or _COUNTED.search(before):
        return True
    if re.search(
        rf"\(\s*{narrow}\s*\)\s*(?:\(\s*)?\Z|\bstatic_cast\s*<\s*{narrow}\s*>\s*\(\s*\Z|\b{narrow}\s*\(\s*\Z",
        before,
    ):
        return (
            not re.match(r"\s*(?:>>|&)", after) or re.search(rf"\(\s*{narrow}\s*\)\s*\Z", before) is not None
        )
    if _DECIDED.search(after) or re.match(r"\s*>>", after):
        return False
    if _RETURNED.search(before):
        return _returns_narrow(file, vote.start(), narrow)
    assigned = _ASSIGNED.search(before)
    if assigned is None:
        return False
    named = before[: assigned.start()].rstrip()
    if re.search(r"[\w>&*]\Z", named) and not named.endswith("->"):  # a declaration
        return re.search(rf"(?<![\w<]){narrow}(?:\s+const)?\Z", named) is not None
    if before.rstrip()[-1:] in "({":
        return False
    return is_narrow(file, narrow, assigned["name"], start + assigned.start("name"))


def _returns_narrow(file: CFile, offset: int, narrow: str) -> bool:
    function = file.functions.at(offset)
    if function is None:
        return False
    opening = file.code.rfind("{", function.start, offset)
    while opening >= 0:
        found = _LAMBDA.search(file.code, max(function.start, opening - 200), opening)
        if found:
            return re.fullmatch(narrow, found["type"]) is not None
        if re.search(r"\]\s*(?:\([^()]*\))?\s*\Z", file.code[max(0, opening - 200) : opening]):
            return False  # a lambda that deduces its type
        opening = file.code.rfind("{", function.start, opening)
    return (
        re.search(rf"(?<![\w:<]){narrow}\s+(?:\w+::)*{function.name}\s*\(", function.text) is not None
        or re.search(rf"\)\s*(?:const\s*)?->\s*{narrow}\s*\Z", function.text) is not None
    )


def _later(file: CFile, named: re.Match[str], narrow: str) -> Iterator[Match]:
    """Where a whole vote, kept in a variable, is cut after all."""
    function = file.functions.at(named.start())
    if function is None:
        return
    name, code, end = named["name"], file.code, function.end
    if re.compile(rf"\b{name}\s*>>\s*(?:32\b|\(?\s*\w*\s*[&*])").search(code, named.end(), end):
        return  # taken in two halves
    cut = re.compile(
        rf"(?P<how>\b(?:{_COUNTS})\s*\(\s*(?:\(\s*{narrow}\s*\)\s*)?(?P<inner>{name})\s*(?=[)&|])"
        rf"|\bstatic_cast\s*<\s*{narrow}\s*>\s*\(\s*{name}\s*\)|\(\s*{narrow}\s*\)\s*{name}\b(?!\s*(?:>>|\()))"
    )
    for found in cut.finditer(code, named.end(), end):
        line, column = file.lexed.place(found.start())
        if file.guard_at(line) is Guard.NONE:
            text = found[0].split("(")[0].rstrip() if found["inner"] else found[0]
            text = text.split("\n")[0]
            yield Match(line, column, column + len(text), text)


DETECTOR: Detector = BallotWidth()
