"""Constants named after the warp size that are 32, and are not chosen per target."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = (
    r"\w*(?:[wW]arp|[wW]ave|WARP|WAVE)_?(?:[fF]ront|FRONT)?_?"
    r"(?:[sS]ize|[tT]hreads|[wW]idth|[lL]anes?|SIZE|THREADS|WIDTH|LANES?|SZ|sz)\w*"
    r"|(?:k|num_|n|NUM_|N)?_?(?:[lL]anes|LANES)(?:_?(?:[pP]er|PER)_?(?:[wW]arp|[wW]ave|WARP|WAVE))?"
    r"|\w*(?:[tT]hreads|THREADS|[lL]anes|LANES)_?(?:[pP]er|PER|[iI]n|IN)_?(?:[wW]arp|[wW]ave|WARP|WAVE)\w*"
    r"|WARP|kWarp|warp"
)
_CONSTANT = re.compile(
    rf"(?:#[ \t]*define[ \t]+(?P<macro>{_NAME})[ \t]+\(?"
    rf"|\b(?P<name>{_NAME})\s*(?:=|\{{)\s*)(?P<value>32|64)[uU]?\b(?![.\w])(?!\s*[*/+<-])"
)
# A number of warps, a shift or a mask of lanes is none of our business.
_OTHER = re.compile(
    r"(?:[nN]um|NUM|[mM]ax|MAX|[cC]ount)_?(?:of_?)?(?:[wW]arps|WARPS|[wW]aves|WAVES)|[lL]og|LOG|[bB]its|BITS|[mM]ask"
)


class WarpConstants:
    """A name that some branch of the file also sets to 64 is chosen on purpose."""

    name = "warp-constants"
    needles = ("32",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        chosen = {_named(found) for found in _CONSTANT.finditer(file.code) if found["value"] == "64"}
        for found, _, _ in file.search(_CONSTANT):
            name = _named(found)
            if found["value"] == "64" or name in chosen or _OTHER.search(name):
                continue
            start = found.start("macro") if found["macro"] else found.start("name")
            line, column = file.lexed.place(start)
            text = file.code[start : found.end()]
            yield Match(line, column, column + len(text.split("\n")[0]), " ".join(text.split()))


def _named(found: re.Match[str]) -> str:
    return found["macro"] or found["name"]


detector: Detector = WarpConstants()
