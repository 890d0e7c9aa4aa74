"""The checks in the order they are shown, and their verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rocm_ci.gpu.checks import compatibility, devices, resources, software, versions
from rocm_ci.model.verdict import Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocm_ci.gpu.checks.machine import Machine, Needs
    from rocm_ci.model.result import Check

Checking: TypeAlias = "Callable[[Machine, Needs], Check]"

CHECKS: tuple[Checking, ...] = (
    devices.gpus,
    devices.device_nodes,
    devices.visible_devices,
    devices.gfx_override,
    devices.arch,
    devices.sources_agree,
    software.hipcc,
    software.torch,
    compatibility.driver,
    compatibility.system,
    compatibility.targets,
    versions.firmware,
    versions.tools,
    resources.disk,
    resources.memory,
)


def run_checks(machine: Machine, needs: Needs) -> tuple[Check, ...]:
    """Every check, in order. Pure: what it looks at was collected before."""
    return tuple(check(machine, needs) for check in CHECKS)


def verdict(checks: Iterable[Check]) -> Verdict:
    """The worst status; PASS when nothing applied."""
    return max(Verdict.PASS, worst(check.status for check in checks))


def trouble(checks: Iterable[Check]) -> str:
    """What is wrong, in one line; empty when nothing is."""
    bad = [c for c in checks if c.status is Verdict.ERROR]
    return "; ".join(f"{c.id}: needs {c.needed}, saw {c.seen}" for c in bad)
