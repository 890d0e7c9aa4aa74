"""The base's last report, to tell what a change did from what was there before. A courtesy: it may fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.cli import incoming
from rocm_ci.cli.origin import Origin
from rocm_ci.errors import RocmCiError
from rocm_ci.github import artifacts
from rocm_ci.github.client import PermissionRefusedError
from rocm_ci.model.result import BuildResult, TestResult

if TYPE_CHECKING:
    from rocm_ci.github.port import Runs
    from rocm_ci.github.run import Run
    from rocm_ci.model.report import Report

# Of the newest pushes to the base branch: the merge base is seldom older.
_RUNS = 50
_MAX_LEGS = 8
_ENDED = ("success", "failure")


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """The report and the commit that GitHub says it ran for; or, in words, why there is none."""

    report: Report | None = None
    commit: str = ""
    lack: str = ""


def of_base(github: Runs, origin: Origin, head: Report) -> Baseline:
    """The last report of the pull request's base branch, of the merge base if it is there.

    Three requests for a run of one job, one more for each further leg that built or tested something.
    What the report of the head claims as its merge base only picks among runs of our own branch.
    """
    if not origin.base_ref or origin.workflow is None:
        return Baseline(lack="the base branch or the workflow is not known")
    try:
        run = _run(github, origin, head.event.merge_base)
        if run is None:
            return Baseline(lack=f"no run of this workflow for a push to {origin.base_ref} has finished")
        found = artifacts.of_run(github, origin.repository, run.id)
        wanted = _legs(head)
        kept = [one for one in found if not wanted or one.leg in wanted] or list(found)
        if not kept:
            return Baseline(lack=f"run {run.id} for {run.head[:12]} left no report")
        about = Origin(repository=origin.repository, head=run.head)
        parts = artifacts.fetched(github, origin.repository, kept[:_MAX_LEGS])
        return Baseline(report=incoming.joined(parts, about), commit=run.head)
    except PermissionRefusedError:
        return Baseline(lack="this job may not read earlier runs, which takes `actions: read`")
    except RocmCiError as error:
        return Baseline(lack=str(error))


def _run(github: Runs, origin: Origin, merge_base: str | None) -> Run | None:
    """The newest finished run for a push to the base branch, better still the one for the merge base."""
    found = github.runs(
        origin.repository,
        workflow=origin.workflow,
        branch=origin.base_ref,
        event="push",
        status="completed",
        limit=_RUNS,
    )
    ours = [
        run
        for run in found
        if (run.event, run.branch) == ("push", origin.base_ref)
        and (run.head_repository or "").casefold() == origin.repository.casefold()
        and run.conclusion in _ENDED
    ]
    return next((run for run in ours if run.head == merge_base), ours[0] if ours else None)


def _legs(report: Report) -> set[str]:
    """The legs that have something to compare; none when the report has no legs."""
    if not report.legs:
        return set()
    return {result.leg for result in report.results if isinstance(result, (BuildResult, TestResult))} - {""}
