"""The wish that everything ends, made once and heard by every thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Halt:
    """Asked like `Context.stop`: the reason to end, or nothing. The first reason stays."""

    def __init__(self, outer: Callable[[], str]) -> None:
        self._outer = outer
        self._reason = ""

    def __call__(self) -> str:
        """Why to end; empty while there is no reason."""
        return self._reason or self._outer()

    def ask(self, reason: str) -> None:
        """Let everything end."""
        self._reason = self._reason or reason
