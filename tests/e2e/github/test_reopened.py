"""A fork's pull request that was tested by dispatch, closed and opened again: its own run only waits, once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from rocm_ci.launch.gate import WAITING
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Crashed
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.merge import missing
from tests.e2e.github.conftest import BOT, FIRST, Done, Plane, artifact, workflow_run
from tests.e2e.github.conversation import FORK, MAIN, Talk, ran
from tests.standin.reports import report
from tests.standin.things import Identity

if TYPE_CHECKING:
    from rocm_ci.model.report import Report

REPORT = "rocm-ci-report"
OWN: dict[str, Any] = {"branch": "patch", "head_repository": FORK}
DISPATCH = {
    "GITHUB_SHA": MAIN,
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/rocm-ci-run.yml@refs/heads/main",
}


def waits() -> Report:
    made = missing("gate", "", report(FIRST).event)
    return replace(made, results=(Crashed(stage=StageName.PREFLIGHT, reason=WAITING),))


def vouched(fork: Talk, plane: Plane) -> int:
    """A maintainer lets the commit run; the number of the run that the bot starts."""
    fork.github.world.tokens["workflow"] = Identity(login=BOT, is_app=True)
    ran(fork, FIRST, conclusion="failure", **OWN)
    plane.env(GITHUB_TOKEN="bot")
    assert fork.say("/rocm-ci ok-to-test").code == 0
    return fork.dispatched[-1].id


def answered(fork: Talk, plane: Plane, run: int, verdict: Verdict, suite: str = "") -> None:
    """The dispatched run reports."""
    fork.github.world.store("o/r", run, REPORT, artifact(report(FIRST, verdict)))
    inputs = {"number": "5", "head": FIRST, "suite": suite, "bench": ""}
    main = {"full_name": "o/r", "id": 1, "default_branch": "main"}
    plane.event("workflow_dispatch", {"ref": "refs/heads/main", "repository": main, "inputs": inputs})
    plane.env(GITHUB_TOKEN="workflow", GITHUB_RUN_ID=str(run), **DISPATCH)
    assert plane.run("--conclusion", "success").code == 0
    for name in (*DISPATCH, "GITHUB_RUN_ID"):
        plane.monkeypatch.delenv(name)


def reopened(fork: Talk, plane: Plane, *others: Report) -> Done:
    """The fork's own run of the same commit: announced, and ended with nothing but that it waits."""
    plane.env(GITHUB_TOKEN="workflow")
    begun = fork.github.world.ran("o/r", head=FIRST, conclusion=None, status="in_progress", **OWN)
    event = workflow_run(FIRST, run_id=begun, action="requested", conclusion=None, **OWN)
    plane.event("workflow_run", event)
    assert plane.run().code == 0
    left = {f"{REPORT}-gate": waits()} | {f"{REPORT}-{n}": one for n, one in enumerate(others)}
    return plane.ended(fork.github, left, conclusion="failure", **OWN)


def seen(fork: Talk) -> tuple[str, str]:
    """What stands on the commit, and in our comment."""
    here = fork.github.world.repository("o/r")
    states = [s.state for s in here.statuses if (s.sha, s.context) == (FIRST, "rocm-ci")]
    bodies = [c.body for c in here.comments if "## " in c.body and c.author == BOT]
    return (states or [""])[-1], (bodies or [""])[-1]


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
def test_what_a_dispatched_run_said_of_the_commit_stays(fork: Talk, plane: Plane, verdict: Verdict) -> None:
    answered(fork, plane, vouched(fork, plane), verdict)
    before = seen(fork)

    done = reopened(fork, plane, report(FIRST))

    assert seen(fork) == before
    assert before[0] == ("success" if verdict is Verdict.PASS else "failure")
    assert (done.code, done.posted) == (0, [])
    assert "has answered this commit" in " ".join(done.refused)
    assert done.requests <= 12


def test_a_run_that_github_holds_back_says_nothing_either(fork: Talk, plane: Plane) -> None:
    answered(fork, plane, vouched(fork, plane), Verdict.PASS)
    before = seen(fork)

    done = plane.ended(fork.github, {}, conclusion="action_required", **OWN)

    assert (done.code, done.posted, seen(fork)) == (0, [], before)


def test_what_the_own_run_has_against_the_change_is_said(fork: Talk, plane: Plane) -> None:
    answered(fork, plane, vouched(fork, plane), Verdict.PASS)

    reopened(fork, plane, report(FIRST, Verdict.FAIL))

    assert seen(fork)[0] == "failure"


def test_without_an_answer_it_waits(fork: Talk, plane: Plane) -> None:
    vouched(fork, plane)

    reopened(fork, plane)

    assert seen(fork)[0] == "failure"
    assert "not tested yet" in seen(fork)[1]


@pytest.mark.parametrize(
    "forged", ["vouched by another", "status by another", "own run", "part", "other commit"]
)
def test_what_is_no_answer_of_ours_is_not_taken_for_one(fork: Talk, plane: Plane, forged: str) -> None:
    run = vouched(fork, plane)
    answered(fork, plane, run, Verdict.PASS)
    world = fork.github.world
    statuses = world.repository("o/r").statuses
    if forged == "vouched by another":
        next(s for s in statuses if s.context == "rocm-ci/ok-to-test").creator = "stranger"
    elif forged == "status by another":
        next(s for s in reversed(statuses) if s.context == "rocm-ci").creator = "stranger"
    else:
        changed = {
            "own run": {"event": "pull_request"},
            "part": {"title": f"rocm-ci #5 {FIRST} unit"},
            "other commit": {"title": f"rocm-ci #5 {'2' * 40}"},
        }
        for name, value in changed[forged].items():
            setattr(fork.run(run), name, value)

    reopened(fork, plane)

    assert seen(fork)[0] == "failure"
    assert "not tested yet" in seen(fork)[1]
