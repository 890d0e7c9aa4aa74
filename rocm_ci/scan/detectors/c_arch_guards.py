"""`#ifdef __CUDA_ARCH__` and friends without a HIP twin: on AMD the device path is silently lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_macros import Vendor, vendor_of
from rocm_ci.scan.c_source import CFile, Directive
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_PASS = re.compile(r"\b(?:__CUDA_ARCH__|__CUDACC__|__NVCC__)\b")
# A version is asked for: a fast path with a fallback, not the question «am I on the device?».
_VERSION = re.compile(r"__CUDA_ARCH__\s*(?:[<>]=?|==)\s*\d{2,}|\d{2,}\s*(?:[<>]=?|==)\s*__CUDA_ARCH__")
_WORD = re.compile(r"[A-Za-z_]\w*")


class ArchGuards:
    """Conditions on the passes of the NVIDIA compiler in whose whole chain no AMD macro is named."""

    name = "arch-guards"
    needles = ("__CUDA_ARCH__", "__CUDACC__", "__NVCC__")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or file.defines & {"__CUDA_ARCH__", "__CUDACC__"}:
            return
        for chain in _chains(file.directives):
            if any(_names_amd(one.text) for one in chain):
                continue
            for one in chain:
                found = _PASS.search(one.text)
                if found and one.guard is Guard.NONE and not _VERSION.search(one.text):
                    shown = f"#{one.name} {one.text}"
                    yield Match(one.line, one.column, one.column + len(shown), found[0])
                    break


def _names_amd(text: str) -> bool:
    return any(vendor_of(word, {}) is Vendor.AMD for word in _WORD.findall(text))


def _chains(directives: tuple[Directive, ...]) -> Iterator[list[Directive]]:
    """The conditions of each `#if` … `#endif`, from the first to the last."""
    stack: list[list[Directive]] = []
    for one in directives:
        if one.name in ("if", "ifdef", "ifndef"):
            stack.append([one])
        elif one.name in ("elif", "elifdef", "elifndef") and stack:
            stack[-1].append(one)
        elif one.name == "endif" and stack:
            yield stack.pop()
    yield from stack


detector: Detector = ArchGuards()
