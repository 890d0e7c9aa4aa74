"""What a job, or a person, asks of the machine: decides which of its faults are errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What is asked for.

    `wanted` says who asks for GPUs (`suite unit` → 1); `commands` are the configured build
    commands; `builds` that something will be compiled; `archs` are the configured targets.
    `curious`: a person asks what the machine is good for, so that having no GPU is worth saying.
    """

    wanted: Mapping[str, int] = field(default_factory=dict)
    require_gpu: bool = True
    builds: bool = False
    commands: tuple[str, ...] = ()
    archs: tuple[str, ...] = ()
    curious: bool = False

    @property
    def gpus(self) -> int:
        """The most that any one suite or benchmark asks for."""
        return max(self.wanted.values(), default=0)

    @property
    def must_have_gpu(self) -> bool:
        """Whether something cannot run without a GPU, and may not be skipped."""
        return bool(self.gpus) and self.require_gpu
