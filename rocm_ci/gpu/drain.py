"""Whether a step gave its GPUs back: contexts of ended processes, and memory that stays taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu import holders, vram
from rocm_ci.gpu.watched import SLACK_BYTES
from rocm_ci.model.incident import Incident, IncidentKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from rocm_ci.context import Clock
    from rocm_ci.gpu.holders import Context, Holder
    from rocm_ci.gpu.vram import State
    from rocm_ci.gpu.watched import Watched

_POLL_S = 1.0
_MAX_NAMED = 4


@dataclass(frozen=True, kw_only=True)
class Left:
    """What is still taken of one device: contexts that are new, and bytes more than before."""

    device: Watched
    contexts: tuple[Context, ...] = ()
    more_bytes: int = 0
    used_bytes: int = 0
    total_bytes: int | None = None

    def __bool__(self) -> bool:
        return bool(self.contexts) or self.more_bytes > SLACK_BYTES


def left(
    devices: Sequence[Watched], before: Mapping[str, State], known: Collection[int], host: Path
) -> list[Left]:
    """What is left of a step at this moment. `known` are the processes that had a context before it."""
    found = []
    all_contexts = holders.contexts(host)
    for device in devices:
        mine = tuple(
            c for c in all_contexts if c.pid not in known and device.kfd_id and c.uses(device.kfd_id)
        )
        in_use, total = vram.used(device, host)
        then = before[device.id].used_bytes
        # The card's file counts for all partitions, and the others may be somebody else's.
        is_told = in_use is not None and then is not None and not device.is_partition
        more = in_use - then if is_told and in_use is not None and then is not None else 0
        one = Left(device=device, contexts=mine, more_bytes=more, used_bytes=in_use or 0, total_bytes=total)
        if one:
            found.append(one)
    return found


def drained(
    devices: Sequence[Watched],
    before: Mapping[str, State],
    known: Collection[int],
    host: Path,
    *,
    clock: Clock,
    within_s: float,
) -> tuple[list[Incident], list[Left]]:
    """Wait until all is given back, at most `within_s`; what was late is a note, what stays an incident.

    Returns at once when nothing is left. A process that is not ours is named, and never ended.
    """
    rest = first = left(devices, before, known, host)
    began, took = clock.monotonic(), 0.0
    while rest and took < within_s:
        clock.sleep(min(_POLL_S, max(within_s - took, 0.05)))
        took = clock.monotonic() - began
        rest = left(devices, before, known, host)
    living = holders.holders(host) if rest else ()
    still = {one.device.id for one in rest}
    notes = [_late(one, took) for one in first if one.device.id not in still]
    return [*notes, *(incident for one in rest for incident in _incidents(one, living, took))], rest


def size(number: float) -> str:
    """Bytes for people: `46.0 GiB`, `512 MiB`."""
    gib = number / 2**30
    return f"{gib:.1f} GiB" if gib >= 1 else f"{number / 2**20:.0f} MiB"


def _late(one: Left, took_s: float) -> Incident:
    what = f"{size(one.more_bytes)} of memory" if one.more_bytes > SLACK_BYTES else "a context of the driver"
    text = f"{one.device.label}: {what} came back only {took_s:.0f} s after the step had ended"
    return Incident(kind=IncidentKind.VRAM_LEFT, text=text, source="/sys", gpu=one.device.label, is_note=True)


def _incidents(one: Left, living: Sequence[Holder], waited_s: float) -> list[Incident]:
    found = []
    gpu = one.device.kfd_id or -1
    here = [h for h in living if h.gpus.get(gpu, 0) or (not h.gpus and _has_node(h, one.device))]
    alive = {h.pid for h in here}
    dead = [c for c in one.contexts if c.is_alive is not True and c.pid not in alive]
    who = _named([h.shown for h in here])
    if dead:
        held = sum(c.vram_bytes.get(gpu, 0) for c in dead)
        pids = _named([str(c.pid) for c in dead])
        ended = "ended " if all(c.is_alive is False for c in dead) else ""
        text = (
            f"{one.device.label}: the driver still keeps the context of {ended}process {pids}"
            f" with {size(held)} of memory, {waited_s:.0f} s after the step"
        )
        found.append(_incident(IncidentKind.CONTEXT_LEFT, text, one, "/sys/class/kfd/kfd/proc", is_gpu=True))
    if one.more_bytes > SLACK_BYTES or (one.contexts and not dead):
        of = f" of {size(one.total_bytes)}" if one.total_bytes else ""
        more = max(one.more_bytes, sum(c.vram_bytes.get(gpu, 0) for c in one.contexts))
        text = (
            f"{one.device.label}: {size(more)} more memory than before the step is taken"
            f" {waited_s:.0f} s after it ended" + (f" ({size(one.used_bytes)}{of} in all)" if of else "")
        )
        text += f"; held by {who}" if here else "; no living process that we can see holds it"
        # What a living program holds, be it a test's daemon, is no fault of the device; nor ours to end.
        found.append(_incident(IncidentKind.VRAM_LEFT, text, one, "/sys", is_gpu=not here))
    return found


def _incident(kind: IncidentKind, text: str, one: Left, source: str, *, is_gpu: bool) -> Incident:
    return Incident(kind=kind, text=text, source=source, gpu=one.device.label, is_gpu=is_gpu)


def _has_node(holder: Holder, device: Watched) -> bool:
    return bool(device.render) and f"/dev/dri/{device.render}" in holder.devices


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more
