"""A bit of a wave in 64 bits, where the result is not cut again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_narrow import edit, offset_of
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.repair import Fixer, Repair

if TYPE_CHECKING:
    from rocm_ci.scan.language import Match, Parsed

# `1 << warpSize` is no bit of a lane: on wave64 it is undefined in 64 bits, too.
_SHIFT = re.compile(r"(?P<one>1[uU]?)\s*<<\s*\(?\s*\w*[lL]ane(?:_?[iI][dD]x?)?\b")
# An operand of `&` takes the width of the other one; `votes & (1 << lane)`.
_OPERAND = re.compile(r"(?<!&)&\s*~?\s*(?:\(\s*)*\Z")


class LaneShift:
    """Only as an operand of `&`: what is kept in a variable needs the variable's type, too."""

    name = "lane-shift"

    def repair(self, parsed: Parsed, match: Match) -> Repair | None:
        """See `Fixer`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return None
        at = offset_of(file, match)
        shift = _SHIFT.match(file.code, at)
        if shift is None or not _OPERAND.search(file.code, max(0, at - 80), at):
            return None
        found = edit(file, at, shift.end("one"), "1ull")
        return Repair((found,)) if found is not None else None


FIXER: Fixer = LaneShift()
