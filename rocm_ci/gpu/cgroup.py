"""How many CPUs and how much memory our control group leaves us: version 1, version 2, nested."""

from __future__ import annotations

import math
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.gpu.quantity import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.gpu.reader import Reader

# Version 1 writes a number near 2^63 for «no limit».
_NO_LIMIT = 1 << 60


def cpus(reader: Reader) -> int | None:
    """CPUs by affinity and quota, the smallest of all levels; None when nothing limits us.

    `nproc` counts the host's CPUs inside a nested container, so it is not asked.
    """
    limits = [*_quotas(reader), *_cpusets(reader)]
    status = reader.text("/proc/self/status") or ""
    allowed = re.search(r"^Cpus_allowed_list:\s*([\d,-]+)", status, re.MULTILINE)
    if allowed:
        limits.append(_count(allowed.group(1)))
    limits.append(_requested(reader.environment.get("KUBE_CPU_REQUEST", "")))
    return min((n for n in limits if n > 0), default=None)


def memory_bytes(reader: Reader) -> int | None:
    """The smallest memory limit of all levels; None when there is none."""
    found = []
    for base, name in (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")):
        for folder in _levels(reader, base):
            limit = whole((reader.text(f"{folder}/{name}") or "").strip())
            if limit is not None and 0 < limit < _NO_LIMIT:
                found.append(limit)
    return min(found, default=None)


def _requested(text: str) -> int:
    """CPUs of a Kubernetes quantity: `16`, `0.5` or `1500m`, rounded up; 0 when there is none."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(m?)", text.strip())
    return math.ceil(float(found[1]) / (1000 if found[2] else 1)) if found else 0


def _quotas(reader: Reader) -> Iterator[int]:
    for folder in _levels(reader, "/sys/fs/cgroup"):
        quota, _, period = (reader.text(f"{folder}/cpu.max") or "").strip().partition(" ")
        if quota.isdecimal() and period.isdecimal() and int(period[:12]) > 0:
            yield max(1, math.ceil(int(quota[:18]) / int(period[:12])))
    for base in ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"):
        for folder in _levels(reader, base):
            amount = whole((reader.text(f"{folder}/cpu.cfs_quota_us") or "").strip())
            length = whole((reader.text(f"{folder}/cpu.cfs_period_us") or "").strip())
            if amount and length and amount > 0 and length > 0:
                yield max(1, math.ceil(amount / length))


def _cpusets(reader: Reader) -> Iterator[int]:
    for base, name in (
        ("/sys/fs/cgroup", "cpuset.cpus.effective"),
        ("/sys/fs/cgroup/cpuset", "cpuset.effective_cpus"),
        ("/sys/fs/cgroup/cpuset", "cpuset.cpus"),
    ):
        for folder in _levels(reader, base):
            listed = (reader.text(f"{folder}/{name}") or "").strip()
            if re.fullmatch(r"[\d,-]+", listed):
                yield _count(listed)


def _levels(reader: Reader, base: str) -> Iterator[str]:
    """The mount itself and every level down to our own group, as /proc/self/cgroup names it."""
    yield base
    wanted = base.removeprefix("/sys/fs/cgroup").strip("/")
    for line in (reader.text("/proc/self/cgroup") or "").splitlines()[:64]:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        # `cpu` may be a link to `cpu,cpuacct`, or mounted alone.
        shared = bool(set(controllers.split(",")) & set(wanted.split(",")))
        mine = (number == "0" and not controllers) if not wanted else shared
        if mine and path.startswith("/") and ".." not in path:
            folder = PurePosixPath(base)
            for part in PurePosixPath(path).parts[1:32]:
                folder /= part
                yield str(folder)


def _count(ranges: str) -> int:
    """`0-3,8` → 5; 0 when it cannot be read."""
    total = 0
    for part in ranges.split(",")[:4096]:
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            total += max(0, int((last or first)[:6]) - int(first[:6]) + 1)
    return total
