"""A regression that a maintainer let pass: the stored report is shown anew, and later runs remember it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.cli import wiring
from rocm_ci.cli.origin import Origin
from rocm_ci.cli.publish import Job, publish, stored
from rocm_ci.cli.report import chosen
from rocm_ci.errors import ReportError
from rocm_ci.github import connect
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.acceptance import accept
from tests import reports
from tests.e2e.github.conftest import BOT, FIRST, Plane
from tests.standin.reports import report
from tests.standin.things import PullFile

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from tests.standin.server import StandIn

REPORT = "rocm-ci-report"


def slower(effect_pct: float = 8.0) -> Report:
    """One benchmark is slower by so much, give or take one percent."""
    one = reports.comparison(
        "gemm",
        PerfVerdict.REGRESSION,
        effect_pct=effect_pct,
        interval_pct=(effect_pct - 1, effect_pct + 1),
    )
    made = reports.report(reports.perf(one, verdict=Verdict.FAIL))
    return msgspec.structs.replace(made, event=report(FIRST).event)


def job(run: int) -> Job:
    """As the bot makes it: it knows the pull request and the run, and names no file."""
    env = dict(os.environ)
    origin = Origin(
        repository="o/r", head=FIRST, number=5, run_id=run, run_attempt=1, base_ref="main", workflow=40
    )
    return Job(env=env, log=wiring.make_log(env), origin=origin, sinks=chosen(()))


def comment(github: StandIn) -> str:
    (only,) = [c.body for c in github.world.repositories["o/r"].comments if c.author == BOT]
    return only


def states(github: StandIn) -> list[str]:
    return [s.state for s in github.world.repositories["o/r"].statuses]


def accepted_once(github: StandIn, plane: Plane) -> None:
    """A red run, a maintainer's command, and the bot's answer to it."""
    red = plane.ended(github, {REPORT: slower()}, conclusion="failure", pulls=[5])
    assert red.verdict == "fail"
    github.world.say("o/r", 5, "maintainer", "/rocm-ci accept-perf gemm it buys memory")
    client = connect.connect(dict(os.environ), "GITHUB_TOKEN", pause_s=0.0)
    made = job(github.world.repositories["o/r"].runs[-1].id)
    found = stored(made, client)
    given = accept(found, "gemm", by="maintainer", reason="it buys memory", head=FIRST)
    outcome = publish(replace(made, accept=(given,), report=found), (), client)
    assert (outcome.code, outcome.refused) == (0, ())


@pytest.fixture
def maintained(github: StandIn) -> StandIn:
    github.world.grant("o/r", "maintainer", "write")
    return github


def test_an_accepted_regression_no_longer_blocks_and_says_who_let_it_pass(
    maintained: StandIn, plane: Plane
) -> None:
    accepted_once(maintained, plane)

    assert states(maintained) == ["failure", "success"]
    assert "it buys memory" in comment(maintained)


def test_the_next_run_remembers_it_up_to_the_effect_that_was_accepted(
    maintained: StandIn, plane: Plane
) -> None:
    accepted_once(maintained, plane)

    same = plane.ended(maintained, {REPORT: slower(8.4)}, conclusion="failure", pulls=[5])
    worse = plane.ended(maintained, {REPORT: slower(20.0)}, conclusion="failure", pulls=[5])

    assert (same.verdict, worse.verdict) == ("neutral", "fail")
    assert states(maintained)[-2:] == ["success", "failure"]


@pytest.mark.attack("11", "an acceptance in our comment that no maintainer gave")
def test_an_acceptance_whose_command_is_gone_or_whose_author_may_not_is_not_believed(
    maintained: StandIn, plane: Plane
) -> None:
    accepted_once(maintained, plane)
    maintained.world.grant("o/r", "maintainer", "read")

    demoted = plane.ended(maintained, {REPORT: slower()}, conclusion="failure", pulls=[5])

    assert (demoted.verdict, states(maintained)[-1]) == ("fail", "failure")


def test_a_run_whose_reports_are_gone_cannot_be_shown_anew(maintained: StandIn, plane: Plane) -> None:
    run = maintained.world.ran("o/r", head=FIRST)

    with pytest.raises(ReportError, match="left no artifact"):
        stored(job(run), connect.connect(dict(os.environ), "GITHUB_TOKEN", pause_s=0.0))


@pytest.mark.attack("2", "a forged report with one small regression, which a maintainer is to accept")
def test_accepting_a_regression_does_not_vouch_for_a_workflow_that_a_fork_rewrote(
    maintained: StandIn, plane: Plane
) -> None:
    pull = maintained.world.repositories["o/r"].pulls[5]
    pull.head_repository, pull.head_owner = "stranger/r", "stranger"
    pull.files = [PullFile(filename=".github/workflows/rocm-ci-run.yml")]
    red = plane.ended(maintained, {REPORT: slower()}, conclusion="failure", head_repository="stranger/r")
    assert red.verdict == "fail"
    client = connect.connect(dict(os.environ), "GITHUB_TOKEN", pause_s=0.0)
    made = job(maintained.world.repositories["o/r"].runs[-1].id)
    made = replace(made, origin=replace(made.origin, is_of_fork=True))
    found = stored(made, client)
    given = accept(found, "gemm", by="maintainer", reason="fine", head=FIRST)

    outcome = publish(replace(made, accept=(given,), report=found), (), client)

    assert (outcome.verdict, states(maintained)[-1]) == ("error", "failure")
