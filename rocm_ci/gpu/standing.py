"""Who has each GPU of this host at the moment, for people: by its lock, the ledger and the bus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rocm_ci.gpu.locker import Locker
from rocm_ci.gpu.offer import offer
from rocm_ci.gpu.ward import Ward
from rocm_ci.model.base import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.context import Clock
    from rocm_ci.model.facts import Facts

State = Literal["free", "leased", "quarantine", "gone", "hidden"]


class Standing(Frozen, frozen=True, kw_only=True):
    """One GPU. `why` says who leased it, or why nobody gets it; a `hidden` one is not ours to lease."""

    gpu: str
    label: str
    state: State
    why: str = ""


class Standings(Frozen, frozen=True, kw_only=True):
    """All GPUs of the host in the runtime's order; `locks` is where their locks lie."""

    gpus: tuple[Standing, ...]
    locks: str
    problems: tuple[str, ...] = ()


def standings(
    facts: Facts, environment: Mapping[str, str], *, state: Path, host: Path, clock: Clock
) -> Standings:
    """Looks, and holds nothing afterwards."""
    offered = offer(facts, environment, host)
    locker = Locker(environment, state, host=host, clock=clock)
    ward = Ward(state, environment, clock=clock, host=host)
    devices = offered.counted
    held = {device.id: who for device, who in locker.holders(devices)}
    kept_out = {one.gpu: one.shown for one in ward.quarantined(devices)}
    ours = {device.id for device in offered.ours}
    found = []
    for device in devices:
        known: State = "free"
        why = ""
        if device.is_gone:
            known, why = "gone", "it is not on the bus any more, or its driver let it go"
        elif device.id in held:
            known, why = "leased", f"by {held[device.id]}"
        elif device.id in kept_out:
            known, why = "quarantine", kept_out[device.id]
        elif device.id not in ours:
            known, why = "hidden", offered.problem or "the pod or a *_VISIBLE_DEVICES variable leaves it out"
        found.append(Standing(gpu=device.id, label=device.label, state=known, why=why))
    folder = str(locker.folder) if devices else ""
    problems = tuple(text for text in (offered.problem, *locker.problems(), ward.problem) if text)
    locker.close()
    return Standings(gpus=tuple(found), locks=folder, problems=problems)
