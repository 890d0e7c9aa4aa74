"""What the machine did while something ran on it: the evidence for whose fault a red result is."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen


class IncidentKind(enum.Enum):
    """One word for each way in which a machine goes wrong. Each blames the machine, never the change."""

    GPU_HANG = "gpu-hang"
    GPU_RESET = "gpu-reset"
    GPU_LOST = "gpu-lost"
    NO_GPU = "no-gpu"
    ECC = "ecc"
    DRIVER = "driver"
    PERMISSION = "permission"
    ALLOCATION = "allocation"
    VRAM_LEFT = "vram-left"
    CONTEXT_LEFT = "context-left"
    STUCK_PROCESS = "stuck-process"
    DISK_FULL = "disk-full"
    OUT_OF_MEMORY = "out-of-memory"
    SHARED_MEMORY = "shared-memory"
    LIBRARY = "library"
    NETWORK = "network"
    RUNNER = "runner"


class Incident(Frozen, frozen=True, kw_only=True):
    """One such event. `source` says where it was seen (`log line 12`, `kernel log`, `/proc/4711`).

    `gpu` is the label of the device when it is known, `is_gpu` whether the device (rather than the
    host around it) is at fault: only those count towards its quarantine. `is_note` marks what is
    worth telling but explains no failure (memory that drained late, a GPU reset by us).
    """

    kind: IncidentKind
    text: str
    source: str
    gpu: str | None = None
    is_gpu: bool = False
    is_note: bool = False


class Try(Frozen, frozen=True, kw_only=True):
    """One run of a suite's command. `why`: first run, after a crash, failed tests alone, another GPU.

    `tests` is how many it was asked to run, None for all; `gpus` the labels of the devices it had.
    """

    number: int
    why: str
    duration_s: float
    exit_code: int | None = None
    tests: int | None = None
    gpus: tuple[str, ...] = ()
    log: str | None = None
    outcome: str = ""
