"""Constants named after the warp size that are 32, and are not chosen per target."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_warps import Lanes, lanes_of
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = (
    r"\w*(?:[wW]arp|[wW]ave|WARP|WAVE)_?(?:[fF]ront|FRONT)?_?"
    r"(?:[sS]ize|[tT]hreads|[wW]idth|[lL]anes?|SIZE|THREADS|WIDTH|LANES?|SZ|sz)\w*"
    r"|(?:k|num_|n|NUM_|N)?_?(?:[lL]anes|LANES)(?:_?(?:[pP]er|PER)_?(?:[wW]arp|[wW]ave|WARP|WAVE))?"
    r"|\w*(?:[tT]hreads|THREADS|[lL]anes|LANES)_?(?:[pP]er|PER|[iI]n|IN)_?(?:[wW]arp|[wW]ave|WARP|WAVE)\w*"
    r"|WARP|kWarp|warp"
)
# Numbers are rarer than names: the name is looked for before each of them.
_VALUE = re.compile(r"(?:32|64|1[uU]?\s*<<\s*[56])[uU]?\b(?![.\w])(?!\s*[*/+<-])")
_DEFINED = re.compile(
    rf"(?:#[ \t]*define[ \t]+(?P<macro>{_NAME})[ \t]+\(?|\b(?P<name>{_NAME})\s*(?:=|\{{)\s*)\Z"
)
_LONGEST = 120
# Such a file tells the number of lanes of its groups from that of the hardware.
_LOGICAL = re.compile(r"(?:physical|hardware|real)_?(?:warp|wave)", re.IGNORECASE)
# A number of warps, a shift or a mask of lanes is none of our business.
_OTHER = re.compile(
    r"(?:[nN]um|NUM|[mM]ax|MAX|[cC]ount)_?(?:of_?)?(?:[wW]arps|WARPS|[wW]aves|WAVES)|[lL]og|LOG|[bB]its|BITS|[mM]ask"
    r"|[hH]alf|HALF|[sS]ub_?[wW]|SUB|[lL]ogical|LOGICAL|[vV]irtual|VIRTUAL|[mM]in(?![a-z])|MIN_|[mM]ax(?![a-z])|MAX_|[tT]ile|TILE"
    r"|[gG]roup|GROUP|[cC]ache|CACHE|[bB]ytes|BYTES|[pP]artial"
)


class WarpConstants:
    """Such constants in a file that works on the whole wave."""

    name = "warp-constants"
    needles = ("32", "<< 5", "<<5")
    also = ("warp", "Warp", "WARP", "wave", "Wave", "WAVE", "lanes", "Lanes", "LANES")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        return (match for match, lanes in fixed_sizes(parsed.tree) if lanes is Lanes.WAVE)


@lru_cache(maxsize=2)
def fixed_sizes(file: object) -> tuple[tuple[Match, Lanes], ...]:
    """Every constant of 32 that is named after the warp, and what the file works with.

    A name that some branch of the file also sets to 64 is chosen on purpose.
    """
    return tuple(_fixed_sizes(file)) if isinstance(file, CFile) else ()


def _fixed_sizes(file: CFile) -> Iterator[tuple[Match, Lanes]]:
    found = [(value, named) for value in _VALUE.finditer(file.code) if (named := _before(file, value))]
    if not found or _LOGICAL.search(file.code):
        return
    lanes = lanes_of(file)
    if lanes is Lanes.GROUPS:
        return  # the name is that of a group, which is legal on every target
    chosen = {_name(named) for value, named in found if value[0].rstrip("uU")[-1] in "46"}
    for value, named in found:
        name = _name(named)
        start = named.start("macro" if named["macro"] else "name")
        line, column = file.lexed.place(start)
        if name in chosen or _OTHER.search(name) or file.guard_at(line) is not Guard.NONE:
            continue
        text = file.code[start : value.end()]
        yield Match(line, column, column + len(text.split("\n")[0]), " ".join(text.split())), lanes


def _before(file: CFile, value: re.Match[str]) -> re.Match[str] | None:
    """The name that gets a value."""
    return _DEFINED.search(file.code, max(0, value.start() - _LONGEST), value.start())


def _name(named: re.Match[str]) -> str:
    return named["macro"] or named["name"]


DETECTOR: Detector = WarpConstants()
