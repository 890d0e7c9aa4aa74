"""A leased device as the kernel knows it, and how long we look after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DRAIN_S = 30.0
MAX_DRAIN_S = 600.0
# What a driver keeps for itself differs from look to look; a left context holds far more.
SLACK_BYTES = 512 * 1024 * 1024
_DURATION = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?", re.ASCII)
_UNIT = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}


@dataclass(frozen=True, kw_only=True)
class Watched:
    """One device. `id` is stable (a PCI address, `/N` for a partition), `label` for people.

    `bus` is its PCI address, `kfd_id` the driver's id of it, `render` its file below /dev/dri.
    """

    id: str
    label: str
    bus: str | None = None
    kfd_id: int | None = None
    render: str | None = None

    @property
    def is_partition(self) -> bool:
        """Whether other devices share its card, and with it the card's files in /sys."""
        return "/" in self.id


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the runner allows: its own environment says so, never the repository.

    `drain_s` is how long memory may take to come back; `may_reset` whether a GPU that nobody uses
    may be reset.
    """

    drain_s: float = DRAIN_S
    may_reset: bool = False

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Limits:
        """`ROCM_CI_DRAIN=30s` and `ROCM_CI_GPU_RESET=when-free`; what cannot be read is the default."""
        said = _DURATION.fullmatch(environment.get("ROCM_CI_DRAIN", "").strip())
        drain_s = min(float(said[1]) * _UNIT[said[2]], MAX_DRAIN_S) if said else DRAIN_S
        return cls(drain_s=drain_s, may_reset=environment.get("ROCM_CI_GPU_RESET", "") == "when-free")
