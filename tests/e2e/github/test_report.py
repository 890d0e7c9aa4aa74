"""`rocm-ci report` against a GitHub that remembers: what a maintainer finds on the pull request."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocm_ci.github import marker
from rocm_ci.github.marker import Stamp
from rocm_ci.github.rest import RestClient
from rocm_ci.github.transport import Transport
from rocm_ci.model.verdict import Verdict
from tests.e2e.github.conftest import BOT, FIRST, SECOND, THIRD, Plane, workflow_run
from tests.standin.faults import Fault
from tests.standin.reports import report

if TYPE_CHECKING:
    from pathlib import Path

    from tests.standin.server import StandIn
    from tests.standin.world import Comment


def ours(github: StandIn) -> list[Comment]:
    """The comments that hold our marker and that our own account wrote."""
    comments = github.world.repositories["o/r"].comments
    return [c for c in comments if c.author in (BOT, "maintainer") and marker.find(c.body)]


def stamp_of(comment: Comment) -> Stamp:
    found = marker.find(comment.body)
    assert found is not None
    assert found.stamp is not None
    return found.stamp


def states(github: StandIn, commit: str) -> list[tuple[str, str]]:
    return [(s.context, s.state) for s in github.world.repositories["o/r"].statuses if s.sha == commit]


def test_three_pushes_leave_one_comment_edited_in_place_and_a_failing_status_on_the_last_commit(
    github: StandIn, plane: Plane
) -> None:
    for run, (head, verdict) in enumerate(
        [(FIRST, Verdict.PASS), (SECOND, Verdict.ERROR), (THIRD, Verdict.FAIL)], start=7
    ):
        github.world.push("o/r", 5, head)
        done = plane.post(report(head, verdict), run_id=run)
        assert (done.code, done.refused) == (0, [])

    (comment,) = ours(github)
    stamp = stamp_of(comment)
    assert comment.edits == 2
    assert "src/reduce.hip" in comment.body
    assert (stamp.head, stamp.verdict, stamp.run, stamp.attempt) == (THIRD, Verdict.FAIL, 9, 1)
    assert stamp.counts == {"findings": 1, "failed": 0, "regressions": 0}
    assert [(p.run, p.verdict) for p in stamp.history] == [(7, Verdict.PASS), (8, Verdict.ERROR)]
    assert states(github, FIRST) == [("rocm-ci", "success")]
    assert states(github, SECOND) == [("rocm-ci", "failure")]
    assert states(github, THIRD) == [("rocm-ci", "failure")]
    last = github.world.repositories["o/r"].statuses[-1]
    assert last.target_url == "https://github.example/o/r/actions/runs/9"
    assert last.description is not None
    assert "brings CUDA back" in last.description


def test_the_same_report_again_writes_no_comment(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST), "--to", "comment")

    done = plane.post(report(FIRST), "--to", "comment")

    assert done.posted == [f"comment: unchanged {github.url}/o/r/pull/5#issuecomment-1001"]
    assert github.writes == ["POST /repos/o/r/issues/5/comments"]


@pytest.mark.attack("11", "a copy of our marker in somebody else's comment")
def test_a_marker_forged_by_somebody_else_is_never_touched(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST), "--to", "comment")
    copied = ours(github)[0].body
    github.world.repositories["o/r"].comments.clear()
    forged = [github.world.say("o/r", 5, who, copied) for who in ("stranger", "github-actions", "")]

    done = plane.post(report(FIRST, Verdict.FAIL), "--to", "comment")

    assert done.code == 0
    assert [(c.body, c.edits) for c in forged] == [(copied, 0)] * 3
    assert len(ours(github)) == 1


def test_our_comment_is_found_behind_120_others(github: StandIn, plane: Plane) -> None:
    for number in range(120):
        github.world.say("o/r", 5, "reviewer", f"remark {number}")
    plane.post(report(FIRST), "--to", "comment")

    plane.post(report(FIRST, Verdict.FAIL), "--to", "comment")

    assert [c.edits for c in ours(github)] == [1]


@pytest.mark.attack("3", "an older run writes after a newer one of the same commit")
def test_an_older_run_of_the_same_commit_does_not_overwrite_a_newer_one(
    github: StandIn, plane: Plane
) -> None:
    github.world.ran("o/r", head=FIRST, number=8, attempt=2)
    plane.post(report(FIRST, Verdict.FAIL), "--to", "comment", run_id=8, attempt=2)
    newer = ours(github)[0].body

    done = plane.post(report(FIRST), "--to", "comment", run_id=8, attempt=1)

    assert "a newer run of this commit is shown" in done.posted[0]
    assert [c.body for c in ours(github)] == [newer]


@pytest.mark.attack("3", "a report about a commit that is not the head any more")
def test_a_report_about_an_older_head_changes_no_comment_and_is_told(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST))
    before = ours(github)[0].body
    github.world.push("o/r", 5, SECOND)

    done = plane.post(report(FIRST, Verdict.FAIL), "--to", "comment status")

    assert done.code == 0
    assert done.refused == ["comment: pull request #5 has moved on from 111111111111 to 222222222222"]
    assert [c.body for c in ours(github)] == [before]
    assert states(github, SECOND) == []


def test_the_pull_request_of_a_fork_is_found_by_its_branch(github: StandIn, plane: Plane) -> None:
    github.world.open_pull("o/r", 6, SECOND, branch="topic", fork="stranger/r")
    plane.event("workflow_run", workflow_run(SECOND, head_repository="stranger/r", branch="topic"))

    done = plane.run(str(plane.save(report(SECOND, Verdict.FAIL, number=6))))

    assert (done.code, [c.number for c in ours(github)]) == (0, [6])
    assert states(github, SECOND) == [("rocm-ci", "failure")]


@pytest.mark.attack("2", "a second pull request with the same head")
def test_two_pull_requests_with_the_same_head_get_no_comment(github: StandIn, plane: Plane) -> None:
    github.world.open_pull("o/r", 6, FIRST).base_branch = "release"

    done = plane.post(report(FIRST), "--to", "comment status")

    assert done.refused == ["comment: 2 open pull requests have 111111111111 as their head: #5, #6"]
    assert (done.code, ours(github)) == (0, [])


def test_a_closed_pull_request_gets_no_comment(github: StandIn, plane: Plane) -> None:
    github.world.repositories["o/r"].pulls[5].state = "closed"

    done = plane.post(report(FIRST))

    assert done.refused[0].startswith("comment: no open pull request of o/r has 111111111111")
    assert (done.code, ours(github)) == (0, [])


def test_a_push_gets_a_status_and_no_comment(github: StandIn, plane: Plane) -> None:
    plane.event("workflow_run", workflow_run(FIRST, event="push", branch="main"))

    done = plane.run(str(plane.save(report(FIRST, number=None))))

    assert done.refused == ["comment: no pull request belongs to this run"]
    assert (done.code, states(github, FIRST)) == (0, [("rocm-ci", "success")])


@pytest.mark.attack("2", "a report that names another commit, pull request or repository")
@pytest.mark.parametrize(
    ("about", "why"),
    [
        (report(SECOND), "it is about commit 222222222222, this job reports on 111111111111"),
        (report(FIRST, number=99), "it is about pull request 99, this job reports on 5"),
        (report(FIRST, repository="mallory/r"), "it is about another repository than o/r"),
    ],
    ids=["commit", "number", "repository"],
)
def test_a_report_about_something_else_is_refused(
    github: StandIn, plane: Plane, about: object, why: str
) -> None:
    plane.event("workflow_run", workflow_run(FIRST))

    done = plane.run(str(plane.save(about)))  # type: ignore[arg-type]

    assert done.code == 2
    assert why in done.refused[0]
    assert ours(github) == []
    # Nothing of it is shown, and no green of an earlier run stays in force.
    assert github.writes == [f"POST /repos/o/r/statuses/{FIRST}"]
    assert states(github, FIRST) == [("rocm-ci", "failure")]


@pytest.mark.attack("17", "a report that is missing or cannot be read, so that an old green stays in force")
@pytest.mark.parametrize("content", [b"", b"{", b'{"version": 99, "tool": "x"}', b"\xff\xfe\x00", None])
def test_without_a_readable_report_the_commit_fails_so_that_no_old_green_stays(
    github: StandIn, plane: Plane, content: bytes | None
) -> None:
    plane.post(report(FIRST), "--to", "status", run_id=6)
    file = plane.folder / "report.json"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    plane.event("workflow_run", workflow_run(FIRST))

    done = plane.run(str(file), "--to", "comment status")

    assert done.code == 2
    assert states(github, FIRST) == [("rocm-ci", "success"), ("rocm-ci", "failure")]
    assert [line.partition(":")[0] for line in done.refused] == ["comment"]


@pytest.mark.attack("4", "a link in the place of the report")
def test_a_link_in_the_artifact_is_not_followed(github: StandIn, plane: Plane, tmp_path: Path) -> None:
    plane.event("workflow_run", workflow_run(FIRST))
    real = plane.save(report(FIRST))
    artifact = tmp_path / "artifact"
    artifact.mkdir()
    (artifact / "report.json").symlink_to(real)

    done = plane.run(str(artifact), "--to", "comment")

    assert (done.code, done.posted) == (2, [])
    assert "is not a regular file" in done.refused[0]


@pytest.mark.attack("4", "a pipe in the place of an archive, to keep the reporter waiting")
def test_a_pipe_in_the_place_of_an_archive_is_not_waited_for(
    github: StandIn, plane: Plane, tmp_path: Path
) -> None:
    plane.event("workflow_run", workflow_run(FIRST))
    pipe = tmp_path / "rocm-ci-report-mi300x.zip"
    os.mkfifo(pipe)

    done = plane.run(str(pipe), "--to", "comment")

    assert (done.code, done.posted) == (2, [])
    assert "is not a regular file" in done.refused[0]


@pytest.mark.attack("1", "a token without rights to write")
def test_a_token_without_permission_is_told_what_is_missing_and_nothing_is_lost(
    github: StandIn, plane: Plane, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    plane.env(GITHUB_TOKEN="reader", GITHUB_STEP_SUMMARY=str(summary), GITHUB_ACTIONS="true")

    done = plane.post(report(FIRST, Verdict.FAIL), "--to", "comment status check")

    assert (done.code, ours(github), states(github, FIRST)) == (0, [], [])
    assert [line.partition(":")[0] for line in done.refused] == ["comment", "status", "check"]
    assert "Resource not accessible by integration" in done.refused[0]
    assert "::warning::comment: cannot create the comment" in done.err
    assert "::error" not in done.err
    page = summary.read_text()
    for needed in ("pull-requests: write", "statuses: write", "checks: write"):
        assert needed in page
    assert page.count("⚠️ Not posted: ") == 3
    assert "brings CUDA back" in page
    assert "src/reduce.hip" in page


@pytest.mark.attack("1", "a fork's own workflow, whose token can only read")
def test_in_a_forks_own_workflow_nothing_is_asked_of_github(github: StandIn, plane: Plane) -> None:
    plane.env(GITHUB_TOKEN="")
    side = {"sha": FIRST, "ref": "topic", "repo": {"full_name": "stranger/r"}}
    base = {"sha": "b" * 40, "ref": "main", "repo": {"full_name": "o/r"}}
    plane.event("pull_request", {"pull_request": {"number": 5, "head": side, "base": base}})

    done = plane.run(str(plane.save(report(FIRST, Verdict.FAIL))))

    assert (done.code, done.posted, github.log) == (0, [], [])
    assert "comes from a fork" in done.refused[0]
    assert "workflow_run" in done.err


def test_in_the_same_job_the_event_of_the_pull_request_says_where_to_post(
    github: StandIn, plane: Plane
) -> None:
    side = {"sha": FIRST, "ref": "feature", "repo": {"full_name": "o/r"}}
    plane.event("pull_request", {"pull_request": {"number": 5, "head": side, "base": side}})
    plane.env(GITHUB_RUN_ID="31", GITHUB_RUN_ATTEMPT="2", GITHUB_REF="refs/pull/5/merge")

    done = plane.run(str(plane.save(report(FIRST))))

    found = marker.find(ours(github)[0].body)
    assert (done.code, len(done.posted)) == (0, 2)
    assert found is not None
    assert found.stamp is not None
    assert (found.stamp.run, found.stamp.attempt) == (31, 2)


def test_an_event_file_that_contradicts_the_runner_is_refused(github: StandIn, plane: Plane) -> None:
    side = {"sha": FIRST, "ref": "feature", "repo": {"full_name": "o/r"}}
    plane.event("pull_request", {"pull_request": {"number": 5, "head": side, "base": side}})
    plane.env(GITHUB_REF="refs/pull/6/merge")

    done = plane.run(str(plane.save(report(FIRST))))

    assert (done.code, github.log) == (2, [])
    assert "GITHUB_REF about 6" in done.err


def test_an_event_of_another_repository_is_refused(github: StandIn, plane: Plane) -> None:
    plane.env(GITHUB_REPOSITORY="x/y")

    done = plane.post(report(FIRST))

    assert (done.code, github.log) == (2, [])
    assert "the event file is about o/r, but this job belongs to x/y" in done.err


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("GITHUB_API_URL", "api.github.com", "which is no address"),
        ("GITHUB_API_URL", "file:///etc/passwd", "which is no address"),
        ("GITHUB_TOKEN", "to\u00e9ken", "holds is no token"),
        ("GITHUB_TOKEN", "a\nb", "holds is no token"),
    ],
)
def test_a_setting_that_cannot_work_is_told(plane: Plane, name: str, value: str, why: str) -> None:
    plane.env(**{name: value})

    done = plane.post(report(FIRST))

    assert done.code == 2
    assert why in done.err


def test_the_workflow_may_name_the_target_itself(github: StandIn, plane: Plane) -> None:
    file = str(plane.save(report(FIRST)))

    by_number = plane.run(file, "--repository", "o/r", "--number", "5")
    by_commit = plane.run(file, "--repository", "o/r", "--commit", FIRST, "--to", "comment, status")

    assert (by_number.code, by_commit.code) == (0, 0)
    assert by_commit.posted[0].startswith("comment: unchanged")
    assert len(ours(github)) == 1
    assert states(github, FIRST) == [("rocm-ci", "success")] * 2


def test_a_proxy_of_the_environment_is_used(github: StandIn, plane: Plane) -> None:
    plane.env(GITHUB_API_URL="http://github.company.example", http_proxy=github.url, no_proxy="")

    done = plane.post(report(FIRST))

    assert (done.code, len(done.posted)) == (0, 2)
    assert github.log[0].request.target.startswith("http://github.company.example:80/repos/o/r/pulls?")


def test_several_reporters_of_one_repository_keep_apart(github: StandIn, plane: Plane) -> None:
    plane.post(report(FIRST))
    plane.post(report(FIRST, Verdict.FAIL), "--key", "nightly")
    plane.post(report(FIRST, Verdict.FAIL), "--key", "nightly")

    assert [c.edits for c in ours(github)] == [0, 0]
    assert states(github, FIRST) == [
        ("rocm-ci", "success"),
        ("rocm-ci/nightly", "failure"),
        ("rocm-ci/nightly", "failure"),
    ]


def test_a_persons_token_finds_its_own_comment_too(github: StandIn, plane: Plane) -> None:
    plane.env(ROBOT="person")

    plane.post(report(FIRST), "--token-env", "ROBOT")
    plane.post(report(FIRST, Verdict.FAIL), "--token-env", "ROBOT")

    assert [(c.author, c.edits) for c in ours(github)] == [("maintainer", 1)]


def test_a_check_run_holds_all_remarks_in_portions(github: StandIn, plane: Plane) -> None:
    done = plane.post(report(FIRST, Verdict.FAIL, findings=120), "--to", "check")

    (check,) = github.world.repositories["o/r"].checks
    assert (done.code, check.conclusion, check.sha) == (0, "failure", FIRST)
    assert [note["start_line"] for note in check.annotations] == list(range(1, 121))
    assert check.annotations[0]["end_column"] == 12


def test_a_check_run_cut_off_in_the_middle_is_completed_and_not_doubled(
    github: StandIn, plane: Plane
) -> None:
    # find the pull request, look for the check; then create, annotate, annotate.
    github.faults.next_ones = [Fault.NONE] * 2 + [Fault.HALF, Fault.NONE, Fault.HALF]

    plane.post(report(FIRST, Verdict.FAIL, findings=120), "--to", "check")
    plane.post(report(FIRST, Verdict.FAIL, findings=120), "--to", "check")

    (check,) = github.world.repositories["o/r"].checks
    assert [note["start_line"] for note in check.annotations] == list(range(1, 121))


@pytest.mark.parametrize(
    ("verdict", "conclusion"),
    [
        (Verdict.PASS, "success"),
        (Verdict.FAIL, "failure"),
        (Verdict.ERROR, "failure"),
        (Verdict.NEUTRAL, "neutral"),
        (Verdict.INCONCLUSIVE, "neutral"),
    ],
)
def test_what_a_verdict_becomes(github: StandIn, plane: Plane, verdict: Verdict, conclusion: str) -> None:
    plane.post(report(FIRST, verdict), "--to", "check", "--to", "status")

    assert [c.conclusion for c in github.world.repositories["o/r"].checks] == [conclusion]
    assert states(github, FIRST) == [("rocm-ci", "failure" if conclusion == "failure" else "success")]


def test_a_wrong_token_and_a_dead_address_end_with_4_and_a_hint(github: StandIn, plane: Plane) -> None:
    plane.env(GITHUB_TOKEN="expired")
    wrong = plane.post(report(FIRST), "--to", "comment status")
    plane.env(GITHUB_TOKEN="workflow", GITHUB_API_URL="http://127.0.0.1:9")
    dead = plane.post(report(FIRST), "--to", "comment status")

    assert (wrong.code, dead.code) == (4, 4)
    assert "has expired" in wrong.err
    assert "GITHUB_API_URL" in dead.err
    assert len(dead.refused) == 2


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--to", "pigeon"], "there is no sink 'pigeon'"),
        (["--key", "a b"], "'a b' is no key"),
        (["--key", "ok-to-test"], "'ok-to-test' is no key"),
        (["--key", "Ok-To-Test"], "'Ok-To-Test' is no key"),
        (["--repository", "o", "--number", "5"], "'o' is not a repository"),
        (["--commit", "HEAD"], "'HEAD' is not a full commit name"),
        (["--token-env", "NOTHING"], "there is no token in NOTHING"),
        (["--repository", "x/y"], "--repository x/y is not the event's (o/r)"),
    ],
)
def test_a_wrong_call_is_told_before_anything_is_sent(
    github: StandIn, plane: Plane, args: list[str], why: str
) -> None:
    done = plane.post(report(FIRST), *args)

    assert (done.code, github.log) == (2, [])
    assert why in done.err


def test_the_stand_in_would_have_noticed_a_double(github: StandIn, plane: Plane) -> None:
    """The tests above count comments: make sure that there is something to count."""
    ours_is = RestClient(Transport("workflow", api_url=github.url, pause_s=0.0))
    body = marker.sign("hello", "default", Stamp(head=FIRST, verdict=Verdict.PASS, run=1))
    for _ in range(2):
        ours_is.create_comment("o/r", 5, body)
    assert len(ours(github)) == 2

    done = plane.post(report(FIRST), "--to", "comment")

    assert "1 doubled removed" in done.posted[0]
    assert [replace(c, body="").id for c in ours(github)] == [1001]
