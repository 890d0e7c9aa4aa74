"""The contract between the engine and a language, and between both and a detector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rocm_ci.scan.translators import LISTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import PurePosixPath

    from rocm_ci.model.edit import Edit
    from rocm_ci.scan.source import Region, Source


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed file: its regions in order, and the language's own tree for detectors.

    `notes` say what could not be understood and what was done instead, each a short sentence
    without a full stop: "syntax error in line 3, read as tokens". The user is shown them.
    """

    source: Source
    regions: tuple[Region, ...]
    tree: object = None
    notes: tuple[str, ...] = ()


class Language(Protocol):
    """How one kind of file is recognised and cut into regions."""

    @property
    def name(self) -> str:
        """The name that rules use in `languages`."""
        ...

    def claims(self, path: PurePosixPath, head: str) -> bool:
        """Whether a file is of this language; `head` is its first 512 characters (for `#!`)."""
        ...

    def parse(self, source: Source) -> Parsed:
        """Cut it into regions. Broken input must not raise: return what could be understood."""
        ...


@dataclass(frozen=True, slots=True)
class Match:
    """A place a matcher or detector found; the engine makes the `Finding` of it.

    Positions are 1-based; `end` is the column after the last character on `line`. `message` and
    `replacement` override the rule's own when given. `name` is the CUDA name that it is about, when
    `text` is another: where a project defines that name itself, the match does not count. `hint` is a
    sentence about this very name that follows the rule's fix. `renamed_by` are the translators that make
    the HIP name of it (`Translator`), the public ones unless known otherwise. `edits` are the whole repair
    when it is more than `replacement` at this place; `unsafe` when it may change what the code means on
    NVIDIA.
    """

    line: int
    column: int
    end: int
    text: str
    message: str | None = None
    replacement: str | None = None
    name: str | None = None
    edits: tuple[Edit, ...] = ()
    unsafe: bool = False
    hint: str | None = None
    renamed_by: tuple[str, ...] = LISTED


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a detector may know besides the file: the target archs and project-wide knowledge."""

    archs: tuple[str, ...]
    tables: Mapping[str, Mapping[str, str]]


class Detector(Protocol):
    """What no matcher can say. A rule names it: `match: {detector: lane-math}`."""

    @property
    def name(self) -> str:
        """The name that a rule file uses."""
        ...

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:
        """Every place, guards already respected."""
        ...
