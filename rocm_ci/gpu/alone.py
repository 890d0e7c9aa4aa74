"""All other GPUs of the host, held while nobody else may use one: a reset may take them along."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.gpu.device import Device
    from rocm_ci.gpu.holder_note import Note
    from rocm_ci.gpu.locker import Locker

_MAX_TOLD = 5


@contextmanager
def alone(locker: Locker, others: Sequence[Device], note: Note) -> Iterator[str]:
    """Answers why they cannot be held, nothing when they are. Never waits, and then holds none.

    Locks that other runs do not honour keep nobody off: then they cannot be held.
    """
    hold = locker.take(others, lambda free: _all(free, others), whole_card=False)
    if hold is None:
        used = ", ".join(f"{device.label} by {who}" for device, who in locker.holders(others)[:_MAX_TOLD])
        yield f"another GPU of this host is in use, and a reset may take it along ({used or 'just now'})"
        return
    try:
        if not locker.unshared:
            hold.sign(note)
        yield locker.unshared
    finally:
        hold.release()


def _all(free: Sequence[Device], wanted: Sequence[Device]) -> tuple[Device, ...] | None:
    return tuple(free) if len(free) == len(wanted) else None
