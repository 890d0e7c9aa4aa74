"""What a scan could not look at, or understood less well: nothing is left out without a word."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen


class NoteKind(enum.Enum):
    """What happened to a file (or, for VENDORED, to a tree)."""

    SKIPPED = "skipped"  # not scanned at all: unreadable, too large, binary under a source's name
    PARTIAL = "partial"  # scanned, but for a part: overlong lines, more findings than are listed
    UNFINISHED = "unfinished"  # given up: out of time or memory, so what it holds is not known
    FALLBACK = "fallback"  # could not be parsed as its language; read as tokens or lines instead
    COPY = "copy"  # the same as another file of the tree, with which it is told
    VENDORED = "vendored"  # carried from another project, which its own authors keep; told once per tree


class ScanNote(Frozen, frozen=True, kw_only=True):
    """One such place. `reason` is a sentence without a full stop; `rule` is the one that was at work.

    `path` is a file, or a folder that ends in a slash; `line` is 1-based, where one line is meant.
    """

    kind: NoteKind
    path: str
    reason: str
    rule: str | None = None
    line: int | None = None
