"""The largest number of the OCP e4m3 format as the limit of every target."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = (
    r"(?:\w*(?:[fF][pP]?_?8|FLOAT8|[fF]loat8|[eE]4[mM]3|E4M3)\w*(?:[mM]ax|MAX|[lL]imit|LIMIT|[rR]ange)\w*"
    r"|\w*(?:[mM]ax|MAX|[lL]imit|LIMIT)\w*(?:[fF][pP]?_?8|FLOAT8|[eE]4[mM]3|E4M3)\w*)"
)
# Numbers are rarer than names: the name is looked for before each of them.
_VALUE = re.compile(r"448(?<![\w.]448)(?:\.0*)?[fF]?\b")
_NAMED = re.compile(rf"\b(?P<name>{_NAME})\s*(?:=|\{{|\()?\s*\Z")
_LONGEST = 120


class Fp8Limit:
    """A name that gets 448, and 240 or 224 nowhere in the file."""

    name = "fp8-limit"
    needles = ("448",)
    also = ("f8", "F8", "p8", "P8", "f_8", "F_8", "p_8", "P_8", "oat8", "OAT8", "4m3", "4M3")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        for value, _, _ in file.search(_VALUE, guards=(Guard.NONE,)):
            named = _NAMED.search(file.code, max(0, value.start() - _LONGEST), value.start())
            if named is None or _is_chosen(file.code, named["name"]):
                continue
            line, column = file.lexed.place(named.start())
            text = file.code[named.start() : value.end()].split("\n")[0]
            yield Match(line, column, column + len(text), " ".join(text.split()))


def _is_chosen(code: str, name: str) -> bool:
    """Whether the name also gets the limit of the other format, in some branch."""
    return re.search(rf"\b{name}\s*(?:=|\{{|\()?\s*(?:240|224)\b", code) is not None


DETECTOR: Detector = Fp8Limit()
