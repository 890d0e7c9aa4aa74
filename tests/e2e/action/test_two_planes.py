"""The workflows to copy, both planes, with act: what the run uploads is all that the trusted plane knows of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests import require
from tests.e2e.action import planes
from tests.e2e.action.planes import Planes
from tests.standin.server import StandIn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.action.planes import Ended

BUILT_ONCE = """
on: pull_request
permissions: {}
jobs:
  rocm:
    permissions: {contents: read}
    uses: org/rocm-ci/.github/workflows/rocm-ci.yml@v1
    with:
      build-runner: '["mi250"]'
      hand-over: |
        build
        results.*
      runners: '[{"name": "a", "runs-on": ["mi300"]}, {"name": "b", "runs-on": "mi250", "stages": "test"}]'
"""
pytestmark = [pytest.mark.act, pytest.mark.build, pytest.mark.slow]


@pytest.fixture
def both(tmp_path: Path, installed_path: str) -> Iterator[Planes]:
    require.hipcc()
    with StandIn() as github:
        yield Planes(tmp_path, planes.shipped(tmp_path / "rocm-ci"), github, installed_path)
        assert github.forbidden == [], "the permissions in the workflows are enough"


def uploaded(both: Planes) -> list[str]:
    return sorted(artifact.name.replace("rocm-ci-report-", "") for artifact in both.repository.artifacts)


def ran(both: Planes, ended: Ended, *, head_repository: str = planes.REPOSITORY) -> None:
    """The API knows of the run, too."""
    both.github.world.ran(
        planes.REPOSITORY,
        head=both.head,
        branch="change",
        conclusion="success" if ended.code == 0 else "failure",
        workflow="rocm-ci-run.yml",
        head_repository=head_repository,
        number=planes.RUN,
    )


def test_a_change_from_a_branch_goes_through_every_job_and_is_answered_once(both: Planes) -> None:
    both.open()
    announced = both.answer(None)
    assert announced.code == 0, announced.log
    assert [status.state for status in both.repository.statuses] == ["pending"]

    run = both.act(planes.RUN_WORKFLOW, "pull_request", both.pull_request())

    assert run.code == 0, run.log
    assert run.jobs == {"Scan": "succeeded", "GPU (mi300)": "succeeded", "Gate": "succeeded"}
    assert uploaded(both) == ["mi300", "scan"]

    ran(both, run)
    posted = both.answer("success")
    assert posted.code == 0, posted.log
    [comment] = both.repository.comments
    assert "## ✅ ROCm CI" in comment.body
    last = both.repository.statuses[-1]
    assert (last.sha, last.state) == (both.head, "success")


def test_jobs_of_ones_own_are_answered_by_the_same_report_workflow(both: Planes) -> None:
    both.open()

    run = both.act(planes.OWN_JOBS, "pull_request", both.pull_request())
    ran(both, run)
    posted = both.answer("success")

    assert (run.code, posted.code) == (0, 0), run.log + posted.log
    assert uploaded(both) == ["mi250", "mi300"]
    [comment] = both.repository.comments
    assert "| mi250 and mi300 | ✅ 1 passed |" in comment.body


@pytest.mark.attack("1", "the code of a fork reaches no GPU machine before a maintainer has looked at it")
def test_a_fork_waits_until_its_very_commit_is_dispatched(both: Planes) -> None:
    both.open(fork=planes.STRANGER)

    run = both.act(planes.RUN_WORKFLOW, "pull_request", both.pull_request(head_repository=planes.STRANGER))

    assert run.code == 1, run.log
    assert run.jobs == {"Scan": "succeeded", "Gate": "failed"}, "no job on a machine that runs its code"
    assert uploaded(both) == ["rocm-ci-gate-1", "scan"]

    ran(both, run, head_repository=planes.STRANGER)
    posted = both.answer("failure", head_repository=planes.STRANGER)
    assert posted.code == 0, posted.log
    [comment] = both.repository.comments
    assert "waiting for ok-to-test" in comment.body
    assert both.repository.statuses[-1].state == "failure"

    refused = both.comment("/rocm-ci ok-to-test", "stranger")
    assert refused.code == 0, refused.log
    assert not [one for one in both.repository.runs if one.event == "workflow_dispatch"]
    allowed = both.comment("/rocm-ci ok-to-test", planes.MAINTAINER)
    assert allowed.code == 0, allowed.log
    dispatched = both.dispatched()

    assert dispatched.code == 0, dispatched.log
    assert dispatched.jobs["GPU (mi300)"] == dispatched.jobs["Report"] == "succeeded"
    [comment] = [one for one in both.repository.comments if "ROCm CI" in one.body]
    assert "## ✅ ROCm CI" in comment.body
    last = [one for one in both.repository.statuses if one.context == "rocm-ci"][-1]
    assert (last.sha, last.state) == (both.head, "success")


def test_what_is_built_once_is_tested_on_every_gpu_machine(both: Planes) -> None:
    run = both.act(BUILT_ONCE, "pull_request", both.pull_request())

    assert run.code == 0, run.log
    assert sorted(run.jobs) == ["Build", "GPU (a)", "GPU (b)", "Gate", "Scan"]
    assert uploaded(both) == ["a", "b", "build", "rocm-ci-built", "scan"]
    for leg in ("a", "b"):
        assert re.search(rf"GPU \({leg}\).*Unit.*1 passed", run.log), "its build folder was handed over"
