"""A small kernel and a copy really run on each GPU: what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import NO_GPU, advice, fine, some, unknown, wrong
from rocm_ci.gpu.smoke_ending import Ending

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.model.result import Check


def smoke(machine: Machine, needs: Needs) -> Check:
    """Did a kernel and a copy give the right values on every GPU that we could get?"""
    needed = "a kernel and a copy that give the right values on each GPU"
    found = machine.smoke
    if not machine.facts.gpus:
        return unknown("smoke", NO_GPU, needed)
    if found is None:
        why = machine.unseen.get("smoke", "it was not asked for")
        return unknown("smoke", why, needed, "run `rocm-ci doctor` without --quick")
    bad = [r for r in found.results if r.ending not in (Ending.RIGHT, Ending.BUSY)]
    if bad:
        # A GPU that hangs wants to be looked at first: it is what makes others wait, or fail, too.
        worst = sorted(bad, key=lambda r: r.ending is not Ending.HUNG)
        seen = some([f"{r.label}: {r.ending.value}: {r.detail}" for r in worst])
        fatal = needs.must_have_gpu or needs.curious
        return wrong("smoke", seen, needed, worst[0].fix, fatal=fatal)
    right = [r for r in found.results if r.ending is Ending.RIGHT]
    busy = [r.label for r in found.results if r.ending is Ending.BUSY]
    if not right and found.is_broken:
        return advice("smoke", found.reason, needed, found.fix)
    if not right:
        why = f"in use by another run: {some(busy)}" if busy else found.reason
        return unknown("smoke", why, needed, found.fix or "run it again when a GPU is free")
    about = "; ".join(dict.fromkeys(r.detail for r in right))
    seen = f"right on {len(right)} GPU(s) with {found.tool} ({about[:300]})"
    return fine("smoke", seen + (f"; not tried, as in use: {some(busy)}" if busy else ""), needed)
