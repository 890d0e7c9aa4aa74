"""What no pattern on a line can say: numbers of several lines held against each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.knowledge.sweep import Hit


@dataclass(frozen=True, kw_only=True)
class Sighted:
    """The line that shows it, and values for the entry's texts. `confidence` as of a diagnosis, 0 to 1."""

    hit: Hit
    values: Mapping[str, str] = field(default_factory=dict)
    confidence: float = 0.95


class Detector(Protocol):
    """A module of `knowledge/detectors` ends in `DETECTOR: Detector = …`; an entry names it by `name`."""

    @property
    def name(self) -> str:
        """How an entry calls it."""
        ...

    @property
    def patterns(self) -> Mapping[str, str]:
        """What it wants to see, by a name of its own; each as the pattern of a signature."""
        ...

    def look(self, hits: Mapping[str, Sequence[Hit]]) -> Sighted | None:
        """All lines that its patterns fit (the first, where there are hundreds) → whether it is there."""
        ...
