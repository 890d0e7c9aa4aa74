"""PTX in the inline assembly of Triton kernels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

_MNEMONIC = (
    r"mov|cvt|cvta|ld|st|add|sub|mul|mad|fma|ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh|lop3|prmt|shf|bfe|bfi|selp|setp|min|max"
    r"|abs|neg|and|or|xor|not|shl|shr|atom|red|bar|fence|membar|vote|shfl|match|griddepcontrol|mbarrier|cp|wgmma|tcgen05"
    r"|mma|ldmatrix|stmatrix|discard|prefetch|createpolicy|clz|popc|brev|dp4a|dp2a|div|rem|barrier|elect|setmaxnreg"
    r"|multimem|mapa|isspacep|applypriority|testp|copysign|fns|vadd\d?|vset\d?"
)
_PTX = re.compile(
    rf"(?<![\w.$%])(?:{_MNEMONIC})(?:\.[\w:]+)+|(?<![\w.])\.reg\s+\.\w+|%(?:laneid|warpid|smid|globaltimer\w*|clock\d*|nsmid|lanemask_\w+)"
    r"|(?<![\w.])(?:activemask|nanosleep|griddepcontrol)\.\w+"
)
# Instructions that came with Hopper or Blackwell: whoever writes one dispatches already.
_NEW = re.compile(
    r"\.(?:e2m1|e2m3|e3m2|ue8m0)x\d|\bcvt\.rs\b|\b(?:tcgen05|wgmma|multimem|mapa|setmaxnreg|mbarrier|griddepcontrol|elect)\."
    r"|\bcp\.async\.bulk|\.cluster\b"
)


class InlinePtx:
    """One match per assembly text: its first instruction."""

    name = "py-inline-ptx"
    needles = ("inline_asm",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        yield from (match for match, chosen in texts(parsed) if not chosen)


def texts(parsed: Parsed) -> Iterator[tuple[Match, bool]]:
    """The first instruction of every PTX text that AMD may reach, and whether a caller has to ask."""
    last: tuple[int, tuple[str, ...]] = (-2, ())
    for region in parsed.regions:
        if region.kind is not RegionKind.ASM:
            continue
        continues = region.line - last[0] <= 1 and region.context == last[1]
        found = None if continues else _PTX.search(region.text)
        if found is not None and region.guard in (Guard.NONE, Guard.AMD):
            before = region.text[: found.start()]
            line = region.line + before.count("\n")
            start = found.start() - (before.rfind("\n") + 1) + (region.column if "\n" not in before else 1)
            chosen = "switch" in region.context or bool(_NEW.search(region.text))
            yield Match(line, start, start + len(found.group()), found.group()), chosen
        if found is not None or continues:
            last = (region.line + region.text.count("\n"), region.context)


DETECTOR: Detector = InlinePtx()
