"""What the kernel lets this process do: its groups, its capabilities, its limits, its shared memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import GB, advice, binary, fine, size, unknown, wrong
from rocm_ci.gpu.quantity import size_bytes

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.model.result import Check

# Bits of CapEff, linux/capability.h.
_IPC_LOCK, _SYS_ADMIN, _PERFMON = 14, 21, 38
UNLIMITED = -1
# nccl#342, vllm#1710; vLLM's and aiter's own CI start their containers with 16 GB.
SHM_SEVERAL = 16 * GB
SHM_ONE = 1 * GB
# Docker's default, with which collectives end in a bus error.
_SHM_DOCKER = 64 << 20
_SHM = "/dev/shm"  # noqa: S108 - the mount itself is what is looked at
MEMLOCK = 1 * GB
FILES_SEVERAL, FILES_ONE = 65_536, 4_096


@dataclass(frozen=True, kw_only=True)
class Process:
    """Ids, effective capabilities (None: not known), soft and hard limits (-1: none), /dev/shm in bytes."""

    uid: int | None = None
    gids: frozenset[int] = frozenset()
    capabilities: int | None = None
    memlock: tuple[int, int] | None = None
    files: tuple[int, int] | None = None
    shm_bytes: int | None = None
    shm_mounted: bool | None = None

    def _has(self, *bits: int) -> bool:
        return self.capabilities is not None and any(self.capabilities >> bit & 1 for bit in bits)

    @property
    def may_profile(self) -> bool:
        """Whether performance counters are open to us whatever perf_event_paranoid says."""
        return self._has(_PERFMON, _SYS_ADMIN)

    @property
    def may_lock(self) -> bool:
        """Whether the limit on locked memory does not bind us."""
        return self._has(_IPC_LOCK)


def look(reader: Reader) -> Process:
    """See `Process`; all of it stands in /proc."""
    status = reader.text("/proc/self/status") or ""
    limits = reader.text("/proc/self/limits") or ""
    groups = re.search(r"(?m)^Groups:[ \t]*([\d \t]*)$", status)
    uid, gid = (re.search(rf"(?m)^{name}:\s+\d+\s+(\d{{1,10}})", status) for name in ("Uid", "Gid"))
    held = re.search(r"(?m)^CapEff:\s+([0-9a-f]{1,16})$", status)
    gids = {int(n) for n in (groups.group(1) if groups else "").split()[:1024]}
    mounted, shm = _shm(reader)
    return Process(
        uid=int(uid.group(1)) if uid else None,
        gids=frozenset(gids | ({int(gid.group(1))} if gid else set())),
        capabilities=int(held.group(1), 16) if held else None,
        memlock=_limit(limits, "Max locked memory"),
        files=_limit(limits, "Max open files"),
        shm_bytes=shm,
        shm_mounted=mounted,
    )


def _limit(text: str, name: str) -> tuple[int, int] | None:
    found = re.search(rf"(?m)^{name}\s+(\d{{1,20}}|unlimited)\s+(\d{{1,20}}|unlimited)", text)
    if found is None:
        return None
    soft, hard = (UNLIMITED if part == "unlimited" else int(part) for part in found.groups())
    return soft, hard


def _shm(reader: Reader) -> tuple[bool | None, int | None]:
    """Whether /dev/shm is mounted, and its size: of a tmpfs without one it is half of the memory."""
    mounts = reader.text("/proc/self/mounts")
    if mounts is None:
        return None, None
    found = re.findall(r"(?m)^\S+ /dev/shm (\S+) (\S+)", mounts)
    if not found:
        return False, None
    options = dict(part.partition("=")[::2] for part in found[-1][1].split(","))
    said = re.fullmatch(r"(\d{1,18})([kmg]?)", options.get("size", ""))
    if said:
        return True, size_bytes(said.group(1), said.group(2) or "b")
    memory = re.search(r"(?m)^MemTotal:\s*(\d{1,15}) kB", reader.text("/proc/meminfo") or "")
    is_default = found[-1][0] == "tmpfs" and "size" not in options and memory is not None
    return True, int(memory.group(1)) * 512 if memory and is_default else None


def _several(machine: Machine, needs: Needs) -> bool:
    return max(len(machine.facts.gpus), needs.gpus) > 1


def shm(machine: Machine, needs: Needs) -> Check:
    """Is there shared memory for RCCL and for data loaders? Docker gives 64 MB."""
    several = _several(machine, needs)
    least = SHM_SEVERAL if several else SHM_ONE
    needed = f"{size(least)} in /dev/shm" + (", as RCCL talks between GPUs through it" if several else "")
    found = machine.process
    fix = f"start the container with --shm-size={least // GB}g, or with --ipc=host"
    if found.shm_mounted is None or (found.shm_mounted and found.shm_bytes is None):
        return unknown(
            "shm", "the size of /dev/shm is not told in /proc/self/mounts", needed, "run `df -h /dev/shm`"
        )
    if not found.shm_mounted or found.shm_bytes is None:
        fatal = needs.gpus > 1 and needs.require_gpu
        return wrong("shm", f"{_SHM} is no file system of its own", needed, fix, fatal=fatal)
    seen = binary(found.shm_bytes)
    if found.shm_bytes >= least:
        return fine("shm", seen, needed)
    fatal = found.shm_bytes <= _SHM_DOCKER and needs.gpus > 1 and needs.require_gpu
    if machine.facts.host.container is None:
        fix = f"`mount -o remount,size={least // GB}G /dev/shm` as root"
    return wrong("shm", seen, needed, fix, fatal=fatal)


def memlock(machine: Machine, needs: Needs) -> Check:
    """May memory be pinned? RDMA and pinned buffers need it; it is `unlimited` in ROCm's own CI."""
    needed = "no limit on locked memory, or CAP_IPC_LOCK"
    limit = machine.process.memlock
    if limit is None:
        return unknown("memlock", "/proc/self/limits cannot be read", needed, "mount /proc")
    seen = "unlimited" if limit[0] == UNLIMITED else binary(limit[0])
    if limit[0] == UNLIMITED or limit[0] >= MEMLOCK:
        return fine("memlock", seen, needed)
    if machine.process.may_lock:
        return fine("memlock", f"{seen}, which does not bind this process: it has CAP_IPC_LOCK", needed)
    if not machine.facts.gpus and not needs.gpus:
        return fine("memlock", f"{seen}; it matters with GPUs, and there is none", needed)
    fix = "`* - memlock unlimited` in /etc/security/limits.conf, then log in again"
    if machine.facts.host.container:
        fix = "start the container with --ulimit memlock=-1"
    return advice("memlock", seen, needed, fix)


def nofile(machine: Machine, needs: Needs) -> Check:
    """May enough files be open? Each GPU, peer connection and data loader takes some."""
    least = FILES_SEVERAL if _several(machine, needs) else FILES_ONE
    needed = f"{least:,} open files"
    limit = machine.process.files
    if limit is None:
        return unknown("nofile", "/proc/self/limits cannot be read", needed, "mount /proc")
    seen = "unlimited" if limit[0] == UNLIMITED else f"{limit[0]:,}"
    if limit[0] == UNLIMITED or limit[0] >= least:
        return fine("nofile", seen, needed)
    inside = limit[1] == UNLIMITED or limit[1] >= least
    fix = (
        f"`ulimit -n {least}` before the runner starts"
        if inside
        else "start the container with --ulimit nofile=1048576"
    )
    return advice("nofile", seen, needed, fix)
