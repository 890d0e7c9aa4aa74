"""Code that only a version of an NVIDIA library lets in: AMD's libraries define no such macro."""

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

# RCCL, rocThrust and hipTensor keep the names of theirs: NCCL_VERSION_CODE, THRUST_VERSION.
_MACRO = re.compile(
    r"\b(?:CU(?:BLAS|BLASLT|FFT|RAND|SOLVER|SPARSE|SPARSELT)_VER(?:SION|_MAJOR)|CUDNN_(?:VERSION|MAJOR))\b"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_DIRECTIVE = re.compile(r"(?:[^\\\n]|\\\n?)*")
# What need not be there: declarations of names, and what turns codes into texts.
_HARMLESS = re.compile(
    r"(?:\s|#[^\n]*(?:\\\n[^\n]*)*|(?:using|typedef)\s[^;{}]*;|case\s[^:;{}]*:(?:\s*(?:return\b[^;]*|break\s*);)*)*"
)


class LibraryVersions:
    """`#if CUBLAS_VERSION >= 11600` … `#endif` around code, without any other branch."""

    name = "library-versions"
    needles = ("_VERSION", "_VER_MAJOR", "CUDNN_MAJOR")
    also = ("CUBLAS", "CUDNN", "CUFFT", "CURAND", "CUSOLVER", "CUSPARSE")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or any(_MACRO.fullmatch(name) for name in file.defines):
            return
        found = [chain for chain in chains(file.directives) if _asks(chain) and _loses_code(chain, file)]
        for chain in sorted(found, key=lambda one: one.first_line):
            asked = chain.conditions[0]
            macro = _MACRO.search(asked.text)
            shown = f"#{asked.name} {asked.text}"
            yield Match(asked.line, asked.column, asked.column + len(shown), macro[0] if macro else shown)


def _asks(chain: Chain) -> bool:
    """Whether a condition is false wherever the macro is unknown, and no branch is for that case."""
    asked = chain.conditions[0]
    macros = set(_MACRO.findall(asked.text))
    if (
        not macros
        or len(chain.conditions) > 1
        or chain.has_else
        or asked.guard not in (Guard.NONE, Guard.AMD)
    ):
        return False
    if any(vendor_of(word, {}) is not None for word in {*_WORD.findall(asked.text)} - macros):
        return False
    return asked.name == "if" and evaluate(asked.text, dict.fromkeys(macros, Vendor.NVIDIA)).amd is False


def _loses_code(chain: Chain, file: CFile) -> bool:
    """Whether there is more between `#if` and `#endif` than what need not be there."""
    starts = file.lexed.line_starts
    condition = _DIRECTIVE.match(file.code, starts[chain.first_line - 1])
    first = condition.end() if condition else starts[chain.first_line - 1]
    return _HARMLESS.fullmatch(file.code, first, max(first, starts[chain.last_line - 1])) is None


DETECTOR: Detector = LibraryVersions()
