"""Which suites run in one checkout at the same time: what one of them leaves there may be another's."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GUARD = threading.Lock()
_HERE: list[Presence] = []


@dataclass(eq=False)
class Presence:
    """One run of a suite. `is_alone` as long as no other suite was there at any moment of it."""

    root: Path
    suite: str
    is_alone: bool = True


@contextmanager
def of(root: Path, suite: str) -> Iterator[Presence]:
    """While the suite runs in the checkout `root`; its own shards are no others."""
    mine = Presence(root, suite)
    with _GUARD:
        for other in _HERE:
            if other.root == root and other.suite != suite:
                other.is_alone = mine.is_alone = False
        _HERE.append(mine)
    try:
        yield mine
    finally:
        with _GUARD:
            _HERE.remove(mine)
