"""Tree reductions in shared memory whose last steps rely on the lanes of a warp running in step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEP = re.compile(
    r"\b(?P<array>\w+)\[(?P<index>[\w.]+)\]\s*(?:(?:\+|\*|\||&)?=[^;\n]*?)\b(?P=array)\[(?P=index)\s*\+\s*(?P<stride>32|16|8|4|2|1)\]"
)
_BARRIER = re.compile(
    r"\b(?:__syncwarp|__syncthreads|__threadfence_block|__builtin_amdgcn_wave_barrier|sync)\s*\("
)
_LEAST_STEPS = 3


class WarpSynchronous:
    """Three or more halving steps in a row without any barrier between them."""

    name = "warp-synchronous"
    needles = ("+ 16]", "+16]", "+ 8]", "+8]")
    also = ("__global__", "__device__", "__shared__", "threadIdx")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        run: list[tuple[re.Match[str], int, int]] = []
        for one in file.search(_STEP, guards=(Guard.NONE,)):
            if run and not _continues(file, run[-1][0], one[0]):
                yield from _reported(run)
                run = []
            run.append(one)
        yield from _reported(run)


def _continues(file: CFile, last: re.Match[str], one: re.Match[str]) -> bool:
    between = file.code[last.end() : one.start()]
    same = last["array"] == one["array"] and int(one["stride"]) * 2 == int(last["stride"])
    return same and between.count("\n") <= 3 and not _BARRIER.search(between)


def _reported(run: list[tuple[re.Match[str], int, int]]) -> Iterator[Match]:
    if len(run) >= _LEAST_STEPS:
        found, line, column = run[0]
        text = found[0].split("\n")[0]
        yield Match(line, column, column + len(text), text)


DETECTOR: Detector = WarpSynchronous()
