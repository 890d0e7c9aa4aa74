"""Shared arrays with one place per lane, or per warp, of 32."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function

_SHARED = re.compile(r"__shared__(?<!\w__shared__)\b[^;={}\[()]*?\b(?P<name>\w+)\s*\[(?P<bound>[^\[\];]*)\]")
_LANES = 32
_WHOLE = r"(?:warpSize|WARP_SIZE|WAVE_SIZE|kWarpSize|C10_WARP_SIZE|64)"
# A lane number that goes to 63, and a loop over all lanes of a wave.
_LANE = re.compile(
    rf"\b(?P<name>\w+)\s*(?:=|\{{)\s*\(*\s*(?:__lane_id\s*\(|[\w.]+\s*(?:%\s*{_WHOLE}\b|&\s*(?:63|0x3[fF]|\(\s*{_WHOLE}\s*-\s*1\s*\))))"
)
_LOOP = re.compile(
    rf"\bfor\s*\([^;{{}}]*?\b(?P<name>\w+)\s*=[^;{{}}]*;\s*(?P=name)\s*(?:<|!=)\s*(?P<end>{_WHOLE})\s*;"
)


class SharedBy32:
    """An array of 32 places that is indexed by a lane of 64."""

    name = "shared-by-32"
    needles = ("__shared__",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        known: dict[tuple[int, str], bool] = {}
        for found, line, _ in file.search(_SHARED, guards=(Guard.NONE, Guard.AMD)):
            function = file.functions.at(found.start())
            if function is None or file.constants.fold(found["bound"]).value != _LANES:
                continue
            key = (function.start, found["name"])
            if key not in known:
                known[key] = _is_indexed_by_lanes(file, function, found["name"])
            if known[key]:
                start = found.start("name")
                text = file.code[start : found.end()]
                column = start - file.lexed.line_starts[line - 1] + 1
                if file.line_of(start) == line:
                    yield Match(line, column, column + len(text.split("\n")[0]), " ".join(text.split()))


def _is_indexed_by_lanes(file: CFile, function: Function, array: str) -> bool:
    code = file.code
    lanes = {found["name"] for found in _LANE.finditer(code, function.start, function.end)}
    for found in _LOOP.finditer(code, function.start, function.end):
        # A name of the file that is 32 itself is told where it is defined.
        if found["end"] in ("warpSize", "64") or file.constants.named(found["end"]).value != _LANES:
            lanes.add(found["name"])
    direct = rf"[\w.]+\s*%\s*{_WHOLE}|__lane_id\s*\(\s*\)"
    either = "|".join([*sorted(map(re.escape, lanes)), direct])
    return (
        re.search(rf"(?<![\w.]){array}\s*\[\s*(?:{either})\s*\]", code[function.start : function.end])
        is not None
    )


DETECTOR: Detector = SharedBy32()
