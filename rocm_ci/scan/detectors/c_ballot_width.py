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
        for pattern in (_WRAPPED, _CAST, _ASSIGNED):
            for found, line, _ in file.search(pattern):
                if line in seen:
                    continue
                seen.add(line)
                start = found.start("vote")
                at_line, column = file.lexed.place(start)
                text = found["vote"].rstrip("( \t")
                yield Match(at_line, column, column + len(text), text)


detector: Detector = BallotWidth()
