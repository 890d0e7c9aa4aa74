"""What the scanner says about one place in a file."""

from __future__ import annotations

import enum
from functools import total_ordering

from rocm_ci.model.base import Frozen
from rocm_ci.model.edit import Edit


@total_ordering
class Severity(enum.Enum):
    """Ordered: NOTE < WARNING < ERROR."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Severity):
            return NotImplemented
        return _RANK[self] < _RANK[other]


_RANK = {severity: rank for rank, severity in enumerate(Severity)}


class Topic(enum.Enum):
    """The sixteen kinds of leftover."""

    CUDA_INCLUDE = "cuda-include"
    CUDA_API = "cuda-api"
    CUDA_LIBRARY = "cuda-library"
    CUDA_BUILD = "cuda-build"
    CUDA_PYTHON = "cuda-python"
    CUDA_PACKAGE = "cuda-package"
    CUDA_CONTAINER = "cuda-container"
    CUDA_TOOL = "cuda-tool"
    CUDA_ENV = "cuda-env"
    HARDCODED_PATH = "hardcoded-path"
    WARP_SIZE = "warp-size"
    INTRINSICS = "intrinsics"
    INLINE_ASM = "inline-asm"
    PRECISION = "precision"
    MEMORY_MODEL = "memory-model"
    ARCH_LIST = "arch-list"


class SilencedBy(enum.Enum):
    """Who said that a finding is all right."""

    COMMENT = "comment"  # on its line or the line above
    FILE = "file"  # a comment that speaks for the whole file
    CONFIGURATION = "configuration"  # `scan.per-path`
    BASELINE = "baseline"  # it was there when the baseline was written


class Silenced(Frozen, frozen=True, kw_only=True):
    """Why a finding does not count. `line` is where the comment stands."""

    by: SilencedBy
    reason: str = ""
    line: int | None = None


class Finding(Frozen, frozen=True, kw_only=True):
    """One finding. Lines and columns are 1-based; `end` is the column after the last character.

    `fix` is advice in words; `replacement` is the exact text for `line` from `column` to `end` when
    the repair is mechanical. `edits` are the whole repair of this file, to be applied together or
    not at all, sorted and apart from each other; `unsafe` when they may change what the code means
    on NVIDIA. `excerpt` holds the lines from the first to the last edit as they are when the change
    adds all of them: with it a review suggestion needs no checkout. `fingerprint` stays when lines
    move or are indented anew; equal ones in a file are told apart by their order. `wide` are the places
    (line, column) of characters above U+FFFF on its lines, for readers that count UTF-16 units.
    """

    rule: str
    topic: Topic
    severity: Severity
    path: str
    line: int
    column: int
    end: int
    message: str
    fix: str | None = None
    docs: str | None = None
    replacement: str | None = None
    edits: tuple[Edit, ...] = ()
    unsafe: bool = False
    excerpt: tuple[str, ...] = ()
    fingerprint: str = ""
    silenced: Silenced | None = None
    wide: tuple[tuple[int, int], ...] = ()

    @property
    def is_mechanical(self) -> bool:
        """Whether `rocm-ci scan --fix` repairs it."""
        return not self.unsafe and (bool(self.edits) or self.replacement is not None)
