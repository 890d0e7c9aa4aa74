"""Where a schedule stands at one moment: what runs where, what is done, what is left, when it should end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, kw_only=True)
class Running:
    """One task that runs: on which GPUs (their labels for people) and for how long."""

    name: str
    gpus: tuple[str, ...]
    since_s: float


@dataclass(frozen=True, kw_only=True)
class Status:
    """`left` counts what has not started, `total` all that is known by now; both without what only prepares.

    `ends_in_s` is None where no earlier times are known.
    """

    running: tuple[Running, ...]
    done: int
    left: int
    total: int
    ends_in_s: float | None


class Watcher(Protocol):
    """Who wants to know. Called in the thread that schedules, about once a second."""

    def tell(self, text: str) -> None:
        """Something happened that needs a line of its own."""
        ...

    def look(self, status: Callable[[], Status], *, is_change: bool) -> None:
        """Time passed, or (`is_change`) something began or ended. Working out the status costs time."""
        ...
