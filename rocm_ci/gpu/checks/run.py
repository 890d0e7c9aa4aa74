"""All checks in the order they are shown, in groups, and their verdict."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, TypeAlias

from rocm_ci.gpu.checks import (
    bus,
    compatibility,
    devices,
    history,
    kernel,
    nodes,
    occupancy,
    process,
    quarantine,
    resources,
    sensors,
    smoke,
    software,
    variables,
    versions,
)
from rocm_ci.gpu.checks.outcome import unknown
from rocm_ci.model.verdict import Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.model.result import Check

Checking: TypeAlias = "Callable[[Machine, Needs], Check]"

# Title of the group → its checks by id. What a later one builds on comes first.
GROUPS: Mapping[str, Mapping[str, Checking]] = {
    "host": {
        "kernel": kernel.kernel,
        "iommu": bus.iommu,
        "pcie-atomics": bus.pcie_atomics,
        "cpus": resources.cpus,
        "memory": resources.memory,
        "disk": resources.disk,
    },
    "driver": {
        "driver": kernel.driver,
        "kfd": kernel.kfd,
        "device-nodes": nodes.device_nodes,
        "device-access": nodes.device_access,
        "kernel-log": history.kernel_messages,
    },
    "devices": {
        "gpus": devices.gpus,
        "dead-devices": bus.dead_devices,
        "sources-agree": devices.sources_agree,
        "arch": devices.arch,
        "partitions": devices.partitions,
        "firmware": versions.firmware,
        "pcie-link": bus.pcie_link,
        "temperature": sensors.temperature,
        "ecc": sensors.ecc,
        "throttling": sensors.throttling,
        "power-cap": sensors.power_cap,
        "vram": occupancy.vram_free,
        "quarantine": quarantine.quarantine,
        "smoke": smoke.smoke,
    },
    "software": {
        "hipcc": software.hipcc,
        "torch": software.torch,
        "rocm-driver": compatibility.driver,
        "rocm-system": compatibility.system,
        "rocm-gfx": compatibility.targets,
        "tool-versions": versions.tools,
    },
    "limits": {
        "shm": process.shm,
        "memlock": process.memlock,
        "nofile": process.nofile,
        "profilers": kernel.profilers,
    },
    "environment": {
        "visible-devices": variables.visible_devices,
        "gfx-override": variables.gfx_override,
    },
}
GROUP_OF = {name: group for group, checks in GROUPS.items() for name in checks}


def run_checks(machine: Machine, needs: Needs) -> tuple[Check, ...]:
    """Every check, in order. What it looks at was collected before; none raises."""
    return tuple(
        _guarded(name, check, machine, needs) for checks in GROUPS.values() for name, check in checks.items()
    )


def _guarded(name: str, check: Checking, machine: Machine, needs: Needs) -> Check:
    try:
        return check(machine, needs)
    except Exception as error:  # noqa: BLE001 - one odd machine must not cost all other answers
        where = traceback.extract_tb(error.__traceback__)[-1]
        why = f"rocm-ci could not judge it: {type(error).__name__}: {error} ({where.name}:{where.lineno})"
        return unknown(
            name, why[:400], "this check to work", "please report it with what `rocm-ci facts` says"
        )


def verdict(checks: Iterable[Check]) -> Verdict:
    """The worst status; PASS when nothing applied."""
    return max(Verdict.PASS, worst(check.status for check in checks))


def trouble(checks: Iterable[Check]) -> str:
    """What is wrong, in one line; empty when nothing is."""
    bad = [c for c in checks if c.status is Verdict.ERROR]
    return "; ".join(f"{c.id}: needs {c.needed}, saw {c.seen}" for c in bad)
