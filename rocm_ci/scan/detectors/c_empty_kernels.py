"""Kernels whose whole body asks for an NVIDIA architecture: on AMD they run and do nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_conditions import evaluate
from rocm_ci.scan.c_directives import Chain, chains
from rocm_ci.scan.c_macros import Vendor, vendor_of
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function

_VERSION = re.compile(r"__CUDA_ARCH__\s*\)?\s*(?:>=?|==)\s*\d{2,}")
_WORD = re.compile(r"[A-Za-z_]\w*")
# What prepares work and does none: declarations, an index that is out of range, assertions.
_IDLE = re.compile(
    r"(?:(?:extern\s+)?__shared__\s[^;={}]*;"
    r"|(?:static\s+)?(?:const(?:expr)?\s+)?(?:auto|u?int(?:\d+_t)?|unsigned(?:\s+int)?|size_t|long(?:\s+long)?|float|half|bool)"
    r"(?:\s+const)?[\s*&]+\w+\s*=[^;{}]*;"
    r"|(?:using|typedef)\s[^;{}]*;"
    r"|if\s*\([^;{}]*\)\s*(?:\{\s*)?return\s*;(?:\s*\})?"
    r"|(?:static_assert|assert)\s*\([^;{}]*\)\s*;"
    r"|return\s*;|;|\s)*",
)


class EmptyKernels:
    """`#if __CUDA_ARCH__ >= 800` around all that a `__global__` function does, and no other branch."""

    name = "empty-kernels"
    needles = ("__CUDA_ARCH__",)
    also = ("__global__",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or file.defines & {"__CUDA_ARCH__"} or "__global__" not in file.code:
            return
        for chain in chains(file.directives):
            asked = chain.conditions[0]
            if (
                len(chain.conditions) > 1
                or not _is_of_nvidia(chain)
                or asked.guard not in (Guard.NONE, Guard.AMD)
            ):
                continue
            function = file.functions.at(file.lexed.line_starts[asked.line - 1])
            if function is not None and function.is_kernel and _is_all(chain, function, file):
                shown = f"#{asked.name} {asked.text}"
                yield Match(asked.line, asked.column, asked.column + len(shown), function.name)


def _is_of_nvidia(chain: Chain) -> bool:
    text = chain.conditions[0].text
    if not _VERSION.search(text) or any(vendor_of(w, {}) is Vendor.AMD for w in _WORD.findall(text)):
        return False
    return evaluate(text, {"__CUDA_ARCH__": Vendor.NVIDIA}).amd is False


def _is_all(chain: Chain, function: Function, file: CFile) -> bool:
    """Whether nothing is done before the condition, in its `#else`, or after it."""
    starts = file.lexed.line_starts
    first, last = starts[chain.first_line - 1], starts[chain.last_line - 1]
    if not function.start <= first < last <= function.end:
        return False
    before = file.code[function.start : first]
    after = file.code[_end_of_line(file.code, last) : function.end]
    fallback = _fallback(chain, file)
    return all(_IDLE.fullmatch(part) for part in (before, after, fallback))


def _fallback(chain: Chain, file: CFile) -> str:
    """The text of the `#else`."""
    if not chain.has_else:
        return ""
    depth = 0
    for one in file.directives:
        if not chain.first_line < one.line < chain.last_line:
            continue
        if one.name in ("if", "ifdef", "ifndef"):
            depth += 1
        elif one.name == "endif":
            depth -= 1
        elif one.name == "else" and not depth:
            starts = file.lexed.line_starts
            return file.code[_end_of_line(file.code, starts[one.line - 1]) : starts[chain.last_line - 1]]
    return ""


def _end_of_line(code: str, offset: int) -> int:
    end = code.find("\n", offset)
    return len(code) if end < 0 else end


DETECTOR: Detector = EmptyKernels()
