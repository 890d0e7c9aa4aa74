"""What a run costs in requests to GitHub, with the whole command: artifacts, base, comment, status, check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.verdict import Verdict
from tests.e2e.github.conftest import FIRST, Plane, artifact
from tests.standin.reports import report

if TYPE_CHECKING:
    from tests.standin.server import StandIn

TYPICAL, WITH_1000_ANNOTATIONS = 12, 32


def told(github: StandIn, since: int) -> list[str]:
    """The requests to the API. The artifact store is another host, without limits of its own."""
    sent = [f"{e.request.method} {e.request.path}" for e in github.log[since:]]
    return [one for one in sent if "/repos/" in one or "graphql" in one]


def prepared(github: StandIn, plane: Plane) -> int:
    """A pull request that has its comment, and a base with a report; how many requests that was."""
    base = github.world.ran("o/r", head="b" * 40, event="push", branch="main")
    github.world.store("o/r", base, "rocm-ci-report", artifact(report("b" * 40, number=None)))
    assert plane.ended(github, {"rocm-ci-report": report(FIRST, Verdict.FAIL)}).code == 0
    return len(github.log)


def test_a_typical_run_takes_at_most_12_requests(github: StandIn, plane: Plane) -> None:
    before = prepared(github, plane)

    done = plane.ended(github, {"rocm-ci-report": report(FIRST)}, "--to", "comment status")

    assert (done.code, done.notices, done.refused) == (0, (), [])
    assert len(told(github, before)) <= TYPICAL, told(github, before)
    assert done.requests <= TYPICAL


def test_the_first_run_of_a_pull_request_and_the_default_sinks_too(github: StandIn, plane: Plane) -> None:
    before = prepared(github, plane)
    github.world.open_pull("o/r", 6, "6" * 40, branch="other")

    first = plane.ended(github, {"rocm-ci-report": report("6" * 40, number=6)}, head="6" * 40, branch="other")
    again = len(github.log)
    later = plane.ended(github, {"rocm-ci-report": report(FIRST)})

    assert (first.code, later.code) == (0, 0)
    assert len(told(github, before)) - len(told(github, again)) <= TYPICAL, told(github, before)
    assert len(told(github, again)) <= TYPICAL, told(github, again)


def test_four_legs_take_as_many_downloads_more(github: StandIn, plane: Plane) -> None:
    before = prepared(github, plane)
    legs = {f"rocm-ci-report-{name}": report(FIRST) for name in ("mi210", "mi250", "mi300x", "rx7900")}

    done = plane.ended(github, legs, "--to", "comment status")

    assert done.code == 0
    assert len(told(github, before)) <= TYPICAL + 3, told(github, before)


def test_1000_annotations_take_at_most_32_requests(github: StandIn, plane: Plane) -> None:
    before = prepared(github, plane)
    made = report(FIRST, Verdict.FAIL, findings=1000)

    done = plane.ended(github, {"rocm-ci-report": made}, "--to", "comment status check", pulls=(5,))

    assert (done.code, done.refused) == (0, [])
    (check,) = github.world.repositories["o/r"].checks
    assert len(check.annotations) == 1000
    assert len(told(github, before)) <= WITH_1000_ANNOTATIONS, told(github, before)
    assert done.requests <= WITH_1000_ANNOTATIONS


def test_a_forks_own_run_takes_three_questions_more(github: StandIn, plane: Plane) -> None:
    prepared(github, plane)
    head, told_so_far = "8" * 40, []
    github.world.open_pull("o/r", 8, head, branch="patch", fork="stranger/r")
    many = report(head, Verdict.FAIL, number=8, findings=1000)
    for made, sinks in (
        (report(head, number=8), "comment status"),
        (report(head, number=8), "comment status"),
        (many, "comment status check"),
    ):
        before = len(github.log)
        done = plane.ended(
            github,
            {"rocm-ci-report": made},
            "--to",
            sinks,
            head=head,
            branch="patch",
            head_repository="stranger/r",
        )
        assert (done.code, done.refused) == (0, [])
        told_so_far.append(len(told(github, before)))

    assert told_so_far[0] <= TYPICAL + 3
    assert told_so_far[1] <= TYPICAL + 3
    assert told_so_far[2] <= WITH_1000_ANNOTATIONS + 2


def test_a_green_run_that_says_nothing_is_held_against_the_base_all_the_same(
    github: StandIn, plane: Plane
) -> None:
    base = github.world.ran("o/r", head="b" * 40, event="push", branch="main")
    github.world.store("o/r", base, "rocm-ci-report", artifact(report("b" * 40, number=None)))

    done = plane.ended(github, {"rocm-ci-report": report(FIRST)}, "--comment", "failures", pulls=(5,))

    assert (done.code, done.notices) == (0, ())
    assert done.requests <= 8, told(github, 0)


def test_a_quiet_mode_and_an_announcement_take_few(github: StandIn, plane: Plane) -> None:
    github.world.ran("o/r", head=FIRST, number=7)
    done = plane.post(report(FIRST), "--comment", "failures", "--to", "comment status")

    assert done.code == 0
    assert len(told(github, 0)) <= 6, told(github, 0)
