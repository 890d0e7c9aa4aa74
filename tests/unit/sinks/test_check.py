"""The check run: one of a run on its commit, gone on with after a cut, all annotations once."""

from __future__ import annotations

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.model.verdict import Verdict
from rocm_ci.sinks import check
from rocm_ci.sinks.base import Destination
from tests.standin.reports import report
from tests.unit.github.fake import FakeGitHub, pull
from tests.unit.sinks.trusted import HEAD, LINKS, PAGE, place, target

RED = report(HEAD, Verdict.FAIL, findings=60)
GREEN = report(HEAD)


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub(pulls=[pull()])


def lines(github: FakeGitHub, number: int = 0) -> list[int]:
    return [note.start_line for note in github.posted[number][2]]


def conclusions(github: FakeGitHub) -> list[str | None]:
    return [sent.conclusion for sent, _, _ in github.posted]


def test_it_stands_on_the_trusted_commit_with_a_link_to_the_attempt(github: FakeGitHub) -> None:
    posted = check.SINK.emit(RED, place(github, run_attempt=2))

    ((sent, _, _),) = github.posted
    assert (sent.name, sent.commit, sent.conclusion) == ("rocm-ci", HEAD, "failure")
    assert sent.details_url == f"{PAGE}/actions/runs/7/attempts/2"
    assert sent.external_id.startswith("rocm-ci:default:7.2:")
    assert posted == (f"failure on {HEAD}, 60 annotations, check",)


def test_the_same_report_again_writes_nothing(github: FakeGitHub) -> None:
    check.SINK.emit(RED, place(github))
    check.SINK.emit(RED, place(github))

    assert github.calls == ["check 50", "annotate 10"]


def test_the_same_run_judged_anew_changes_its_check_and_repeats_no_annotation(github: FakeGitHub) -> None:
    check.SINK.emit(GREEN, place(github))
    check.SINK.emit(report(HEAD, Verdict.ERROR), place(github))
    check.SINK.emit(report(HEAD, Verdict.ERROR), place(github))

    assert conclusions(github) == ["failure"]
    assert github.calls == ["check 0", "annotate 0"]


def test_the_same_run_with_other_annotations_gets_another_check(github: FakeGitHub) -> None:
    # Annotations cannot be taken away again.
    check.SINK.emit(RED, place(github))
    check.SINK.emit(report(HEAD, Verdict.FAIL, findings=2), place(github))

    assert [len(notes) for _, _, notes in github.posted] == [60, 2]


def test_another_run_and_another_key_get_their_own(github: FakeGitHub) -> None:
    for changed in ({"run_id": 7}, {"run_id": 8}, {"key": "nightly", "run_id": 7}):
        check.SINK.emit(GREEN, place(github, **changed))

    assert [sent.name for sent, _, _ in github.posted] == ["rocm-ci", "rocm-ci", "rocm-ci/nightly"]


@pytest.mark.attack("3", "an older run writes after a newer one of the same commit")
def test_a_later_run_of_the_commit_is_not_hidden_behind_an_earlier_one(github: FakeGitHub) -> None:
    check.SINK.emit(RED, place(github, run_id=8))

    posted = check.SINK.emit(GREEN, place(github, run_id=7))

    assert posted == ("left alone: a later run of this commit has its own",)
    assert conclusions(github) == ["failure"]


@pytest.mark.attack("19", "a check run that was written in half")
@pytest.mark.parametrize("lost", [1, 2, 3])
def test_lost_answers_double_no_annotation(github: FakeGitHub, lost: int) -> None:
    github.lost = lost

    check.SINK.emit(report(HEAD, Verdict.FAIL, findings=130), place(github))

    assert len(github.posted) == 1
    assert lines(github) == list(range(1, 131))


@pytest.mark.attack("19", "a check run that was written in half")
def test_another_job_goes_on_where_one_was_cut_off(github: FakeGitHub) -> None:
    made = report(HEAD, Verdict.FAIL, findings=130)
    github.refused = {"update_check"}
    with pytest.raises(GitHubError):
        check.SINK.emit(made, place(github))
    github.refused = set()

    check.SINK.emit(made, place(github))

    assert len(github.posted) == 1
    assert lines(github) == list(range(1, 131))


