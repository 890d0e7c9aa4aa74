"""What a run will do, and why."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen


class StageName(enum.Enum):
    """The stages in the order they run."""

    PREFLIGHT = "preflight"
    SCAN = "scan"
    BUILD = "build"
    KERNELS = "kernels"
    TEST = "test"
    PERF = "perf"


class Step(Frozen, frozen=True, kw_only=True):
    """One stage of the plan: whether it runs and the reason either way, fit to be shown."""

    stage: StageName
    run: bool
    reason: str


class Plan(Frozen, frozen=True, kw_only=True):
    """All stages in order. `neutral_reason` is set when skipping everything is right."""

    steps: tuple[Step, ...]
    neutral_reason: str | None = None
