"""The one required check: did every job do its work, and did each leave its report?

What a job says of itself comes from GitHub (`needs`), what it found from its report. Neither a failure, nor
a cancelled or skipped job, nor a missing report may look like a green one.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rocm_ci.launch import legs, outcome
from rocm_ci.launch.machine import LaunchError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PREFIX = "rocm-ci-report-"
WAITING = (
    "waiting for ok-to-test: the change comes from a fork, so nothing of it runs on a GPU machine before a "
    "maintainer has looked at it and commented `/rocm-ci ok-to-test`"
)
_RESULTS = ("success", "failure", "cancelled", "skipped")
_ON_GPU_MACHINES = ("build", "gpu")


class Asked(NamedTuple):
    """What the gate looks at: the result of each job, the legs that must have reported, the reports."""

    results: Mapping[str, str]
    required: tuple[str, ...]
    folder: Path
    waiting: bool


def read(env: Mapping[str, str], folder: Path) -> Asked:
    """Check the inputs. `ROCM_CI_NEEDS` is `toJSON(needs)`, `ROCM_CI_REQUIRED` the names of legs."""
    try:
        needs = json.loads(env.get("ROCM_CI_NEEDS") or "null")
        results = {str(job): told["result"] for job, told in needs.items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise LaunchError("input needs is not `toJSON(needs)`", "copy the step from the manual", 2) from error
    odd = [job for job, result in results.items() if result not in _RESULTS]
    if odd or not results:
        raise LaunchError(f"input needs: {odd or 'no job'} has no result", "name the jobs in `needs:`", 2)
    required = tuple(env.get("ROCM_CI_REQUIRED", "").split())
    for name in required:
        if not legs.NAME.match(name):
            raise LaunchError(f"input required: {name[:60]!r} is no name of a leg", "see the manual", 2)
    return Asked(results, required, folder, _from_a_fork(env))


def reasons(asked: Asked) -> tuple[str, ...]:
    """Why the run may not count, whatever its reports say; empty when nothing is missing."""
    said = [f"the job {job} was cancelled" for job, result in asked.results.items() if result == "cancelled"]
    skipped = [job for job, result in asked.results.items() if result == "skipped"]
    absent = [name for name in asked.required if not _has_report(asked.folder, name)]
    if asked.waiting and set(skipped) & set(_ON_GPU_MACHINES):
        # What has yet to run is not missing.
        said.append(WAITING)
        skipped = [job for job in skipped if job not in _ON_GPU_MACHINES]
        absent = [name for name in absent if name == legs.SCAN]
    said += [f"the job {job} was skipped" for job in skipped if not _has_nothing_to_do(job, asked)]
    said += [f"{name} left no report" for name in absent]
    if not asked.required:
        said.append("the first job did not say which reports there must be")
    return tuple(said)


def failed(asked: Asked) -> tuple[str, ...]:
    """The jobs that ended as a failure: their reports must say why."""
    return tuple(job for job, result in asked.results.items() if result == "failure")


def _has_nothing_to_do(job: str, asked: Asked) -> bool:
    """Such a job is rightly skipped: no build of its own, or no GPU runner, was asked for."""
    if job == "build":
        return legs.BUILD not in asked.required
    if job == "gpu":
        return not [name for name in asked.required if name not in (legs.SCAN, legs.BUILD)]
    return False


def _has_report(folder: Path, name: str) -> bool:
    path = str(folder / (PREFIX + name) / outcome.REPORT)
    return os.path.isfile(path) and not os.path.islink(path)  # noqa: PTH113, PTH114


def _from_a_fork(env: Mapping[str, str]) -> bool:
    """Whether GitHub's own event says so; a fork that is gone since is one, too."""
    if env.get("GITHUB_EVENT_NAME") != "pull_request":
        return False
    try:
        with open(env.get("GITHUB_EVENT_PATH", ""), encoding="utf-8") as file:  # noqa: PTH123 - may be empty
            pull = json.load(file)["pull_request"]
        here, head = pull["base"]["repo"]["full_name"], pull["head"]["repo"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False
    theirs = head.get("full_name", "") if isinstance(head, dict) else ""
    return re.sub(r"\s", "", str(theirs)).lower() != str(here).lower()
