"""The three sinks that need a token: what they send for which verdict, and when they decline."""

from __future__ import annotations

import io

import msgspec
import pytest

from rocm_ci.github import marker
from rocm_ci.github.client import DeclinedError
from rocm_ci.log import Log
from rocm_ci.model.report import Report, Setting
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.links import Links
from rocm_ci.sinks import check, comment, outcome, status
from rocm_ci.sinks.base import Destination, Target
from tests.standin.reports import report
from tests.unit.github.fake import FakeGitHub, pull

HEAD, RUN = "a" * 40, "https://github.example/o/r/actions/runs/7"


def place(github: FakeGitHub, *, number: int | None = 5, key: str = "default") -> Destination:
    target = Target(
        github=github, repository="o/r", head=HEAD, number=number, run_id=7, run_attempt=1, key=key
    )
    return Destination(log=Log(out=io.StringIO(), err=io.StringIO()), links=Links(run=RUN), target=target)


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub(pulls=[pull()])


def strict(verdict: Verdict) -> Report:
    setting = Setting(name="inconclusive", value="fail", source=".github/rocm-ci.yml")
    return msgspec.structs.replace(report(HEAD, verdict), settings=(setting,))


@pytest.mark.parametrize(
    ("made", "state", "conclusion"),
    [
        (report(HEAD, Verdict.PASS), "success", "success"),
        (report(HEAD, Verdict.NEUTRAL), "success", "neutral"),
        (report(HEAD, Verdict.INCONCLUSIVE), "success", "neutral"),
        (strict(Verdict.INCONCLUSIVE), "failure", "failure"),
        (report(HEAD, Verdict.FAIL), "failure", "failure"),
        (report(HEAD, Verdict.ERROR), "failure", "failure"),
        (report(HEAD, Verdict.SKIPPED), "failure", "failure"),
    ],
    ids=["pass", "neutral", "inconclusive", "strict", "fail", "error", "skipped"],
)
def test_only_a_green_verdict_lets_a_required_check_pass(made: Report, state: str, conclusion: str) -> None:
    assert (outcome.state(made), outcome.conclusion(made)) == (state, conclusion)


def test_the_status_says_the_verdict_in_words_and_links_to_the_run(github: FakeGitHub) -> None:
    posted = status.SINK.emit(report(HEAD, Verdict.ERROR), place(github))

    assert posted == (f"failure on {HEAD}",)
    (sent,) = github.status_log
    assert (sent["commit"], sent["context"], sent["url"]) == (HEAD, "rocm-ci", RUN)
    assert "the machine failed, not this change" in str(sent["description"])


def test_a_long_verdict_fits_into_a_status(github: FakeGitHub) -> None:
    made = report(HEAD, Verdict.ERROR)
    reason = "the disk\n::error::is full " + "🔧" * 400
    results = (msgspec.structs.replace(made.results[0], reason=reason),)

    status.SINK.emit(msgspec.structs.replace(made, results=results), place(github))

    said = str(github.status_log[0]["description"])
    assert len(said) <= 140
    assert "\n" not in said
    assert said.endswith("…")


def test_an_unreadable_report_is_a_failing_status(github: FakeGitHub) -> None:
    target = place(github).target
    assert target is not None

    status.post_unreadable(target, "the report is empty\x1b[2J" + "x" * 300, RUN)

    (sent,) = github.status_log
    assert sent["state"] == "failure"
    assert str(sent["description"]).startswith("no report — the report is empty")
    assert len(str(sent["description"])) <= 140


def test_the_comment_remembers_where_it_stands_from_the_trusted_side(github: FakeGitHub) -> None:
    comment.SINK.emit(report(HEAD, Verdict.FAIL, number=None), place(github, key="nightly"))

    found = marker.find(github.notes[0].body)
    assert found is not None
    assert found.stamp is not None
    assert (found.key, found.stamp.head, found.stamp.run) == ("nightly", HEAD, 7)
    assert found.stamp.counts["findings"] == 1


@pytest.mark.parametrize(
    ("pulls", "number"),
    [([pull(is_open=False)], 5), ([pull(head="b" * 40)], 5), ([], None)],
    ids=["closed", "moved on", "no pull request"],
)
def test_a_comment_that_would_be_wrong_is_declined(pulls: list[object], number: int | None) -> None:
    github = FakeGitHub(pulls=pulls)  # type: ignore[arg-type]

    with pytest.raises(DeclinedError):
        comment.SINK.emit(report(HEAD), place(github, number=number))
    assert github.notes == []


def test_a_check_run_is_not_made_twice_of_one_report(github: FakeGitHub) -> None:
    made = report(HEAD, Verdict.FAIL, findings=60)
    check.SINK.emit(made, place(github))
    check.SINK.emit(made, place(github))

    assert github.calls == ["check 50", "annotate 10"]


def test_another_report_of_the_same_commit_gets_its_own_check_run(github: FakeGitHub) -> None:
    check.SINK.emit(report(HEAD, Verdict.FAIL), place(github))
    check.SINK.emit(report(HEAD, Verdict.PASS), place(github))

    assert [sent.conclusion for sent, _, _ in github.posted] == ["failure", "success"]


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_lost_answers_double_no_remark(github: FakeGitHub, lost: int) -> None:
    github.lost = lost

    check.SINK.emit(report(HEAD, Verdict.FAIL, findings=130), place(github))

    ((_, _, notes),) = github.posted
    assert [note.start_line for note in notes] == list(range(1, 131))


def test_the_answer_that_is_lost_last_is_looked_for_too(
    github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_ROUNDS", 1)
    github.lost = 1

    check.SINK.emit(report(HEAD, Verdict.FAIL, findings=3), place(github))

    assert len(github.posted) == 1


def test_the_summary_of_a_check_run_fits(github: FakeGitHub) -> None:
    check.SINK.emit(report(HEAD, Verdict.FAIL, findings=5000), place(github))

    ((sent, _, _),) = github.posted
    assert len(sent.summary.encode()) <= 65_535
    assert len(sent.title) <= 255


def test_without_a_target_nothing_is_posted() -> None:
    nowhere = Destination(log=Log(out=io.StringIO(), err=io.StringIO()))

    assert [sink.emit(report(HEAD), nowhere) for sink in (comment.SINK, status.SINK, check.SINK)] == [()] * 3
