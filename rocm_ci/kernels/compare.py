"""Kernels of the merge base against kernels of the head. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.kernel import Kernel, KernelChange

if TYPE_CHECKING:
    from collections.abc import Iterable

# Spilled registers go through memory, scratch is memory, and fewer waves hide less of its latency:
# these cost time. More registers at the same occupancy do not.
_WORSE_WHEN_HIGHER = ("vgpr_spills", "sgpr_spills", "scratch_bytes")
_WORSE_WHEN_LOWER = ("occupancy",)
_TOLD = ("vgpr", "agpr", "sgpr", "lds_bytes")
METRICS = (*_WORSE_WHEN_HIGHER, *_WORSE_WHEN_LOWER, *_TOLD)


def changes(base: Iterable[Kernel], head: Iterable[Kernel]) -> tuple[KernelChange, ...]:
    """Every number that differs for a kernel on both sides, regressions first.

    Kernels are matched by artifact, name and arch; a kernel that moved to another artifact by name and
    arch. Where one name stands for several kernels the highest use of each resource counts.
    """
    before = _worst(base, by_artifact=True)
    moved = _worst(base, by_artifact=False)
    found: list[KernelChange] = []
    told: set[tuple[str, str, str, int | None, int | None]] = set()
    for key, now in _worst(head, by_artifact=True).items():
        old = before.get(key) or moved.get(("", *key[1:]))
        if old is None:
            continue
        for metric in METRICS:
            was, value = old[metric], now[metric]
            # The same kernel stands in the object and in the library made of it: say it once.
            line = (key[1], key[2], metric, was, value)
            if was is None or value is None or was == value or line in told:
                continue
            told.add(line)
            found.append(
                KernelChange(
                    name=key[1],
                    arch=key[2],
                    metric=metric,
                    base=was,
                    head=value,
                    is_regression=(metric in _WORSE_WHEN_HIGHER and value > was)
                    or (metric in _WORSE_WHEN_LOWER and value < was),
                )
            )
    return tuple(sorted(found, key=_order))


def _order(change: KernelChange) -> tuple[bool, int, str, str]:
    return not change.is_regression, METRICS.index(change.metric), change.name, change.arch


def _worst(
    kernels: Iterable[Kernel], *, by_artifact: bool
) -> dict[tuple[str, str, str], dict[str, int | None]]:
    found: dict[tuple[str, str, str], dict[str, int | None]] = {}
    for kernel in kernels:
        key = (kernel.artifact if by_artifact else "", kernel.name, kernel.arch)
        values: dict[str, int | None] = {metric: getattr(kernel, metric) for metric in METRICS}
        old = found.get(key)
        found[key] = values if old is None else {m: _worse(m, old[m], values[m]) for m in METRICS}
    return found


def _worse(metric: str, one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return None
    return min(one, other) if metric in _WORSE_WHEN_LOWER else max(one, other)


def is_new_spill(change: KernelChange) -> bool:
    """Whether a kernel began to spill that did not before."""
    return change.metric in ("vgpr_spills", "sgpr_spills") and change.base == 0 and change.head > 0
