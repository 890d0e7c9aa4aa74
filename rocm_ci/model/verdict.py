"""The six verdicts, their order, and what they mean to a shell."""

from __future__ import annotations

import enum
from functools import total_ordering
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@total_ordering
class Verdict(enum.Enum):
    """Ordered by how bad it is; the worst of several wins.

    FAIL blames the change, seen on a healthy machine. ERROR blames the runner, the GPU, the
    network or rocm-ci itself. INCONCLUSIVE was measured but cannot be decided. NEUTRAL is advice.
    """

    SKIPPED = "skipped"
    PASS = "pass"  # noqa: S105 - a verdict, not a password
    NEUTRAL = "neutral"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"
    FAIL = "fail"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        return _RANK[self] < _RANK[other]

    @property
    def is_green(self) -> bool:
        """Whether a required check may let the change through."""
        return self in (Verdict.PASS, Verdict.NEUTRAL)


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of them; SKIPPED when there is none."""
    return max(verdicts, default=Verdict.SKIPPED)


def exit_code(verdict: Verdict, *, fail_on_inconclusive: bool = False) -> int:
    """Process exit code of a finished run: 0 green, 1 the change fails, 3 the machine is at fault."""
    match verdict:
        case Verdict.FAIL:
            return 1
        case Verdict.ERROR | Verdict.SKIPPED:
            return 3
        case Verdict.INCONCLUSIVE:
            return 1 if fail_on_inconclusive else 0
        case Verdict.PASS | Verdict.NEUTRAL:
            return 0
