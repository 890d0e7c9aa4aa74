"""The commit status: what it says, and that no older run and no announcement replaces a result."""

from __future__ import annotations

import msgspec
import pytest

from rocm_ci.github import marker
from rocm_ci.github.marker import Stamp
from rocm_ci.model.past import Point
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.links import Links
from rocm_ci.sinks import status
from rocm_ci.sinks.base import Destination
from tests.standin.reports import report
from tests.unit.github.fake import BOT, FakeGitHub, pull
from tests.unit.sinks.trusted import HEAD, LINKS, PAGE, looked, place, target

RED = report(HEAD, Verdict.FAIL)


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub(pulls=[pull()])


def states(github: FakeGitHub) -> list[object]:
    return [sent["state"] for sent in github.status_log]


def test_it_says_the_verdict_in_words_and_links_to_the_run(github: FakeGitHub) -> None:
    posted = status.SINK.emit(report(HEAD, Verdict.ERROR), place(github))

    assert posted == (f"failure on {HEAD}",)
    (sent,) = github.status_log
    assert (sent["commit"], sent["context"], sent["url"]) == (HEAD, "rocm-ci", LINKS.run)
    assert "the machine failed, not this change" in str(sent["description"])


def test_each_key_has_its_own(github: FakeGitHub) -> None:
    status.SINK.emit(RED, place(github, key="nightly"))

    assert github.status_log[0]["context"] == "rocm-ci/nightly"


def test_a_long_verdict_fits(github: FakeGitHub) -> None:
    made = report(HEAD, Verdict.ERROR)
    reason = "the disk\n::error::is full " + "🔧" * 400
    results = (msgspec.structs.replace(made.results[0], reason=reason),)

    status.SINK.emit(msgspec.structs.replace(made, results=results), place(github))

    said = str(github.status_log[0]["description"])
    assert len(said) <= 140
    assert "\n" not in said
    assert said.endswith("…")


def test_without_a_target_nothing_is_set() -> None:
    nowhere = Destination(log=place(FakeGitHub()).log)

    assert status.SINK.emit(RED, nowhere) == ()


def test_what_could_not_be_set_is_told_in_a_line(github: FakeGitHub) -> None:
    kept = status.StatusSink().kept(RED, place(github))

    assert kept.startswith("`rocm-ci` would be **failure**: ")
    assert "\n" not in kept


# -- a later run of the same commit ----------------------------------------------------------------


@pytest.mark.attack("3", "an older run writes after a newer one of the same commit")
@pytest.mark.parametrize("later", [{"run_id": 8}, {"run_attempt": 2}])
def test_the_result_of_a_later_run_stays(github: FakeGitHub, later: dict[str, int]) -> None:
    status.SINK.emit(RED, place(github, **later))

    posted = status.SINK.emit(report(HEAD), place(github))

    assert posted == ("left alone: a later run of this commit has spoken",)
    assert states(github) == ["failure"]


def test_the_result_of_an_earlier_run_and_that_of_a_person_is_replaced(github: FakeGitHub) -> None:
    status.SINK.emit(RED, place(github, run_id=6, run_attempt=9))
    status.SINK.emit(report(HEAD), place(github))
    status.SINK.emit(RED, place(github, run_id=None, run_attempt=None))
    status.SINK.emit(report(HEAD), place(github))

    assert states(github) == ["failure", "success", "failure", "success"]


def test_where_the_comment_was_read_no_question_is_needed(github: FakeGitHub) -> None:
    github.refused = {"statuses"}
    stamp = Stamp(head=HEAD, verdict=Verdict.FAIL, run=6, attempt=1)
    github.say(BOT, marker.sign("x", "default", stamp))
    where = Destination(log=place(github).log, links=LINKS, target=looked(github))

    assert status.SINK.emit(report(HEAD), where) == (f"success on {HEAD}",)


@pytest.mark.attack("3", "an older run writes last of all, where the comment shows another commit meanwhile")
def test_what_the_comment_remembers_of_a_commit_counts_too(github: FakeGitHub) -> None:
    status.SINK.emit(RED, place(github, run_id=9))
    before = Point(head=HEAD, verdict=Verdict.FAIL, at="", run=9, attempt=1)
    stamp = Stamp(head="b" * 40, verdict=Verdict.PASS, run=10, attempt=1, history=(before,))
    github.say(BOT, marker.sign("x", "default", stamp))
    where = Destination(log=place(github).log, links=LINKS, target=looked(github, run_id=8))

    assert "left alone" in status.SINK.emit(report(HEAD), where)[0]
    assert states(github) == ["failure"]


@pytest.mark.parametrize(("mode", "asked"), [("always", False), ("changes", True), ("off", True)])
def test_where_a_run_need_not_leave_a_comment_its_absence_says_nothing(
    github: FakeGitHub, mode: str, asked: bool
) -> None:
    status.SINK.emit(RED, place(github, run_id=8))
    target = looked(github, comment_mode=mode)

    status.SINK.emit(report(HEAD), Destination(log=place(github).log, links=LINKS, target=target))

    assert states(github) == ["failure"] if asked else ["failure", "success"]


