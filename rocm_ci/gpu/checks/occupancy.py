"""Memory of the GPUs that is taken already, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu import holders, vram
from rocm_ci.gpu.checks.outcome import ELSEWHERE, NO_GPU, fine, label, silent, size, some, unknown, wrong
from rocm_ci.gpu.watched import SLACK_BYTES, Watched

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.model.facts import Facts, Gpu
    from rocm_ci.model.result import Check

# Above this a card is of no use to a test that expects it empty.
_MOST = 0.5
_ASK = "mount the host's /sys read-only, or ask `rocm-smi --showmeminfo vram`"


@dataclass(frozen=True, kw_only=True)
class Taken:
    """Bytes of one GPU in use and in all; `users` are living processes, `left` those of ended ones."""

    used_bytes: int | None = None
    total_bytes: int | None = None
    users: tuple[str, ...] = ()
    left: tuple[int, ...] = ()


def look(facts: Facts, host: Path) -> dict[int, Taken]:
    """What is taken of each GPU, by its index. Small files of /sys and /proc only."""
    if not facts.gpus:
        return {}
    living, contexts = holders.holders(host), holders.contexts(host)
    return {gpu.index: _taken(gpu, living, contexts, host) for gpu in facts.gpus}


def _taken(
    gpu: Gpu, living: tuple[holders.Holder, ...], contexts: tuple[holders.Context, ...], host: Path
) -> Taken:
    watched = Watched(
        id=gpu.bus or str(gpu.index), label="", bus=gpu.bus, kfd_id=gpu.kfd_id, render=gpu.render
    )
    used, total = (None, None) if gpu.partition else vram.used(watched, host)
    node = f"/dev/dri/{gpu.render}" if gpu.render else None
    users = tuple(
        holder.shown + (f" with {size(held)}" if held else "")
        for holder in living
        if not holder.ours
        and ((held := holder.gpus.get(gpu.kfd_id or -1, 0)) or (node in holder.devices and not holder.gpus))
    )
    dead = tuple(c.pid for c in contexts if c.is_alive is False and c.uses(gpu.kfd_id or -1))
    return Taken(
        used_bytes=gpu.state.vram_used_bytes if used is None else used,
        total_bytes=gpu.vram_bytes if total is None else total,
        users=users,
        left=dead,
    )


def vram_free(machine: Machine, needs: Needs) -> Check:
    """Is the memory free? A context that outlived its process strands it until a reset (sglang PR#30431)."""
    needed = f"at most {size(SLACK_BYTES)} of each GPU's memory in use"
    known = [(gpu, t) for gpu in machine.facts.gpus if (t := machine.taken_of(gpu)).used_bytes is not None]
    if not known:
        why = "the driver does not say how much is in use" if machine.facts.gpus else NO_GPU
        return unknown("vram", why, needed, _ASK if machine.facts.gpus else ELSEWHERE)
    busy = [(gpu, t) for gpu, t in known if (t.used_bytes or 0) > SLACK_BYTES and gpu.integrated is not True]
    if not busy:
        most = max(t.used_bytes or 0 for _, t in known)
        seen, quiet = (
            f"{len(known)} GPU(s), at most {size(most)} in use",
            silent(machine.facts.gpus, [g for g, _ in known]),
        )
        if quiet:
            return unknown("vram", f"{seen}; not told by {quiet}", needed, _ASK)
        return fine("vram", seen, needed)
    seen = some([_told(gpu, taken) for gpu, taken in busy], 3)
    full = [gpu for gpu, t in busy if t.total_bytes and (t.used_bytes or 0) > _MOST * t.total_bytes]
    fatal = bool(full) and needs.must_have_gpu and machine.usable - len(full) < needs.gpus
    return wrong("vram", seen, needed, _free(busy), fatal=fatal)


def _told(gpu: Gpu, taken: Taken) -> str:
    of = f" of {size(taken.total_bytes)}" if taken.total_bytes else ""
    who = f"by {', '.join(taken.users[:3])}" if taken.users else "by no process that we can see"
    if taken.left and not taken.users:
        who = f"left by ended process {', '.join(map(str, taken.left[:4]))}"
    return f"{label(gpu)}: {size(taken.used_bytes or 0)}{of} in use {who}"


def _free(busy: list[tuple[Gpu, Taken]]) -> str:
    first, taken = busy[0]
    if taken.users:
        return f"wait for it, or end it if it is yours: {taken.users[0]}"
    if taken.left:
        # By address: each tool counts the GPUs in an order of its own.
        reset = f"`amd-smi reset --gpureset --gpu {first.bus}`, or " if first.bus else ""
        return f"nobody gives it back: on the host {reset}a restart"
    return "on the host (a container sees only its own): `sudo fuser -v /dev/kfd /dev/dri/renderD*`"
