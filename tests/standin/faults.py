"""What goes wrong between a client and GitHub, on order."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import Enum


class Fault(Enum):
    """One mishap. HALF carries the request out and loses the answer; DROP hangs up without any.

    CUT carries it out and sends half of the answer.
    """

    NONE = "none"
    BAD_GATEWAY = "502"
    UNAVAILABLE = "503"
    HALF = "half"
    DROP = "drop"
    CUT = "cut"
    SECONDARY = "secondary limit"
    TOO_MANY = "429"


@dataclass
class Faults:
    """`next_ones` are used up first; then each request fails with `rate`, the same way every time."""

    rate: float = 0.0
    seed: int = 1
    next_ones: list[Fault] = field(default_factory=list)
    kinds: tuple[Fault, ...] = (
        Fault.BAD_GATEWAY,
        Fault.UNAVAILABLE,
        Fault.HALF,
        Fault.DROP,
        Fault.SECONDARY,
        Fault.TOO_MANY,
        Fault.CUT,
    )

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def pick(self) -> Fault:
        if self.next_ones:
            return self.next_ones.pop(0)
        if self.rate and self._random.random() < self.rate:
            return self._random.choice(self.kinds)
        return Fault.NONE
