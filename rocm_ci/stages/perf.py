"""Stage perf: under construction in the first session, replaced before landing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Skipped

if TYPE_CHECKING:
    from rocm_ci.context import Context, Job


def run(ctx: Context, job: Job) -> Skipped:
    """Placeholder."""
    return Skipped(stage=StageName.PERF, reason="not there yet")
