"""An accepted regression explains one job that failed, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.github.conftest import FIRST, SECOND, artifact, workflow_run
from tests.e2e.github.conversation import Talk, ran
from tests.e2e.github.test_bot_perf import SAID, slower, verdicts
from tests.standin.reports import report

if TYPE_CHECKING:
    from rocm_ci.model.report import Report

GPU, GATE = "ROCm CI / GPU (mi250)", "ROCm CI / Gate"
OTHER = "ROCm CI / GPU (mi300)"


def ended(talk: Talk, head: str, left: dict[str, Report], *failed: str, attempt: int = 1) -> None:
    """A run ended badly: what it left, and the jobs that failed."""
    number = ran(talk, head, conclusion="failure", attempt=attempt)
    talk.run(number).jobs = [("ROCm CI / Scan", "success"), *((job, "failure") for job in failed)]
    for leg, made in left.items():
        talk.github.world.store("o/r", number, f"rocm-ci-report-{leg}", artifact(made))
    event = workflow_run(head, run_id=number, attempt=attempt, conclusion="failure")
    talk.plane.event("workflow_run", event)
    talk.plane.run()


@pytest.mark.attack("17", "a job that was killed, beside a regression that a maintainer accepts")
def test_a_regression_that_is_accepted_does_not_hide_a_job_that_left_nothing(talk: Talk) -> None:
    ended(talk, FIRST, {"mi250": slower()}, GPU, OTHER, GATE)

    talk.say(SAID)

    assert verdicts(talk) == ["failure", "failure"]
    assert "2 jobs of the run failed, but only 1 left a report that says why" in talk.answers[0]


@pytest.mark.attack("17", "a job that was killed, beside a regression that was accepted before")
@pytest.mark.parametrize("attempt", [1, 2])
def test_nor_does_one_that_was_accepted_for_an_earlier_push(talk: Talk, attempt: int) -> None:
    ended(talk, FIRST, {"mi250": slower(), "mi300": report(FIRST)}, GPU, GATE)
    talk.say(SAID)
    talk.github.world.push("o/r", 5, SECOND)

    ended(talk, SECOND, {"mi250": slower(SECOND)}, GPU, OTHER, GATE, attempt=attempt)

    assert verdicts(talk) == ["failure", "success", "failure"]


@pytest.mark.parametrize("gate", [(), (GATE,)])
def test_a_job_that_failed_for_an_accepted_regression_alone_is_explained(
    talk: Talk, gate: tuple[str, ...]
) -> None:
    ended(talk, FIRST, {"mi250": slower(), "mi300": slower()}, GPU, OTHER, *gate)

    talk.say(SAID)

    assert verdicts(talk) == ["failure", "success"]


def test_a_red_report_that_nobody_accepted_costs_no_request(talk: Talk) -> None:
    ended(talk, FIRST, {"mi250": report(FIRST, Verdict.FAIL)}, GPU, OTHER)

    assert verdicts(talk) == ["failure"]
    assert not [one for one in talk.github.log if one.request.path.endswith("/jobs")]


def test_jobs_that_cannot_be_looked_at_are_not_taken_for_fine(talk: Talk) -> None:
    ended(talk, FIRST, {"mi250": slower()}, GPU)
    talk.say(SAID)
    talk.github.world.push("o/r", 5, SECOND)
    number = ran(talk, SECOND, conclusion="failure")
    talk.github.world.store("o/r", number, "rocm-ci-report", artifact(slower(SECOND)))

    # Of this attempt GitHub knows nothing.
    event = workflow_run(SECOND, run_id=number, attempt=3, conclusion="failure")
    talk.plane.event("workflow_run", event)

    assert talk.plane.run().verdict == "error"
    assert verdicts(talk) == ["failure", "success", "failure"]
