"""How a check ends: fine, advice, wrong, or not known; and the words that several checks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.facts import Gpu

GB = 1_000_000_000
NO_GPU = "there is no GPU to look at"
ELSEWHERE = "run it on a machine with an AMD GPU and its amdgpu driver loaded"
UNUSED = "nothing, unless the project uses it"


def fine(name: str, seen: str, needed: str) -> Check:
    """As it should be."""
    return Check(id=name, status=Verdict.PASS, seen=seen, needed=needed)


def advice(name: str, seen: str, needed: str, fix: str) -> Check:
    """Could be better, and stops nothing that is asked for."""
    return Check(id=name, status=Verdict.NEUTRAL, seen=seen, needed=needed, fix=fix)


def wrong(name: str, seen: str, needed: str, fix: str, *, fatal: bool = True) -> Check:
    """What makes the machine unusable for what is asked; advice where it is not `fatal`."""
    status = Verdict.ERROR if fatal else Verdict.NEUTRAL
    return Check(id=name, status=status, seen=seen, needed=needed, fix=fix)


def unknown(name: str, why: str, needed: str, fix: str = ELSEWHERE) -> Check:
    """Could not be looked at, or does not apply here; `fix` says how to find out. Never green."""
    return Check(id=name, status=Verdict.SKIPPED, seen=why, needed=needed, fix=fix)


def unused(name: str, why: str, needed: str) -> Check:
    """Not there, which many a project does not mind."""
    return unknown(name, why, needed, UNUSED)


def is_unknown(check: Check) -> bool:
    """Whether it applies here, and could not be looked at."""
    return check.status is Verdict.SKIPPED and check.fix not in (ELSEWHERE, UNUSED)


def silent(gpus: Sequence[Gpu], told: Sequence[Gpu]) -> str:
    """Which GPUs tell nothing, as words; empty when each card does. Partitions share their card's values."""
    cards = {_card(gpu) for gpu in told}
    missing = [gpu for gpu in gpus if _card(gpu) not in cards and gpu.integrated is not True]
    return some([label(gpu) for gpu in missing], 3)


def _card(gpu: Gpu) -> str:
    if gpu.bus is None or gpu.virtual_function:
        return str(gpu.index)
    return gpu.bus.rsplit(".", 1)[0]


def label(gpu: Gpu) -> str:
    """`GPU 3 (AMD Instinct MI300X, 0000:c1:00.0)`: enough to find it, and no identity of its own."""
    inside = ", ".join(part for part in (gpu.name, gpu.bus) if part)
    return f"GPU {gpu.index} ({inside})" if inside else f"GPU {gpu.index}"


def some(texts: Sequence[str], most: int = 4) -> str:
    """The first few, and how many more there are."""
    return "; ".join(texts[:most]) + (f" … and {len(texts) - most} more" if len(texts) > most else "")


def size(count: int) -> str:
    """Bytes for people."""
    if count < GB // 10:
        return f"{count / 1e6:.0f} MB"
    if count >= 100 * GB:
        return f"{count / GB:,.0f} GB"
    return f"{count / GB:.1f}".removesuffix(".0") + " GB"


def binary(count: int) -> str:
    """Bytes as limits and mounts are set: Docker's 64 MiB of shared memory are no 67 MB."""
    power, name = next(((p, n) for p, n in ((30, "GiB"), (20, "MiB")) if count >= 1 << p), (10, "KiB"))
    return f"{count / (1 << power):.1f}".removesuffix(".0") + f" {name}"
