"""GPUs that no run gets any more, by the ledger of this host."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocm_ci.gpu import ledger
from rocm_ci.gpu.checks.outcome import NO_GPU, advice, fine, some, unknown, wrong
from rocm_ci.gpu.device import devices
from rocm_ci.gpu.quarantine import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.result import Check


def look(facts: Facts, state: Path, environment: Mapping[str, str], now: str, host: Path) -> tuple[str, ...]:
    """Which of the GPUs of `facts` are kept out, each with the reason. `state` holds the ledger.

    Raises OSError when there is a ledger that may not be read: it may name any of them.
    """
    path = ledger.Ledger(state, environment, host=host).path
    if path.exists() and not os.access(path, os.R_OK):
        message = f"{path} may not be read"
        raise PermissionError(message)
    kept = ledger.quarantined(state, environment, now, host=host)
    return tuple(kept[device.id].shown for device in devices(facts.gpus, host) if device.id in kept)


def quarantine(machine: Machine, needs: Needs) -> Check:
    """Did a GPU go wrong so often lately that no run gets it?"""
    needed = "no GPU in quarantine"
    kept = machine.quarantined
    problem = Rule.of(machine.environment).problem
    if not machine.facts.gpus:
        return unknown("quarantine", NO_GPU, needed)
    if kept is None:
        why = machine.unseen.get("quarantine", "the ledger of this host was not read")
        return unknown("quarantine", why, needed, "`rocm-ci ledger` as the runner's user shows it")
    if not kept and problem:
        return advice("quarantine", problem, needed, "correct it in the runner's environment")
    if not kept:
        seen = "none" if Rule.of(machine.environment).count else "none: switched off by ROCM_CI_QUARANTINE"
        return fine("quarantine", seen, needed)
    fatal = needs.must_have_gpu and machine.usable - len(kept) < needs.gpus
    fix = "have the card looked at, then release it; `rocm-ci ledger` lists its faults"
    return wrong("quarantine", some(kept), needed, fix, fatal=fatal)