def test_the_answer_that_is_lost_last_is_looked_for_too(
    github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_ROUNDS", 1)
    github.lost = 1

    check.SINK.emit(report(HEAD, Verdict.FAIL, findings=3), place(github))

    assert len(github.posted) == 1


def test_a_github_that_loses_everything_is_given_up(
    github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(github, "checks", lambda *_: ())
    github.lost = 99

    with pytest.raises(GitHubError, match="lost it several times"):
        check.SINK.emit(RED, place(github))


@pytest.mark.attack("input", "more findings than a check run can show")
def test_summary_and_title_fit_and_say_how_much_did_not(github: FakeGitHub) -> None:
    posted = check.SINK.emit(report(HEAD, Verdict.FAIL, findings=5000), place(github))

    ((sent, _, notes),) = github.posted
    assert len(sent.summary.encode()) <= check.MAX_SUMMARY_BYTES
    assert len(sent.title) <= 255
    assert len(notes) == 2500
    assert sent.summary.endswith("2,500 more annotations did not fit here; all are in the report.\n")
    assert "2500 annotations and 2,500 more that did not fit" in posted[0]


def test_1000_annotations_are_20_writes_and_one_question(github: FakeGitHub) -> None:
    github.identity()  # asked for the comment before
    before = github.requests_sent

    check.SINK.emit(report(HEAD, Verdict.FAIL, findings=1000), place(github))

    assert github.requests_sent - before == 22  # who we are is remembered by the real client
    assert len(lines(github)) == 1000


def test_buttons_only_where_they_do_something(github: FakeGitHub) -> None:
    check.SINK.emit(GREEN, place(github))
    github.login = "rocm-ci[bot]"
    check.SINK.emit(GREEN, place(github, run_id=8))
    github.refused = {"identity"}
    check.SINK.emit(GREEN, place(github, run_id=9))

    assert [[a.identifier for a in sent.actions] for sent, _, _ in github.posted] == [
        [],
        ["rerun-failed", "rerun"],
        [],
    ]


def test_the_buttons_are_within_the_limits_of_github() -> None:
    for button in check.BUTTONS:
        assert len(button.label) <= 20
        assert len(button.description) <= 40
        assert len(button.identifier) <= 20
    assert len(check.BUTTONS) <= 3


def test_without_a_target_nothing_is_posted(github: FakeGitHub) -> None:
    assert check.SINK.emit(GREEN, Destination(log=place(github).log)) == ()


def test_what_could_not_be_posted_is_the_list_of_annotations(github: FakeGitHub) -> None:
    kept = check.CheckSink().kept(RED, place(github))

    assert "60 annotations" in kept
    assert "`src/reduce.hip:60`" in kept


# -- before there is a result ----------------------------------------------------------------------


def test_a_run_under_way_is_in_progress_once(github: FakeGitHub) -> None:
    assert check.begin(target(github), LINKS).startswith(f"in progress on {HEAD}")
    assert check.begin(target(github), LINKS) == ""

    assert conclusions(github) == [None]


def test_the_result_completes_it_with_all_annotations(github: FakeGitHub) -> None:
    check.begin(target(github), LINKS)

    check.SINK.emit(RED, place(github))

    assert conclusions(github) == ["failure"]
    assert lines(github) == list(range(1, 61))
    assert github.calls == ["check 0", "annotate 50", "annotate 10"]


@pytest.mark.parametrize("lost", [1, 2])
def test_completing_it_survives_lost_answers(github: FakeGitHub, lost: int) -> None:
    check.begin(target(github), LINKS)
    github.lost = lost

    check.SINK.emit(RED, place(github))

    assert conclusions(github) == ["failure"]
    assert lines(github) == list(range(1, 61))


def test_an_announcement_after_the_result_or_of_an_earlier_run_changes_nothing(github: FakeGitHub) -> None:
    check.SINK.emit(GREEN, place(github))

    assert check.begin(target(github), LINKS) == ""
    assert check.begin(target(github, run_id=6), LINKS) == ""
    assert check.begin(target(github, run_attempt=2), LINKS) != ""
    assert conclusions(github) == ["success", None]


@pytest.mark.parametrize(("cancelled", "conclusion"), [(True, "cancelled"), (False, "failure")])
def test_a_run_without_a_result_does_not_stay_in_progress(
    github: FakeGitHub, cancelled: bool, conclusion: str
) -> None:
    check.begin(target(github), LINKS)

    check.end(target(github), LINKS, "the run was <b>stopped</b>", cancelled=cancelled)
    again = check.end(target(github), LINKS, "the run was <b>stopped</b>", cancelled=cancelled)

    assert (conclusions(github), again) == ([conclusion], "")
    assert "<b>" not in github.posted[0][0].summary


def test_a_run_that_ended_unannounced_says_so_and_its_late_announcement_starts_nothing(
    github: FakeGitHub,
) -> None:
    check.end(target(github), LINKS, "cancelled", cancelled=True)
    check.end(target(github, run_id=8), LINKS, "it left no report", cancelled=False)

    assert check.begin(target(github), LINKS) == ""
    assert check.begin(target(github, run_id=8), LINKS) == ""
    assert conclusions(github) == ["cancelled", "failure"]


def test_a_later_run_that_was_cancelled_hides_no_result(github: FakeGitHub) -> None:
    check.end(target(github, run_id=8), LINKS, "cancelled", cancelled=True)

    check.SINK.emit(RED, place(github))

    assert conclusions(github) == ["cancelled", "failure"]


def test_what_ended_after_its_result_was_posted_changes_nothing(github: FakeGitHub) -> None:
    check.SINK.emit(GREEN, place(github))

    assert check.end(target(github), LINKS, "died", cancelled=False) == ""
    assert conclusions(github) == ["success"]


def test_a_report_that_comes_after_all_completes_the_check_that_said_there_is_none(
    github: FakeGitHub,
) -> None:
    check.end(target(github), LINKS, "it left no report", cancelled=False)

    check.SINK.emit(GREEN, place(github))

    assert conclusions(github) == ["success"]
