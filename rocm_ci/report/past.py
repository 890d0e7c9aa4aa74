"""What a comment says beyond its own report: the base and the earlier runs of the pull request. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocm_ci.model.past import Acceptance, Point
    from rocm_ci.report.delta import Delta


@dataclass(frozen=True, kw_only=True)
class Past:
    """`history` are earlier verdicts of this pull request, the oldest first, without the present one."""

    delta: Delta | None = None
    history: tuple[Point, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
