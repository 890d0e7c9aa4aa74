"""After a lease, does the runtime see what was allocated? rocminfo is asked, under the lease's environment.

A job that sees more than it was given disturbs its neighbours; one that sees nothing falls back to the
processor and is green for nothing. rocminfo lists what every program of the runtime sees, with its addresses.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.errors import MachineError
from rocm_ci.gpu.collectors import rocminfo
from rocm_ci.gpu.live import LiveReader
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.tools.process import NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rocm_ci.gpu.device import Device
    from rocm_ci.tools.process import Runner

_ENUMERATOR = "rocm_agent_enumerator"
_TIMEOUT_S = 20.0
_HINT = "look at `rocm-ci doctor`, and at what else sets *_VISIBLE_DEVICES on this runner"


class AllocationError(MachineError):
    """The runtime sees other GPUs than were leased. `incident` is the same for the report."""

    def __init__(self, message: str, source: str) -> None:
        super().__init__(message, hint=_HINT)
        self.incident = Incident(kind=IncidentKind.ALLOCATION, text=message, source=source)


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What a tool listed. `buses` only where it knows addresses; `problem` when it lists nothing."""

    source: str
    count: int
    buses: tuple[str, ...] = ()
    problem: str = ""


class Allocation:
    """Asks once for each set of devices, and remembers what was right. Thread-safe."""

    def __init__(self, run: Runner, environment: Mapping[str, str], host: Path) -> None:
        self._run = run
        self._environment = environment
        self._host = host
        self._right: set[tuple[object, ...]] = set()
        self._guard = threading.Lock()
        # Why nothing can be asserted on this machine; empty when it can, or nobody asked yet.
        self.problem = ""

    def check(self, devices: Sequence[Device], chosen: Mapping[str, str], others: int) -> None:
        """Raise `AllocationError` unless the runtime sees exactly `devices` under `chosen`.

        `others` is how many more there are to be seen by mistake.
        """
        key = (*sorted(chosen.items()), *(device.id for device in devices))
        with self._guard:
            if key in self._right or self.problem:
                return
        environment = {**self._environment, **chosen}
        seen = self._rocminfo(environment) or self._enumerated(environment, len(devices), others)
        if seen is None:
            self.problem = (
                "neither rocminfo nor rocm_agent_enumerator is here: that visible GPUs are allocated ones"
                " is not asserted"
            )
            return
        _compare(devices, seen)
        with self._guard:
            self._right.add(key)

    def _rocminfo(self, environment: Mapping[str, str]) -> _Seen | None:
        reader = LiveReader(self._run, environment, root=self._host)
        found = rocminfo.collect(reader)
        if not found.devices and found.problem.endswith("is not installed"):
            return None
        buses = tuple(str(d.values["bus"]) for d in found.devices if d.values.get("bus"))
        return _Seen(source="rocminfo", count=len(found.devices), buses=buses, problem=found.problem)

    def _enumerated(self, environment: Mapping[str, str], wanted: int, others: int) -> _Seen | None:
        """The list of targets. Without rocminfo it reads the driver's files, which no variable narrows."""
        done = self._run.capture([_ENUMERATOR], env=environment, timeout_s=_TIMEOUT_S)
        if done.exit_code == NOT_FOUND:
            return None
        count = len([word for word in re.findall(r"\bgfx[0-9a-f]{3,5}\b", done.text) if word != "gfx000"])
        if count == wanted + others:
            count = wanted
        return _Seen(source=_ENUMERATOR, count=count)


def _compare(devices: Sequence[Device], seen: _Seen) -> None:
    asked = ", ".join(device.label for device in devices)
    if seen.count != len(devices):
        why = f" ({seen.problem})" if seen.problem else ""
        message = f"{len(devices)} GPU(s) were allocated, {asked}, but the runtime sees {seen.count}{why}"
        raise AllocationError(message, seen.source)
    if len(seen.buses) != seen.count or any(device.gpu.bus is None for device in devices):
        return
    wanted = sorted(_card(device.gpu.bus or "") for device in devices)
    if sorted(map(_card, seen.buses)) != wanted:
        shown = ", ".join(seen.buses[:16])
        message = f"{asked} was allocated, but the runtime sees the GPU at {shown}"
        raise AllocationError(message, seen.source)


def _card(bus: str) -> str:
    """Partitions of a card share its address, or not, as driver and runtime like it."""
    return bus.rsplit(".", 1)[0]
