"""What the ledger says of each GPU, summed up for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.ledger import Entry
from rocm_ci.gpu.quarantine import counting, quarantined
from rocm_ci.model.base import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.gpu.quarantine import Rule

_NEWEST = 5


class Record(Frozen, frozen=True, kw_only=True):
    """One GPU. `steps` failed by it within the rule's days, of the `limit` that means quarantine (0: never).

    `newest` are its last entries, the newest last, and `more` how many there are besides.
    """

    gpu: str
    label: str
    quarantine: bool
    steps: int
    limit: int
    days: int
    newest: tuple[Entry, ...]
    more: int = 0


def records(entries: Iterable[Entry], rule: Rule, now: str) -> tuple[Record, ...]:
    """One for each GPU that the ledger knows; first those in quarantine, then by name."""
    known = tuple(entries)
    kept_out = quarantined(known, rule, now)
    recent = counting(known, rule, now)
    by_gpu: dict[str, list[Entry]] = {}
    for entry in known:
        by_gpu.setdefault(entry.gpu, []).append(entry)
    found = [
        Record(
            gpu=gpu,
            label=next((entry.label for entry in reversed(mine) if entry.label), ""),
            quarantine=gpu in kept_out,
            steps=len({(fault.run, fault.step) for fault in recent.get(gpu, ())}),
            limit=rule.count,
            days=rule.days,
            newest=tuple(mine[-_NEWEST:]),
            more=max(0, len(mine) - _NEWEST),
        )
        for gpu, mine in by_gpu.items()
    ]
    return tuple(sorted(found, key=lambda one: (not one.quarantine, one.gpu)))
