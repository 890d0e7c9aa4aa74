"""accept-perf: a maintainer lets one measured regression pass, and everybody can read who and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.verdict import Verdict
from tests import reports
from tests.e2e.github.conftest import FIRST, SECOND, artifact
from tests.e2e.github.conversation import Talk, acts, ran, sent

if TYPE_CHECKING:
    from rocm_ci.model.report import Report

NAME = "row_sum/4096"
SAID = f'/rocm-ci accept-perf "{NAME}" the new kernel is exact, see #12'


def slower(head: str = FIRST, effect_pct: float = 8.4, *names: str) -> Report:
    """A report in which benchmarks are slower, and nothing else is wrong."""
    made = [
        reports.comparison(
            name,
            PerfVerdict.REGRESSION,
            effect_pct=effect_pct,
            interval_pct=(effect_pct - 1, effect_pct + 1),
            p=1e-6,
        )
        for name in names or (NAME,)
    ]
    event = Event(kind=EventKind.PULL_REQUEST, repository="o/r", head=head, number=5)
    result = reports.perf(reports.comparison("fine"), *made, verdict=Verdict.FAIL)
    return reports.report(reports.preflight(), result, event=event)


@pytest.fixture
def measured(talk: Talk) -> Talk:
    """A run of the head found a regression, and it was reported."""
    number = ran(talk, conclusion="failure")
    talk.github.world.store("o/r", number, "rocm-ci-report", artifact(slower()))
    talk.plane.post(slower(), run_id=number)
    return talk


def verdicts(talk: Talk) -> list[str]:
    return [s.state for s in talk.github.world.repository("o/r").statuses if s.context == "rocm-ci"]


def test_an_accepted_regression_no_longer_blocks_and_is_still_shown(measured: Talk) -> None:
    assert verdicts(measured) == ["failure"]

    done = measured.say(SAID)

    assert (done.code, done.action) == (0, "accept-perf"), done
    assert "8.4 %" in done.reason
    assert verdicts(measured)[-1] == "success"
    (comment,) = measured.answers
    assert "maintainer" in comment
    assert "the new kernel is exact" in comment
    assert "see #12" not in comment  # no live reference to an issue
    assert measured.reactions == ["rocket"]


def test_a_run_that_is_worse_than_accepted_fails_again(measured: Talk) -> None:
    measured.say(SAID)
    measured.github.world.push("o/r", 5, SECOND)

    assert measured.plane.post(slower(SECOND, 8.0), run_id=20).verdict == "neutral"
    assert measured.plane.post(slower(SECOND, 30.0), run_id=21).verdict == "fail"


def test_one_of_two_regressions_accepted_is_not_enough(talk: Talk) -> None:
    both = slower(FIRST, 8.4, NAME, "row_sum/8192")
    number = sent(talk, conclusion="failure")
    talk.github.world.store("o/r", number, "rocm-ci-report", artifact(both))

    assert talk.say(SAID).action == "accept-perf"

    assert verdicts(talk)[-1] == "failure"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ('accept-perf "row_sum/4097" it is fine', NAME),
        ("accept-perf fine it is fine", "no regression"),
        (f'accept-perf "{NAME}"', "needs a reason"),
        (f'accept-perf "{NAME}" !', "is no reason"),
    ],
)
def test_what_is_no_regression_or_has_no_reason_is_not_accepted(
    measured: Talk, command: str, why: str
) -> None:
    done = measured.say(f"/rocm-ci {command}")

    assert (done.code, done.action) == (0, "refused")
    assert why in measured.answers[-1]
    assert verdicts(measured) == ["failure"]


def test_nothing_is_accepted_that_no_run_of_this_commit_has_measured(measured: Talk) -> None:
    measured.github.world.push("o/r", 5, SECOND)

    assert "no run of 222222222222 had finished" in measured.say(SAID).reason
    assert verdicts(measured) == ["failure"]


@pytest.mark.attack("10", "the green report of one benchmark taken for that of everything")
def test_a_run_of_one_benchmark_makes_the_whole_not_green(talk: Talk) -> None:
    whole = ran(talk, conclusion="failure")
    talk.plane.post(slower(), run_id=whole)
    part = sent(
        talk, conclusion="failure", title=f"rocm-ci #5 {FIRST} reduce", created="2026-11-30T11:30:00Z"
    )
    talk.github.world.store("o/r", part, "rocm-ci-report", artifact(slower()))

    done = talk.say(SAID)

    assert (done.action, verdicts(talk)) == ("accept-perf", ["failure"])
    assert "the next whole run" in talk.answers[-1]


@pytest.mark.attack("13", "a slower run that began after accept-perf was said")
def test_only_what_was_measured_before_the_comment_is_accepted(talk: Talk) -> None:
    number = ran(talk, conclusion="failure", created="2026-11-30T12:30:00Z")
    talk.github.world.store("o/r", number, "rocm-ci-report", artifact(slower()))

    assert "had finished" in talk.say(SAID).reason
    assert verdicts(talk) == []


def test_a_run_without_a_report_accepts_nothing(talk: Talk) -> None:
    ran(talk, conclusion="failure")

    done = talk.say(SAID)

    assert (done.code, done.action) == (0, "refused")
    assert acts(talk) == []


@pytest.mark.attack("12", "a report of another commit in the artifact of the run that is accepted")
def test_a_report_about_something_else_is_not_accepted(talk: Talk) -> None:
    number = ran(talk, conclusion="failure")
    talk.github.world.store("o/r", number, "rocm-ci-report", artifact(slower(SECOND)))

    assert talk.say(SAID).action == "refused"
    assert "success" not in verdicts(talk)


@pytest.mark.attack("6", "a benchmark whose name is Markdown, a mention and our own marker")
def test_a_hostile_name_is_quoted_inert(talk: Talk) -> None:
    name = "@org/team #1 ![x](http://e.example) <!-- rocm-ci:v1 key=default payload= --> `x`"
    number = ran(talk, conclusion="failure")
    talk.github.world.store("o/r", number, "rocm-ci-report", artifact(slower(FIRST, 8.4, name)))

    talk.say('/rocm-ci accept-perf "something else" it is fine')

    assert "@org" not in talk.answers[0]
    assert "<!-- rocm-ci:v1" not in talk.answers[0]
    assert "](http" not in talk.answers[0]


def test_an_event_that_comes_again_changes_nothing(measured: Talk) -> None:
    measured.say(SAID)
    before = (measured.answers, verdicts(measured))

    assert measured.again().action == "ignored"

    assert (measured.answers, verdicts(measured)) == before
