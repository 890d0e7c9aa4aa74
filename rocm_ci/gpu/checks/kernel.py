"""The kernel and its driver: new enough, amdgpu there (a module or built in), kfd there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import ELSEWHERE, advice, fine, unknown, wrong

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.model.result import Check

# ROCm 6.0's oldest plain kernel (support matrix: Ubuntu 20.04.5+ with 5.15), which partition modes need too.
_OLDEST = (5, 15)
# Enterprise kernels keep their number and take the driver's needs from later ones (RHEL 8 and 9, SLES 15).
_BACKPORTED = re.compile(r"\.el[89]|-150[4-9]\d\d|\.150[4-9]\d\d|-default$|\.el[89]uek|uek\.x86_64")
_OLDEST_BACKPORTED = (4, 18)
_OFF = ("nomodeset", "amdgpu.modeset=0")
_FORBIDDEN = re.compile(r"(?:modprobe\.blacklist|module_blacklist|initcall_blacklist)=\S*amdgpu\S*")


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """What the kernel was told, whether it takes modules, and whether it shows KFD's topology."""

    command_line: str | None = None
    takes_modules: bool | None = None
    kfd: bool | None = None
    profiling: int | None = None


def look(reader: Reader) -> Kernel:
    """See `Kernel`; starts nothing."""
    # Of a recorded machine often only a part of /sys was kept.
    there = bool(reader.names("/sys/class"))
    level = (reader.text("/proc/sys/kernel/perf_event_paranoid") or "").strip()
    return Kernel(
        command_line=reader.text("/proc/cmdline"),
        takes_modules=reader.text("/proc/modules") is not None if reader.names("/proc") else None,
        kfd=bool(reader.names("/sys/class/kfd/kfd")) if there else None,
        profiling=int(level) if re.fullmatch(r"-?\d{1,3}", level) else None,
    )


def kernel(machine: Machine, needs: Needs) -> Check:
    """Is the kernel one that the driver runs on?"""
    release = machine.facts.host.kernel
    needed = f"Linux {_OLDEST[0]}.{_OLDEST[1]}, or an enterprise kernel with its driver package"
    found = re.match(r"(\d{1,3})\.(\d{1,4})", release or "")
    if release is None or found is None:
        return unknown(
            "kernel",
            "neither /proc nor a tool tells the kernel's release",
            needed,
            "mount /proc, or run on Linux",
        )
    number = (int(found.group(1)), int(found.group(2)))
    seen = f"Linux {release}"
    if number >= _OLDEST:
        return fine("kernel", seen, needed)
    if number >= _OLDEST_BACKPORTED and _BACKPORTED.search(release):
        return fine("kernel", f"{seen}, an enterprise kernel", needed)
    fix = (
        "upgrade the host's kernel (a container cannot change it): ROCm's install guide lists one per system"
    )
    return wrong("kernel", seen, needed, fix, fatal=needs.must_have_gpu)


def driver(machine: Machine, needs: Needs) -> Check:
    """Is amdgpu there? Built in, it has neither `initstate` nor `version`, and tools call it missing."""
    found, needed = machine.facts.driver, "amdgpu loaded, or built into the kernel"
    if found.loaded is None:
        return unknown(
            "driver", "there is no /sys/module to look into", needed, "mount /sys into the container"
        )
    if found.loaded:
        how = {True: "built into the kernel", False: "a module", None: "loaded"}[found.built_in]
        version = f"amdgpu {found.version}" if found.version else "amdgpu, which has no version of its own"
        return fine("driver", f"{version}: {how}", needed)
    on_bus = machine.bus.cards
    where = f"{len(on_bus)} AMD GPU(s) on the PCI bus" if on_bus else "no AMD GPU is on the PCI bus either"
    seen = f"amdgpu is not loaded; {where}"
    if not on_bus and not needs.gpus:
        return unknown("driver", seen, needed)
    return wrong("driver", seen, needed, _load(machine), fatal=needs.must_have_gpu)


def _load(machine: Machine) -> str:
    """The one next step towards a loaded driver."""
    told = machine.kernel.command_line or ""
    forbidden = _FORBIDDEN.search(told) or next((word for word in _OFF if word in told.split()), None)
    if not machine.bus.cards:
        return ELSEWHERE
    if forbidden:
        word = forbidden if isinstance(forbidden, str) else forbidden.group()
        return f"remove `{word[:80]}` from the kernel's command line on the host, and restart it"
    if machine.kernel.takes_modules is False:
        return "this kernel takes no modules: start the host with one that has amdgpu (CONFIG_DRM_AMDGPU)"
    taken = sorted({card.driver for card in machine.bus.cards if card.driver and card.driver != "amdgpu"})
    if taken:
        return (
            f"the card belongs to {', '.join(taken)}: unbind it on the host, or use it where it was passed to"
        )
    return "on the host: `modprobe amdgpu`, then `dmesg | grep amdgpu` says why where it fails"


def kfd(machine: Machine, needs: Needs) -> Check:
    """Does the kernel offer compute (KFD), and not only graphics?"""
    needed = "/sys/class/kfd with a topology"
    if machine.kernel.kfd is None:
        return unknown("kfd", "there is no /sys to look into", needed, "mount /sys into the container")
    if machine.kernel.kfd:
        return fine("kfd", "the kernel shows KFD's topology", needed)
    if not machine.facts.driver.loaded:
        return unknown("kfd", "no /sys/class/kfd, as amdgpu is not loaded", needed)
    fix = "start the host with a kernel that has CONFIG_HSA_AMD: this one drives displays only"
    return wrong(
        "kfd", "amdgpu is loaded, but there is no /sys/class/kfd", needed, fix, fatal=needs.must_have_gpu
    )


def profilers(machine: Machine, _needs: Needs) -> Check:
    """May rocprof read counters? Above 2 only with CAP_PERFMON (likwid PR#716, omnistat PR#313)."""
    level, needed = machine.kernel.profiling, "kernel.perf_event_paranoid of at most 2, for profilers"
    if level is None:
        return unknown(
            "profilers", "/proc/sys/kernel/perf_event_paranoid cannot be read", needed, "mount /proc/sys"
        )
    seen = f"perf_event_paranoid is {level}"
    if level <= 2:
        return fine("profilers", seen, needed)
    if machine.process.may_profile:
        return fine("profilers", f"{seen}, and this process has CAP_PERFMON", needed)
    fix = "on the host: `sysctl kernel.perf_event_paranoid=2`, or start the container with --cap-add=PERFMON"
    return advice("profilers", seen, needed, fix)
