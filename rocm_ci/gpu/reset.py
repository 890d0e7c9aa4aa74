"""A GPU reset by us: only where the runner allows it, only when nobody uses any GPU, always told.

A reset of one GPU takes all of its XGMI hive with it (ROCm/rocm-systems#6852), and a tool may say
that it worked when it did not (ROCm/ROC-smi#70). So all GPUs are held meanwhile, and the result is looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu import holders, vram
from rocm_ci.gpu.reader import clean
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.tools.process import NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import TypeAlias

    from rocm_ci.gpu.watched import Watched
    from rocm_ci.tools.process import Captured, Runner

    # Holds every other GPU of the host for as long as it is entered, for what the text says. It answers
    # why it cannot, which is nothing when they are all ours.
    Hold: TypeAlias = Callable[[str], AbstractContextManager[str]]

# The source of an incident that is our own doing.
OURS = "rocm-ci"
_TIMEOUT_S = 120.0
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/rocm/bin:/opt/rocm/core/bin"


@dataclass(frozen=True, kw_only=True)
class Resetter:
    """How a GPU is reset here. `alone` keeps everybody else off the GPUs of this host meanwhile."""

    run: Runner
    environment: Mapping[str, str]
    host: Path
    alone: Hold

    def reset(self, device: Watched, *, works: Callable[[], bool]) -> Incident:
        """Reset exactly this device if that is safe. `works` looks afterwards whether it helped."""
        refused = self._unfit(device)
        if refused:
            return _refusal(device, refused)
        with self.alone(f"reset of {device.label}") as held:
            # Whoever asks for a GPU from here on waits, so what is seen now stays true.
            refused = held or self._used(device)
            return _refusal(device, refused) if refused else self._reset(device, works)

    def _reset(self, device: Watched, works: Callable[[], bool]) -> Incident:
        done, tool = self._asked(str(device.bus))
        if done is None:
            return _refusal(device, "neither amd-smi nor rocm-smi can do it here")
        if done.timed_out:
            return _failed(device, f"the reset with {tool} did not end within {_TIMEOUT_S:g} s")
        if done.exit_code != 0:
            said = clean(done.error_text or done.text).strip().splitlines()
            return _failed(device, f"{tool} could not reset it: {said[-1][:200] if said else done.exit_code}")
        if not works():
            return _failed(device, f"{tool} reset it, and it is as it was")
        text = f"{device.label} was reset with {tool}, because nobody used it and the runner allows it"
        return _note(device, text)

    def _unfit(self, device: Watched) -> str:
        if not device.bus:
            return "its place on the bus is not known"
        if device.is_partition:
            return "it is a partition, and a reset would take the whole card"
        return ""

    def _used(self, device: Watched) -> str:
        if not holders.sees_all(self.host):
            return "not all processes of this host can be seen from here, so somebody may use it"
        # Also one that only has the driver open is a user: it may start work at any moment.
        users = holders.holders(self.host)
        if users:
            return f"{', '.join(h.shown for h in users[:4])} uses a GPU of this host"
        if vram.state(device, self.host).present == frozenset():
            return "it is not there any more"
        return ""

    def _asked(self, bus: str) -> tuple[Captured | None, str]:
        """The tool's own number of the device is looked up by its address, never assumed."""
        environment = {**self.environment, "PATH": f"{self.environment.get('PATH', '')}:{_PATH}".strip(":")}
        listed = self.run.capture(["amd-smi", "list"], env=environment, timeout_s=30.0)
        number = _listed(listed.text, bus) if listed.exit_code == 0 else None
        if number is not None:
            argv = ["amd-smi", "reset", "--gpureset", "--gpu", number]
            return self.run.capture(argv, env=environment, timeout_s=_TIMEOUT_S), argv[0]
        shown = self.run.capture(["rocm-smi", "--showbus"], env=environment, timeout_s=30.0)
        found = re.search(
            rf"GPU\[(\d{{1,3}})\]\s*:\s*PCI Bus:\s*{re.escape(bus)}\b", shown.text, re.IGNORECASE
        )
        if shown.exit_code == NOT_FOUND or found is None:
            return None, ""
        argv = ["rocm-smi", "--gpureset", "-d", found.group(1)]
        return self.run.capture(argv, env=environment, timeout_s=_TIMEOUT_S), argv[0]


def _listed(text: str, bus: str) -> str | None:
    """The number that `amd-smi list` gives the device at an address."""
    number = None
    for line in clean(text).splitlines():
        if match := re.fullmatch(r"\s*GPU:\s*(\d{1,3})\s*", line):
            number = match.group(1)
        elif (match := re.fullmatch(r"\s*BDF:\s*(\S+)\s*", line)) and match.group(1).lower() == bus.lower():
            return number
    return None


def _refusal(device: Watched, why: str) -> Incident:
    return _note(device, f"{device.label} was not reset: {why}")


def _note(device: Watched, text: str) -> Incident:
    return Incident(kind=IncidentKind.GPU_RESET, text=text, source=OURS, gpu=device.label, is_note=True)


def _failed(device: Watched, text: str) -> Incident:
    return Incident(
        kind=IncidentKind.GPU_RESET,
        text=f"{device.label}: {text}",
        source=OURS,
        gpu=device.label,
        is_gpu=True,
    )
