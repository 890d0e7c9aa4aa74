"""Python code that fixes the 8 bit float to the OCP flavour, which gfx94x does not compute in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.source import Region

_TYPE = re.compile(
    r"^(torch|jax\.numpy|jnp|ml_dtypes)\.float8_(e4m3fn|e5m2)$|^(triton\.language|tl)\.float8(e4nv|e5)$"
)
# Formats that a specification fixes, where the type is that of stored scales; kernels of NVIDIA alone.
_FIXED = re.compile(
    r"(?i)(nv|mx|mxfp|nvfp|fp)_?(fp)?4(?![0-9a-z]*fn)|mxfp8|e8m0|gguf|marlin|ultraquant|deep_?gemm|machete|cutlass|trtllm"
)
# Asking what a value is, listing what is allowed, or knowing the other flavour as well is right.
_FINE = re.compile(
    r"^(compare|key.*|test|twin|message|beside-vendor|script|assign:.*[sS]cales?"
    r"|call:(isinstance|.*assert.*|register_\w+|.*parametrize|Literal))$"
)
_KNOWS = re.compile(r"^[^#\n]*(?:fnuz|(?i:gfx_?94))", re.MULTILINE)


class Fp8Dtype:
    """Uses that choose the type, in a file that knows the other one; a function that names it is right."""

    name = "py-fp8-dtype"
    needles = ("float8_e4m3fn", "float8_e5m2", "float8e4nv", "float8e5")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        found = list(choices(parsed, (Guard.NONE,), asked=False))
        if found and _KNOWS.search(parsed.source.text):
            yield from found


def choices(
    parsed: Parsed, guards: tuple[Guard, ...] = (Guard.NONE, Guard.AMD), *, asked: bool = True
) -> Iterator[Match]:
    """Every place that settles for the OCP type where AMD gets to.

    `asked`: also where a test for the name of a format stands before it, so that somebody asked for it.
    """
    if _FIXED.search(parsed.source.path) or "normalize_e4m3fn" in parsed.source.text:
        return
    for region in parsed.regions:
        reached = region.guard in guards and (asked or "asked-format" not in region.context)
        if region.kind is RegionKind.CODE and reached and _TYPE.match(region.text) and not _is_fine(region):
            yield Match(region.line, region.column, region.column + len(region.text), region.text)


def _is_fine(region: Region) -> bool:
    listed = region.context[-2:-1] and region.context[-2].startswith("item:")
    return bool(listed) or any(_FINE.match(c) or _fixed(c) for c in region.context)


def _fixed(context: str) -> bool:
    return context.startswith(("def:", "assign:", "call:")) and bool(_FIXED.search(context))


DETECTOR: Detector = Fp8Dtype()
