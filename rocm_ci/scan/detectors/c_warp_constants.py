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
_CLASS = re.compile(r"\b(?:struct|class)\b(?!.*\benum\b)", re.DOTALL)
_ENUM = re.compile(r"\benum\b")
_DEFINES = re.compile(r"\s*(?:=(?!=)|\{)")
_FARTHEST = 20_000
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
        match = Match(line, column, column + len(text.split("\n")[0]), " ".join(text.split()))
        is_unread = lanes is Lanes.WAVE and not named["macro"] and _is_unread_member(file, name, start)
        yield match, Lanes.UNKNOWN if is_unread else lanes


def _is_unread_member(file: CFile, name: str, offset: int) -> bool:
    """Whether a class with code has a constant that neither it nor anybody without an own one reads.

    What the rest of the file does across lanes is no matter of that constant then.
    """
    own = _class_around(file.code, offset)
    # A class without code is there for others, who read its constants by its name.
    if own is None or not any(own[0] < one.start < own[1] for one in file.functions.all):
        return False
    found = [one.start() for one in re.finditer(rf"\b{name}\b", file.code)]
    owners = {at: _class_around(file.code, at) for at in found if _DEFINES.match(file.code, at + len(name))}
    of_all = None in owners.values()  # one outside of every class
    for at in found:
        if at in owners:
            continue
        around = [block for block in owners.values() if block and block[0] <= at < block[1]]
        is_of_other = max(around) != own if around else of_all
        if not is_of_other or file.code[:at].rstrip().endswith("::"):
            return False
    return True


def _class_around(code: str, offset: int) -> tuple[int, int] | None:
    """Where the body of the class begins and ends in which a place stands; None outside of one."""
    depth = 0
    for at in range(offset - 1, max(-1, offset - _FARTHEST), -1):
        if code[at] == "}":
            depth += 1
        elif code[at] == "{":
            depth -= 1
            if depth < 0:
                header = re.split(r"[;{}]", code[max(0, at - 500) : at])[-1]
                if _CLASS.search(header):
                    return at, _end_of(code, at)
                if not _ENUM.search(header):
                    return None
                depth = 0
    return None


def _end_of(code: str, start: int) -> int:
    depth = 0
    for brace in re.finditer(r"[{}]", code[start:]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return start + brace.end()
    return len(code)


def _before(file: CFile, value: re.Match[str]) -> re.Match[str] | None:
    """The name that gets a value."""
    return _DEFINED.search(file.code, max(0, value.start() - _LONGEST), value.start())


def _name(named: re.Match[str]) -> str:
    return named["macro"] or named["name"]


DETECTOR: Detector = WarpConstants()
