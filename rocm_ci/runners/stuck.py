"""Processes of a run that no signal ends: they wait in the kernel, mostly for a GPU that never answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.log import printable
from rocm_ci.model.incident import Incident, IncidentKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.context import Lease

# Not the host of a pretended machine: these are our own children.
PROC = Path("/proc")
MAX_TOLD = 5
# `pid (name) state …`; a name may hold anything, also brackets.
_STAT = re.compile(r"\d+ \((?P<name>.*)\) (?P<state>\S)", re.DOTALL)


def incidents(pids: Iterable[int], lease: Lease) -> tuple[Incident, ...]:
    """One for each that is in state D, which no program brings about by itself. Others are only counted."""
    label = lease.labels[0] if len(lease.labels) == 1 else None
    found = [(pid, *what) for pid in pids if (what := _waiting(pid))]
    return tuple(
        Incident(
            kind=IncidentKind.STUCK_PROCESS,
            text=f"process {pid} ({name}) waits in the kernel{where}, and no signal ends it",
            source=f"/proc/{pid}",
            gpu=label,
        )
        for pid, name, where in found[:MAX_TOLD]
    )


def _waiting(pid: int) -> tuple[str, str] | None:
    """Its name, and in which function where that is told; None when it does not wait, or is gone."""
    stat = _STAT.match(_read(pid, "stat"))
    if stat is None or stat["state"] != "D":
        return None
    name = printable(stat["name"]).replace("\n", " ")[:40]
    where = _read(pid, "wchan")  # a function of the kernel, for whoever may know it
    return name, f" in {where}" if re.fullmatch(r"[A-Za-z_]\w{0,80}", where) else ""


def _read(pid: int, name: str) -> str:
    try:
        return (PROC / str(pid) / name).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
