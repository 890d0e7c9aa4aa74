"""A 64-bit ballot narrowed to 32 bits before its bits are counted or searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_VOTE = r"__(?:ballot|ballot_sync|activemask|match_any_sync|match_all_sync|match_any|match_all)\s*\("
_NARROW = (
    r"(?:(?:const|volatile|static|constexpr)\s+)*"
    r"(?:unsigned(?:\s+int)?|signed(?:\s+int)?|int|u?int32_t|uint|u32|unsigned_int)(?:\s+const)?"
)
_ASSIGNED = re.compile(
    rf"(?<![\w:<])(?P<type>{_NARROW})\s+(?P<name>\w+)\s*[=({{]\s*(?:\(\s*{_NARROW}\s*\)\s*)?(?P<vote>{_VOTE})"
)
_WRAPPED = re.compile(rf"\b(?P<outer>__popc|__ffs|__clz|__brev)\s*\(\s*(?:\([^()]*\)\s*)?(?P<vote>{_VOTE})")
_CAST = re.compile(rf"(?:static_cast\s*<\s*{_NARROW}\s*>\s*\(|\(\s*{_NARROW}\s*\))\s*(?P<vote>{_VOTE})")
_RETURNED = re.compile(
    rf"(?<![\w:<]){_NARROW}\s+\w+\s*\([^;{{}}]*\)\s*(?:const\s*)?\{{\s*return\s+(?P<vote>{_VOTE})"
)
_COMPARED = re.compile(
    rf"(?P<vote>{_VOTE})[^;{{}}()]*(?:\([^()]*\)[^;{{}}()]*)*\)\s*[=!]=\s*(?:0[xX][fF]{{8}}[uU]?\b|UINT32_MAX|~0[uU]?\b(?!ll))"
)
_NAMED = re.compile(
    rf"(?:unsigned\s+long(?:\s+long)?(?:\s+int)?|u?int64_t|auto|ulong)\s+(?P<name>\w+)\s*=\s*{_VOTE}"
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
        seen: set[int] = set()
        patterns = [_WRAPPED, _CAST, _ASSIGNED, _RETURNED, _COMPARED]
        names = {found["name"] for found, _, _ in file.search(_NAMED)}
        if names:
            either = "|".join(sorted(map(re.escape, names)))
            patterns.append(re.compile(rf"\b(?P<vote>__popc|__ffs|__clz|__brev)\s*\(\s*(?:{either})\b"))
        for pattern in patterns:
            for found, _, _ in file.search(pattern):
                line, column = file.lexed.place(found.start("vote"))
                if line not in seen:
                    seen.add(line)
                    text = found["vote"].rstrip("( \t")
                    yield Match(line, column, column + len(text), text)


DETECTOR: Detector = BallotWidth()
