"""Who turns a project's CUDA sources into HIP when it is built, as its build files say."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, Literal


class Translator(Enum):
    """A program that renames. The value is what tables and rules call it."""

    TORCH = "torch"  # torch.utils.hipify and its copy, hipify_torch
    HIPIFY = "hipify"  # hipify-perl and hipify-clang
    OWN = "own"  # a script of the project, or a known one that is given more names: who knows which

    @property
    def title(self) -> str:
        """What a message calls it."""
        return {"torch": "torch's hipify", "hipify": "HIPIFY"}.get(self.value, "its own script")


# Whose names the tables know.
LISTED: Final[tuple[Literal["torch"], Literal["hipify"]]] = ("torch", "hipify")

# hipify-perl -examine only counts.
_MENTION = re.compile(rb"\bhipify(?![\w./-]*[ \t]+-+examine)|\bHIPIFY\b|\bhipconvertinplace")
# CUDAExtension and cpp_extension.load run hipify when torch is built for ROCm.
_EXTENSION = re.compile(
    rb"\bCUDAExtension\b|\bcpp_extension\s*\.\s*load(?:_inline)?\b|\bload_inline\b"
    rb"|from\s+torch\.utils\.cpp_extension\s+import\s*(?:\([^)]*|[^\n]*)\bload\b"
)
_TORCH = re.compile(
    rb"\btorch\s*\.\s*utils\s*(?:\.\s*|import\s+)hipify\b|\bhipify_(?:python|torch|cli)\b|\bbuild_amd\b"
)
_HIPIFY = re.compile(rb"\bhipify[-_](?:perl|clang)\b(?![\w./-]*[ \t]+-+examine)|\bhipconvertinplace")
# Names of its own beside those of a known one: a map for it, or replacements by hand.
_NAME = rb"_*(?:cu(?:da|blas|fft|rand|sparse|solver|dnn|b)?(?:[A-Z]|::)|CU[A-Z]|nv[a-z]*[A-Z])"
_MORE_NAMES = re.compile(
    rb"\bcustom_map|\bCUDA_TO_HIP_MAPPINGS\b|\bPYTORCH_MAP\b"
    rb"|\.replace\(\s*[fr]?[\"']"
    + _NAME
    + rb"|\bre\.sub\(\s*[fr]*[\"'][^\w\n]*b?"
    + _NAME
    + rb"|\bsed\b[^\n]*[/|#,](?:\\[b<])?"
    + _NAME
)


def said(data: bytes, *, is_python: bool, is_script: bool) -> tuple[frozenset[Translator], bool]:
    """Who surely translates, by one build file, and whether it speaks of hipify at all.

    `is_script`: its name says that it translates itself.
    """
    found = set()
    if _TORCH.search(data) or (is_python and _EXTENSION.search(data)):
        found.add(Translator.TORCH)
    if _HIPIFY.search(data):
        found.add(Translator.HIPIFY)
    is_mentioned = bool(_MENTION.search(data)) or (is_script and b"hip" in data)
    if is_mentioned and (_MORE_NAMES.search(data) or (is_script and not found)):
        found.add(Translator.OWN)
    return frozenset(found), is_mentioned