@pytest.mark.attack("11", "a marker under our own login that claims to be of a newer run")
def test_a_comment_that_claims_a_later_run_is_not_enough(github: FakeGitHub) -> None:
    stamp = Stamp(head=HEAD, verdict=Verdict.PASS, run=2**50, attempt=1)
    github.say(BOT, marker.sign("all is well", "default", stamp))
    where = Destination(log=place(github).log, links=LINKS, target=looked(github))

    assert status.SINK.emit(RED, where) == (f"failure on {HEAD}",)


# -- before there is a result ----------------------------------------------------------------------


def test_a_run_under_way_is_pending_once(github: FakeGitHub) -> None:
    assert status.begin(target(github), LINKS) == f"pending on {HEAD}"
    assert status.begin(target(github), LINKS) == ""
    assert [(s["state"], s["url"]) for s in github.status_log] == [("pending", f"{PAGE}/actions/runs/7")]


def test_an_announcement_after_the_result_of_its_run_changes_nothing(github: FakeGitHub) -> None:
    status.SINK.emit(report(HEAD), place(github))

    assert status.begin(target(github), LINKS) == ""
    assert states(github) == ["success"]


def test_a_repeated_run_is_pending_again(github: FakeGitHub) -> None:
    status.SINK.emit(RED, place(github))

    assert status.begin(target(github, run_attempt=2), LINKS) == f"pending on {HEAD}"
    assert github.status_log[-1]["url"] == f"{PAGE}/actions/runs/7/attempts/2"


def test_an_earlier_run_does_not_end_the_waiting_for_a_later_one(github: FakeGitHub) -> None:
    status.begin(target(github, run_id=8), LINKS)

    assert status.begin(target(github), LINKS) == ""
    assert status.end(target(github), LINKS, "it was cancelled", cancelled=True) == ""
    assert status.SINK.emit(report(HEAD), place(github)) == (
        "left alone: a later run of this commit has spoken",
    )
    assert states(github) == ["pending"]


@pytest.mark.parametrize(("cancelled", "state"), [(True, "error"), (False, "failure")])
def test_a_run_without_a_result_does_not_stay_pending_and_is_not_green(
    github: FakeGitHub, cancelled: bool, state: str
) -> None:
    status.begin(target(github), LINKS)

    status.end(target(github), LINKS, "the run was stopped\n", cancelled=cancelled)

    assert states(github) == ["pending", state]
    assert github.status_log[-1]["description"] == "no result — the run was stopped"


def test_a_run_that_github_holds_back_is_not_said_to_run(github: FakeGitHub) -> None:
    status.begin(target(github), LINKS)

    assert status.hold(target(github), LINKS) == f"pending on {HEAD}, for an approval"
    assert status.hold(target(github), LINKS) == ""
    assert [one["description"] for one in github.status_log] == [
        "running",
        "waits until a maintainer approves the run",
    ]


@pytest.mark.parametrize("run_id", [7, 8])
def test_what_a_run_or_a_later_one_has_said_is_not_held_back(github: FakeGitHub, run_id: int) -> None:
    status.SINK.emit(report(HEAD), place(github, run_id=run_id))

    assert status.hold(target(github), LINKS) == ""
    assert states(github) == ["success"]


def test_a_cancelled_run_leaves_the_result_of_an_earlier_one(github: FakeGitHub) -> None:
    status.SINK.emit(report(HEAD), place(github, run_id=6))

    assert status.end(target(github), LINKS, "cancelled", cancelled=True) == ""
    assert states(github) == ["success"]


def test_after_a_later_run_was_cancelled_an_earlier_one_makes_nothing_green(github: FakeGitHub) -> None:
    # What that run would have found, and what stood there before it, is not known: a new run tells.
    status.end(target(github, run_id=9), LINKS, "cancelled", cancelled=True)

    status.SINK.emit(report(HEAD), place(github))

    assert states(github) == ["error"]


def test_a_run_that_died_takes_the_green_of_an_earlier_one_back(github: FakeGitHub) -> None:
    status.SINK.emit(report(HEAD), place(github, run_id=6))

    status.end(target(github), LINKS, "it left no report", cancelled=False)

    assert states(github) == ["success", "failure"]


def test_what_ended_after_its_result_was_posted_changes_nothing(github: FakeGitHub) -> None:
    status.SINK.emit(report(HEAD), place(github))

    assert status.end(target(github), LINKS, "cancelled", cancelled=True) == ""
    assert status.end(target(github), LINKS, "died", cancelled=False) == ""
    assert states(github) == ["success"]


def test_without_the_address_of_a_run_it_is_set_all_the_same(github: FakeGitHub) -> None:
    nowhere = Links()
    where = target(github, run_id=None, run_attempt=None)

    status.begin(where, nowhere)
    status.end(where, nowhere, "cancelled", cancelled=True)

    assert states(github) == ["pending", "error"]
