"""Blocks of PowerShell and batch files: brackets around commands, with the guards of `if` and `else`."""

from __future__ import annotations

from dataclasses import dataclass, field

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.source import Guard

_DEEPEST = 200


@dataclass(slots=True)
class Blocks:
    """The guard at the place that is being read."""

    guard: Guard
    _stack: list[tuple[Guard, Guard]] = field(default_factory=list)  # (outer, what `else` holds)
    _else: Guard | None = None  # of the block that was closed last
    _next: Outcome = UNKNOWN

    def expect(self, outcome: Outcome, *, otherwise: bool = False) -> None:
        """The next block holds under a condition; `otherwise`: where the last one did not."""
        if otherwise and self._else is not None:
            held = self._else
            outcome = Outcome(vendor.both(held, outcome.true), vendor.both(held, outcome.false))
        self._next = outcome

    def inline(self) -> Guard:
        """The guard of a command right behind a condition."""
        return vendor.both(self.guard, self._next.true)

    def open(self) -> None:
        """A bracket opens."""
        if len(self._stack) < _DEEPEST:
            self._stack.append((self.guard, self._next.false))
            self.guard = vendor.both(self.guard, self._next.true)
        self._next = UNKNOWN

    def close(self) -> None:
        """A bracket closes."""
        if self._stack:
            self.guard, self._else = self._stack.pop()
        self._next = UNKNOWN
