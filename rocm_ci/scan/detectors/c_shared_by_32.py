"""Shared arrays with one place per lane, or per warp, of 32."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_included import included_values
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function
    from rocm_ci.scan.source import Source

_SHARED = re.compile(r"__shared__(?<!\w__shared__)\b[^;={}\[()]*?\b(?P<name>\w+)\s*\[(?P<bound>[^\[\];]*)\]")
_LANES = 32
_WHOLE = r"(?:warpSize|WARP_SIZE|WAVE_SIZE|kWarpSize|C10_WARP_SIZE|64)"
# A lane number that goes to 63, and a loop over all lanes of a wave.
_LANE = re.compile(
    rf"\b(?P<name>\w+)\s*(?:=|\{{)\s*\(*\s*(?:__lane_id\s*\(|[\w.]+\s*(?:%\s*(?P<by>{_WHOLE})\b"
    rf"|&\s*(?:63|0x3[fF]|\(\s*(?P<mask>{_WHOLE})\s*-\s*1\s*\))))"
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
                known[key] = _is_indexed_by_lanes(parsed.source, file, function, found["name"])
            if known[key]:
                start = found.start("name")
                text = file.code[start : found.end()]
                column = start - file.lexed.line_starts[line - 1] + 1
                if file.line_of(start) == line:
                    yield Match(line, column, column + len(text.split("\n")[0]), " ".join(text.split()))


def _is_indexed_by_lanes(source: Source, file: CFile, function: Function, array: str) -> bool:
    code = file.code
    lanes = {
        found["name"]
        for found in _LANE.finditer(code, function.start, function.end)
        if _is_wave(source, file, found["by"] or found["mask"] or "64")
    }
    for found in _LOOP.finditer(code, function.start, function.end):
        if _is_wave(source, file, found["end"]):
            lanes.add(found["name"])
    for found in re.finditer(
        rf"(?<![\w.]){array}\s*\[\s*(?:(?P<lane>\w+)|[\w.]+\s*%\s*(?P<by>{_WHOLE})|__lane_id\s*\(\s*\))\s*\]",
        code[function.start : function.end],
    ):
        if found["lane"] in lanes or (
            not found["lane"] and (not found["by"] or _is_wave(source, file, found["by"]))
        ):
            return True
    return False


def _is_wave(source: Source, file: CFile, size: str) -> bool:
    """Whether a number is that of the lanes of a wave. A macro that is 32 is told where it is defined."""
    if size in ("warpSize", "64"):
        return True
    value = file.constants.named(size).value
    return value != _LANES and (value is not None or included_values(source, file, size) != {_LANES})


DETECTOR: Detector = SharedBy32()
