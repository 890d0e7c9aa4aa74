"""Checks of disk space and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine, Needs

GB = 1_000_000_000
DISK_NEEDED = 2 * GB
DISK_ADVISED = 5 * GB
MEMORY_NEEDED = 1 * GB
MEMORY_ADVISED = 4 * GB


def disk(machine: Machine, _needs: Needs) -> Check:
    """Is there room for builds, logs and results?"""
    needed = f"{DISK_NEEDED / GB:.0f} GB free, better {DISK_ADVISED / GB:.0f} GB"
    if not machine.free_bytes:
        return Check(id="disk", status=Verdict.SKIPPED, seen="no folder could be asked", needed=needed)
    place, free = min(machine.free_bytes.items(), key=lambda item: item[1])
    seen = f"{free / GB:.1f} GB free for {place}"
    if free >= DISK_ADVISED:
        return Check(id="disk", status=Verdict.PASS, seen=seen, needed=needed)
    return Check(
        id="disk",
        status=Verdict.ERROR if free < DISK_NEEDED else Verdict.NEUTRAL,
        seen=seen,
        needed=needed,
        fix="remove old images, caches and workspaces on the runner (`docker system df` shows the largest)",
    )


def memory(machine: Machine, _needs: Needs) -> Check:
    """Is there memory for at least one compiler?"""
    host = machine.facts.host
    needed = f"{MEMORY_NEEDED / GB:.0f} GB, better {MEMORY_ADVISED / GB:.0f} GB"
    limits = [n for n in (host.memory_bytes, host.memory_limit_bytes) if n]
    if not limits:
        return Check(id="memory", status=Verdict.SKIPPED, seen="memory is not known", needed=needed)
    usable = min(limits)
    limited = host.memory_limit_bytes == usable and usable != host.memory_bytes
    seen = f"{usable / GB:.1f} GB" + (" by the limit of the control group" if limited else "")
    if usable >= MEMORY_ADVISED:
        return Check(id="memory", status=Verdict.PASS, seen=seen, needed=needed)
    return Check(
        id="memory",
        status=Verdict.ERROR if usable < MEMORY_NEEDED else Verdict.NEUTRAL,
        seen=seen,
        needed=needed,
        fix="raise the container's memory limit, or set `jobs: 1` in the configuration",
    )
