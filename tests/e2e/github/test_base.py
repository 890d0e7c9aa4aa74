"""The base's last report: what was red before is not this change's doing, and its lack costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.verdict import Verdict
from tests import reports
from tests.e2e.github.conftest import BOT, FIRST, Plane, artifact, workflow_run
from tests.standin.faults import Fault
from tests.standin.reports import report
from tests.standin.things import Identity

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from tests.standin.server import StandIn

REPORT = "rocm-ci-report"
MERGE_BASE, TIP, OLD = "b" * 40, "c" * 40, "d" * 40


def a_run(
    head: str, red: tuple[str, ...] = (), green: tuple[str, ...] = ("t::ok",), **event: object
) -> Report:
    """A report with one suite, in which some tests fail."""
    cases = [
        *(reports.case(name, CaseStatus.FAILED, message="assert 1 == 2") for name in red),
        *(reports.case(name) for name in green),
    ]
    verdict = Verdict.FAIL if red else Verdict.PASS
    made = reports.report(
        reports.suites(reports.suite(*cases, verdict=verdict, reason="" if not red else "red"))
    )
    about = msgspec.structs.replace(
        report(head).event, **{"merge_base": MERGE_BASE, "base_ref": "main", **event}
    )
    return msgspec.structs.replace(made, event=about)


def pushed(github: StandIn, head: str, what: Report | bytes, **run: object) -> int:
    """A run for a push to the base branch, and the report it left."""
    number = github.world.ran("o/r", **{"head": head, "event": "push", "branch": "main", **run})  # type: ignore[arg-type]
    github.world.store("o/r", number, REPORT, what if isinstance(what, bytes) else artifact(what))
    return number


def comment(github: StandIn) -> str:
    (only,) = [c.body for c in github.world.repositories["o/r"].comments if c.author == BOT]
    return only


def test_failures_that_the_base_has_too_are_told_apart_from_new_ones(github: StandIn, plane: Plane) -> None:
    pushed(github, MERGE_BASE, a_run(MERGE_BASE, red=("t::old",), number=None), conclusion="failure")

    done = plane.ended(
        github, {REPORT: a_run(FIRST, red=("t::old", "t::new"))}, conclusion="failure", pulls=[5]
    )

    assert (done.code, done.notices) == (0, ())
    assert "1 new failure" in comment(github)
    assert "main" in comment(github)


def test_the_run_for_the_merge_base_is_preferred_to_the_newest(github: StandIn, plane: Plane) -> None:
    mine = pushed(github, MERGE_BASE, a_run(MERGE_BASE, red=("t::old",), number=None))
    newest = pushed(github, TIP, a_run(TIP, number=None))

    plane.ended(github, {REPORT: a_run(FIRST, red=("t::old",))}, pulls=[5], conclusion="failure")

    asked = [e.request.path for e in github.log]
    assert f"/repos/o/r/actions/runs/{mine}/artifacts" in asked
    assert f"/repos/o/r/actions/runs/{newest}/artifacts" not in asked


@pytest.mark.attack("18", "a baseline that a pull request, a fork or another workflow could have made")
@pytest.mark.parametrize(
    "run",
    [
        {"event": "pull_request", "branch": "main"},
        {"branch": "feature"},
        {"head_repository": "stranger/r"},
        {"workflow": "another.yml"},
        {"conclusion": None},
        {"conclusion": "cancelled"},
    ],
    ids=str,
)
def test_only_finished_runs_for_pushes_to_our_own_base_branch_are_compared_with(
    github: StandIn, plane: Plane, run: dict[str, object]
) -> None:
    github.world.workflow("o/r")
    number = pushed(github, TIP, a_run(TIP, number=None), **run)

    done = plane.ended(github, {REPORT: a_run(FIRST)}, pulls=[5])

    assert done.code == 0
    assert done.notices[0].startswith("no report of the base: no run of this workflow for a push to main")
    assert f"/repos/o/r/actions/runs/{number}/artifacts" not in [e.request.path for e in github.log]


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (b"no archive", "no zip archive"),
        (a_run(OLD, number=None), "about commit dddddddddddd"),
    ],
    ids=["broken", "about another commit"],
)
def test_a_base_whose_report_is_no_good_is_only_a_notice(
    github: StandIn, plane: Plane, what: Report | bytes, why: str
) -> None:
    pushed(github, MERGE_BASE, what)

    done = plane.ended(github, {REPORT: a_run(FIRST)}, pulls=[5])

    assert (done.code, done.verdict, done.refused) == (0, "pass", [])
    assert done.notices[0].startswith("no report of the base: ")
    assert why in done.notices[0]


def test_a_job_that_may_not_read_runs_is_told_which_right_it_lacks(github: StandIn, plane: Plane) -> None:
    pushed(github, MERGE_BASE, a_run(MERGE_BASE, number=None))
    github.world.repository("o/r").is_private = True
    reads = frozenset({"pull_requests", "statuses", "contents"})
    github.world.tokens["workflow"] = Identity(login=BOT, is_app=True, reads=reads)
    plane.env(GITHUB_WORKFLOW_REF="o/r/.github/workflows/rocm-ci.yml@refs/pull/5/merge")
    plane.event("workflow_run", workflow_run(FIRST, pulls=[5]))

    done = plane.run(str(plane.save(a_run(FIRST))))

    assert (done.code, done.verdict) == (0, "pass")
    assert done.notices == (
        "no report of the base: this job may not read earlier runs, which takes `actions: read`",
    )


def test_a_base_that_left_nothing_is_only_a_notice(github: StandIn, plane: Plane) -> None:
    github.world.ran("o/r", head=MERGE_BASE, event="push", branch="main")

    done = plane.ended(github, {REPORT: a_run(FIRST)}, pulls=[5])

    assert (done.code, done.refused) == (0, [])
    assert "left no report" in done.notices[0]


def test_an_outage_while_the_base_is_asked_for_is_only_a_notice(github: StandIn, plane: Plane) -> None:
    pushed(github, MERGE_BASE, a_run(MERGE_BASE, number=None))
    # artifacts, archive and its store answer; then every try to list the runs of the base fails.
    github.faults.next_ones = [Fault.NONE] * 3 + [Fault.BAD_GATEWAY] * 6

    done = plane.ended(github, {REPORT: a_run(FIRST)}, pulls=[5])

    assert (done.code, done.verdict, done.refused) == (0, "pass", [])
    assert done.notices[0].startswith("no report of the base: ")


def test_the_base_costs_three_requests(github: StandIn, plane: Plane) -> None:
    alone = plane.ended(github, {REPORT: a_run(FIRST)}, "--to", "status", pulls=[5])
    pushed(github, MERGE_BASE, a_run(MERGE_BASE, number=None))

    both = plane.ended(github, {REPORT: a_run(FIRST)}, "--to", "status", pulls=[5])

    # Without a base the list of runs was asked for too.
    assert both.requests == alone.requests + 2


def test_of_a_matrix_only_the_legs_that_can_be_compared_are_fetched(github: StandIn, plane: Plane) -> None:
    number = github.world.ran("o/r", head=MERGE_BASE, event="push", branch="main")
    for leg in ("mi210", "mi300x", "scan", "gone"):
        github.world.store("o/r", number, f"{REPORT}-{leg}", artifact(a_run(MERGE_BASE, number=None)))
    scan = msgspec.structs.replace(report(FIRST), event=a_run(FIRST).event)
    left: dict[str, Report | bytes] = {
        f"{REPORT}-scan": scan,
        f"{REPORT}-mi210": a_run(FIRST, red=("t::new",)),
        f"{REPORT}-mi300x": a_run(FIRST),
    }

    done = plane.ended(github, left, pulls=[5], conclusion="failure")

    base = {a.id: a.name for a in github.world.repositories["o/r"].artifacts if a.run == number}
    fetched = [
        base[int(e.request.path.split("/")[-2])]
        for e in github.log
        if e.request.path.endswith("/zip") and int(e.request.path.split("/")[-2]) in base
    ]
    assert sorted(fetched) == [f"{REPORT}-mi210", f"{REPORT}-mi300x"]
    assert done.notices == ()
    assert "1 new failure" in comment(github)
