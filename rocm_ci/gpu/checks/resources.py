"""Disk space, memory and processors."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import GB, advice, fine, size, some, unknown, wrong

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.model.result import Check

DISK_NEEDED = 2 * GB
DISK_ADVISED = 5 * GB
FILES_ADVISED = 10_000
MEMORY_NEEDED = 1 * GB
MEMORY_ADVISED = 4 * GB


@dataclass(frozen=True, kw_only=True)
class Folder:
    """A folder of ours: free bytes and free files of its file system, and whether we may write there."""

    name: str
    free_bytes: int | None = None
    free_files: int | None = None
    writable: bool = True
    file_system: int | None = None


def folders(named: Mapping[str, Path]) -> tuple[Folder, ...]:
    """Look at each folder, or at the nearest one above that exists; named as the reader sees them."""
    return tuple(_folder(name, path) for name, path in named.items())


def _folder(name: str, path: Path) -> Folder:
    try:
        there = next(place for place in (path, *path.parents) if place.exists())
        about = os.statvfs(there)
        return Folder(
            name=name,
            free_bytes=shutil.disk_usage(there).free,
            # Some file systems count no files at all and say 0 of 0.
            free_files=about.f_favail if about.f_files else None,
            writable=os.access(there, os.W_OK),
            file_system=there.stat().st_dev,
        )
    except (OSError, StopIteration):
        return Folder(name=name)


def memory_available(reader: Reader) -> int | None:
    """Bytes that a new program could have now."""
    found = re.search(r"(?m)^MemAvailable:\s*(\d{1,15}) kB", reader.text("/proc/meminfo") or "")
    return int(found.group(1)) * 1024 if found else None


def disk(machine: Machine, _needs: Needs) -> Check:
    """Is there room for builds, logs and results, in every folder that we write to?"""
    needed = f"{size(DISK_NEEDED)} free, better {size(DISK_ADVISED)}"
    known = [folder for folder in machine.folders if folder.free_bytes is not None]
    if not known:
        return unknown("disk", "no folder could be asked", needed, "run `df -h` in the runner's work folder")
    locked = [folder.name for folder in known if not folder.writable]
    if locked:
        fix = "give the runner's user a folder that it may write to (is the file system mounted read-only?)"
        return wrong("disk", f"cannot write to {', '.join(locked)}", needed, fix)
    scarce = [f for f in known if f.free_files is not None and f.free_files < FILES_ADVISED]
    low = [f for f in known if (f.free_bytes or 0) < DISK_ADVISED]
    if scarce and not low:
        seen = some([f"{f.free_files:,} more files for {f.name}" for f in scarce])
        return advice("disk", seen, needed, "remove folders of many small files (`df -i` shows the inodes)")
    seen = some([f"{size(free)} free for {names}" for free, names in _by_file_system(low or known)])
    if not low:
        return fine("disk", seen, needed)
    fatal = any((f.free_bytes or 0) < DISK_NEEDED for f in low)
    fix = "remove old images, caches and workspaces on the runner (`docker system df` shows the largest)"
    return wrong("disk", seen, needed, fix, fatal=fatal)


def _by_file_system(known: list[Folder]) -> list[tuple[int, str]]:
    """(free bytes, names of the folders on it), the fullest first."""
    groups: dict[object, list[Folder]] = {}
    for folder in known:
        groups.setdefault(folder.file_system if folder.file_system is not None else folder.name, []).append(
            folder
        )
    sums = [
        (min(f.free_bytes or 0 for f in group), ", ".join(f.name for f in group)) for group in groups.values()
    ]
    return sorted(sums)


def memory(machine: Machine, _needs: Needs) -> Check:
    """Is there memory for at least one compiler, and is it not all taken?"""
    host = machine.facts.host
    needed = f"{size(MEMORY_NEEDED)}, better {size(MEMORY_ADVISED)}"
    limits = [n for n in (host.memory_bytes, host.memory_limit_bytes) if n]
    if not limits:
        return unknown("memory", "memory is not known", needed, "mount /proc")
    usable = min(limits)
    limited = host.memory_limit_bytes == usable and usable != host.memory_bytes
    seen = size(usable) + (" by the limit of the control group" if limited else "")
    if usable < MEMORY_ADVISED:
        fix = "raise the container's memory limit (--memory), or set `jobs: 1` in the configuration"
        return wrong("memory", seen, needed, fix, fatal=usable < MEMORY_NEEDED)
    free = machine.memory_available
    if free is None:
        return fine("memory", seen, needed)
    seen += f", {size(free)} of the host's available now"
    if free >= MEMORY_NEEDED:
        return fine("memory", seen, needed)
    return advice("memory", seen, needed, "see who takes it: `ps aux --sort=-rss | head`")


def cpus(machine: Machine, needs: Needs) -> Check:
    """How many processors may be used? Nested containers' `nproc` tells the host's (pytorch PR #194921)."""
    host, needed = machine.facts.host, "2 processors where something is built"
    if host.cpus is None:
        return unknown(
            "cpus", "neither /proc nor the control group tells", needed, "mount /proc and /sys/fs/cgroup"
        )
    total = host.cpus_total
    limited = total is not None and total > host.cpus
    seen = f"{host.cpus} of {total}, by the container's quota or affinity" if limited else f"{host.cpus}"
    if host.cpus >= 2 or not needs.builds:
        return fine("cpus", seen, needed)
    return advice("cpus", seen, needed, "raise the container's --cpus, or the pod's CPU request and limit")
