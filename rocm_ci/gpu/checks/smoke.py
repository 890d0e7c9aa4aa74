"""A small kernel and a copy really run on each GPU: what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import NO_GPU, fine, some, unknown, wrong
from rocm_ci.gpu.smoke import Ending

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
        seen = some([f"{r.label}: {r.detail}" for r in bad])
        hung = any(r.ending is Ending.HUNG for r in bad)
        fix = "look at `dmesg` on the host, and reset the GPU or restart the host" if hung else bad[0].fix
        return wrong("smoke", seen, needed, fix, fatal=needs.must_have_gpu or needs.curious)
    right = [r for r in found.results if r.ending is Ending.RIGHT]
    busy = [r.label for r in found.results if r.ending is Ending.BUSY]
    if not right:
        why = f"in use by another run: {some(busy)}" if busy else found.reason
        return unknown("smoke", why, needed, found.fix or "run it again when a GPU is free")
    about = "; ".join(dict.fromkeys(r.detail for r in right))
    seen = f"right on {len(right)} GPU(s) with {found.tool} ({about[:300]})"
    return fine("smoke", seen + (f"; not tried, as in use: {some(busy)}" if busy else ""), needed)
