"""The trusted plane without a file: it fetches what the run left, believes none of it, and posts."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rocm_ci.cli.main import main
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from tests import reports
from tests.archives import packed, patched, special
from tests.e2e.github.conftest import BOT, FIRST, SECOND, Plane, artifact, workflow_run
from tests.standin.reports import report
from tests.standin.things import Identity, PullFile

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.report import Report
    from tests.standin.server import StandIn

REPORT = "rocm-ci-report"


def comments(github: StandIn) -> list[str]:
    return [c.body for c in github.world.repositories["o/r"].comments if c.author == BOT]


def states(github: StandIn, commit: str = FIRST) -> list[str]:
    return [s.state for s in github.world.repositories["o/r"].statuses if s.sha == commit]


def said(github: StandIn, commit: str = FIRST) -> str:
    """The description of the commit's last status."""
    found = [s.description for s in github.world.repositories["o/r"].statuses if s.sha == commit]
    return found[-1] or ""


def test_the_report_is_fetched_from_the_run_that_the_event_names(github: StandIn, plane: Plane) -> None:
    done = plane.ended(github, {REPORT: report(FIRST, Verdict.FAIL)}, pulls=[5])

    assert (done.code, done.refused, done.verdict) == (0, [], "fail")
    assert "src/reduce.hip" in comments(github)[0]
    number = github.world.repositories["o/r"].runs[-1].id
    assert (
        f"[run {number}, attempt 1](https://github.example/o/r/actions/runs/{number})" in comments(github)[0]
    )
    assert "/rocm-ci help" not in comments(github)[0]
    assert states(github) == ["failure"]


def test_where_a_bot_answers_the_comment_names_its_commands(github: StandIn, plane: Plane) -> None:
    plane.ended(github, {REPORT: report(FIRST)}, "--bot", pulls=[5])

    assert "/rocm-ci help" in comments(github)[0]


@pytest.mark.attack("2", "a report that claims to come from another run")
def test_the_run_that_a_comment_links_to_is_that_of_the_event(github: StandIn, plane: Plane) -> None:
    plane.ended(github, {REPORT: about(run_id=31337, run_attempt=99)}, pulls=[5])

    assert "31337" not in comments(github)[0]


def test_a_typical_run_asks_github_at_most_twelve_times(github: StandIn, plane: Plane) -> None:
    base = github.world.ran("o/r", head="b" * 40, event="push", branch="main")
    github.world.store("o/r", base, REPORT, artifact(report("b" * 40, number=None)))
    spent = 0
    for verdict in (Verdict.PASS, Verdict.ERROR):
        done = plane.ended(github, {REPORT: report(FIRST, verdict)}, pulls=[5])

        api = [e.request.path for e in github.log if not e.request.path.startswith("/_store")]
        assert done.requests == len(api) - spent <= 12
        assert f"{done.requests} requests to GitHub" in done.err
        assert done.notices == ()
        spent = len(api)


def test_the_reports_of_a_matrix_become_one_comment(github: StandIn, plane: Plane) -> None:
    left = {
        f"{REPORT}-scan": report(FIRST),
        f"{REPORT}-mi210": report(FIRST, Verdict.FAIL),
        f"{REPORT}-mi300x": report(FIRST),
        f"{REPORT}-mi355x": report(FIRST, Verdict.ERROR),
    }

    done = plane.ended(github, left, conclusion="failure")

    assert (done.code, done.verdict, len(comments(github))) == (0, "fail", 1)
    assert "mi210" in comments(github)[0]


@pytest.mark.attack("17", "a leg of the matrix whose archive cannot be read")
def test_a_leg_that_cannot_be_read_is_an_error_and_not_absent(github: StandIn, plane: Plane) -> None:
    left: dict[str, Report | bytes] = {f"{REPORT}-a": report(FIRST), f"{REPORT}-b": b"no archive"}

    done = plane.ended(github, left)

    assert (done.code, done.verdict, states(github)) == (0, "error", ["failure"])
    assert "no zip archive" in comments(github)[0]


@pytest.mark.attack("17", "a job that was killed and left no report, beside others that are green")
@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "timed_out"])
def test_green_reports_of_a_run_that_ended_badly_are_no_green(
    github: StandIn, plane: Plane, conclusion: str
) -> None:
    done = plane.ended(github, {f"{REPORT}-a": report(FIRST)}, conclusion=conclusion)

    assert (done.verdict, states(github)) == ("error", ["failure"])
    assert conclusion in comments(github)[0]


def test_after_failed_jobs_ran_again_the_gate_of_the_first_attempt_is_history(
    github: StandIn, plane: Plane
) -> None:
    left = {f"{REPORT}-a": report(FIRST), "rocm-ci-gate-1": report(FIRST, Verdict.ERROR)}
    first = plane.ended(github, left, conclusion="failure")
    number = github.world.repositories["o/r"].runs[-1].id
    github.world.store("o/r", number, f"{REPORT}-b", artifact(report(FIRST)))
    plane.event("workflow_run", workflow_run(FIRST, run_id=number, attempt=2))

    again = plane.run()

    assert (first.verdict, again.verdict) == ("error", "pass")
    assert states(github) == ["failure", "success"]


def test_a_red_report_explains_the_red_run_alone(github: StandIn, plane: Plane) -> None:
    done = plane.ended(github, {REPORT: report(FIRST, Verdict.FAIL)}, conclusion="failure")

    assert done.verdict == "fail"
    assert "other-job" not in comments(github)[0]


@pytest.mark.attack("17", "a run without any report")
def test_a_run_that_left_nothing_fails_its_commit(github: StandIn, plane: Plane) -> None:
    plane.ended(github, {REPORT: report(FIRST)}, "--to", "status")

    done = plane.ended(github, {"coverage": b"x"}, conclusion="failure")

    assert done.code == 2
    assert states(github) == ["success", "failure"]
    assert said(github) == "no result — the run ended with 'failure' and left no report"
    assert comments(github) == []


def test_a_cancelled_run_ends_what_it_announced(github: StandIn, plane: Plane) -> None:
    number = github.world.ran("o/r", head=FIRST, conclusion=None)
    plane.event("workflow_run", workflow_run(FIRST, action="requested", run_id=number))
    begun = plane.run()
    run = github.world.repositories["o/r"].runs[-1]
    run.status, run.conclusion = "completed", "cancelled"
    plane.event("workflow_run", workflow_run(FIRST, conclusion="cancelled", run_id=number))

    done = plane.run()

    assert (begun.code, done.code) == (0, 0)
    assert states(github) == ["pending", "error"]
    assert "cancelled" in said(github)


def test_a_run_that_waits_for_approval_is_no_failure_and_is_not_said_to_run(
    github: StandIn, plane: Plane
) -> None:
    number = github.world.ran("o/r", head=FIRST, conclusion=None)
    plane.event("workflow_run", workflow_run(FIRST, action="requested", run_id=number, pulls=[5]))
    plane.run()
    held = workflow_run(FIRST, conclusion="action_required", run_id=number, pulls=[5])
    plane.event("workflow_run", held)

    done = plane.run()

    assert (done.code, states(github)) == (0, ["pending", "pending"])
    assert said(github) == "waits until a maintainer approves the run"
    assert comments(github) == []
    assert "approval" in done.err


def test_a_run_is_announced_shown_as_stale_and_then_answered(github: StandIn, plane: Plane) -> None:
    plane.ended(github, {REPORT: report(FIRST)})
    github.world.push("o/r", 5, SECOND)
    number = github.world.ran("o/r", head=SECOND, conclusion=None)
    plane.event("workflow_run", workflow_run(SECOND, action="requested", run_id=number, pulls=[5]))
    begun = plane.run()
    stale = comments(github)[0]
    github.world.store("o/r", number, REPORT, artifact(report(SECOND, Verdict.FAIL)))
    plane.event("workflow_run", workflow_run(SECOND, run_id=number, pulls=[5]))

    done = plane.run()

    assert (begun.code, done.code) == (0, 0)
    assert states(github, SECOND) == ["pending", "failure"]
    assert "⏳" in stale
    assert SECOND[:7] in stale
    assert "⏳" not in comments(github)[0]
    assert len(comments(github)) == 1


def test_an_announcement_writes_no_comment_where_none_is(github: StandIn, plane: Plane) -> None:
    plane.event("workflow_run", workflow_run(FIRST, action="in_progress", pulls=[5]))

    done = plane.run()

    assert (done.code, comments(github), states(github)) == (0, [], ["pending"])


def forged(what: Report, **changed: object) -> bytes:
    return packed(("report.json", codec.encode(msgspec.structs.replace(what, **changed))))


def about(**changed: object) -> bytes:
    one = report(FIRST)
    return forged(one, event=msgspec.structs.replace(one.event, **changed))


def accepted_by_itself() -> bytes:
    slow = reports.comparison("gemm", PerfVerdict.REGRESSION, accepted="by the maintainers")
    made = reports.report(reports.perf(slow, verdict=Verdict.NEUTRAL))
    event = msgspec.structs.replace(report(FIRST).event)
    return forged(made, event=event)


HONEST = codec.encode(report(FIRST))
GREEN_BUT_FAILED = json.dumps(
    json.loads(codec.encode(report(FIRST, Verdict.FAIL))) | {"verdict": "pass"}
).encode()
ATTACKS: dict[str, tuple[bytes, str]] = {
    "zip slip": (packed(("../report.json", HONEST)), "leads out"),
    "absolute name": (packed(("/etc/report.json", HONEST)), "leads out"),
    "link": (packed(special("report.json", stat.S_IFLNK | 0o777, b"/etc/passwd")), "is a link"),
    "device": (packed(("report.json", HONEST), special("null", stat.S_IFCHR)), "is a link"),
    "two reports": (packed(("report.json", HONEST), ("report.json", HONEST)), "twice"),
    "another case": (packed(("report.json", HONEST), ("REPORT.JSON", HONEST)), "twice"),
    "bomb": (packed(("report.json", b" " * 60_000_000)), "over the limit"),
    "too many files": (
        packed(("report.json", HONEST), *((f"{n}", b"") for n in range(10_001))),
        "10002 files",
    ),
    "encrypted": (
        patched(
            patched(packed(("report.json", HONEST)), b"PK\x01\x02", 8, "<H", 1), b"PK\x03\x04", 6, "<H", 1
        ),
        "encrypted",
    ),
    "cut off": (packed(("report.json", HONEST))[:-9], "cut off"),
    "two archives": (packed(("report.json", HONEST)) * 2, "refused"),
    "no archive": (b"<html>", "no zip archive"),
    "empty": (b"", "no zip archive"),
    "no report": (packed(("comment.md", b"all is well")), "no report.json"),
    "no json": (packed(("report.json", b"{")), "not valid JSON"),
    "deep json": (packed(("report.json", b'{"version":1,"x":' + b"[" * 99_999)), "JSON"),
    "version 99": (packed(("report.json", b'{"version": 99, "tool": "x"}')), "version 99"),
    "unknown field": (packed(("report.json", HONEST[:-1] + b',"trust-me":true}')), "trust-me"),
    "repeated key": (packed(("report.json", HONEST[:-1] + b',"verdict":"pass"}')), "twice"),
    "forged verdict": (packed(("report.json", GREEN_BUT_FAILED)), "contradicts itself"),
    "forged acceptance": (accepted_by_itself(), "only a maintainer"),
    "forged number": (about(number=99), "about pull request 99"),
    "forged commit": (about(head=SECOND), "about commit 2222"),
    "forged repository": (about(repository="mallory/r"), "another repository"),
}


@pytest.mark.attack("4", "every kind of hostile artifact, through the whole command")
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_artifact_fails_its_commit_and_gets_no_comment(
    github: StandIn, plane: Plane, attack: str
) -> None:
    archive, why = ATTACKS[attack]

    done = plane.ended(github, {REPORT: archive}, pulls=[5])

    assert done.code == 2
    assert why in " ".join(done.refused)
    assert (comments(github), states(github), states(github, SECOND)) == ([], ["failure"], [])


@pytest.mark.attack("7", "workflow commands in the texts of a report that is refused")
def test_a_refused_report_gives_no_commands_to_the_runner(
    github: StandIn, plane: Plane, capsys: pytest.CaptureFixture[str]
) -> None:
    plane.env(GITHUB_ACTIONS="true")
    for text in ("\n::debug::x", "\r\n::error::", "\x1b[2J\n::add-"):
        plane.event("workflow_run", workflow_run(FIRST, pulls=[5]))
        file = plane.folder / "report.zip"
        file.write_bytes(about(head=text))
        assert main(["report", str(file), "--pause", "0"]) == 2
        out, err = capsys.readouterr()
        commands = [line for line in (out + err).splitlines() if line.startswith("::")]
        assert [line.partition("::the report")[0] for line in commands] == ["::error"]
        assert "\x1b" not in out + err


@pytest.mark.attack("3", "a report of a commit that is not the head any more")
def test_a_stale_run_overwrites_nothing(github: StandIn, plane: Plane) -> None:
    github.world.push("o/r", 5, SECOND)
    plane.ended(github, {REPORT: report(SECOND)}, head=SECOND)
    before = comments(github)

    done = plane.ended(github, {REPORT: report(FIRST, Verdict.FAIL)})

    assert done.code == 0
    assert "moved on from 111111111111 to 222222222222" in done.refused[0]
    assert (comments(github), states(github, SECOND)) == (before, ["success"])


@pytest.mark.attack(
    "3", "an older run of the same commit that ends after a red one, where nothing is commented"
)
@pytest.mark.parametrize("how", [("--to", "status"), ("--comment", "off"), ("--comment", "failures")])
def test_without_a_comment_an_older_run_overwrites_nothing_either(plane: Plane, how: tuple[str, str]) -> None:
    plane.post(report(FIRST, Verdict.FAIL), *how, run_id=9)

    done = plane.post(report(FIRST), *how, run_id=8)

    assert "status: left alone: a later run of this commit has spoken" in done.posted


@pytest.mark.attack("2", "two pull requests with the same head")
def test_two_pull_requests_with_one_head_get_no_comment(github: StandIn, plane: Plane) -> None:
    github.world.open_pull("o/r", 6, FIRST, base_branch="release")

    for pulls in ([], [5, 6]):
        done = plane.ended(github, {REPORT: report(FIRST)}, pulls=pulls)
        assert "2 open pull requests have 111111111111" in done.refused[0]
    assert comments(github) == []


def fork(github: StandIn, head: str, **pull: Any) -> dict[str, Any]:
    """A stranger's pull request, and what a `workflow_run` event says of its run: no pull requests."""
    github.world.open_pull("o/r", 6, head, branch="topic", fork="stranger/r", **pull)
    return {"head": head, "head_repository": "stranger/r", "branch": "topic"}


def test_the_run_of_a_fork_is_answered_though_its_event_names_no_pull_request(
    github: StandIn, plane: Plane
) -> None:
    event = fork(github, SECOND)

    done = plane.ended(github, {REPORT: report(SECOND, Verdict.FAIL, number=6)}, **event)

    assert (done.code, done.refused, states(github, SECOND)) == (0, [], ["failure"])
    assert [c.number for c in github.world.repositories["o/r"].comments] == [6]
    assert done.requests <= 13


@pytest.mark.attack("2", "a fork's pull request with the head of a red one, to turn that one green")
def test_a_fork_cannot_turn_somebody_elses_commit_green(github: StandIn, plane: Plane) -> None:
    plane.ended(github, {REPORT: report(FIRST, Verdict.FAIL)})
    event = fork(github, FIRST)

    done = plane.ended(github, {REPORT: report(FIRST, number=6)}, **event)

    assert (done.code, states(github)) == (0, ["failure"])
    assert "is the head of #5 too" in " ".join(done.refused)


@pytest.mark.attack("2", "an event that names somebody else's pull request for the run of a fork")
def test_what_an_event_says_of_a_forks_run_is_looked_up(github: StandIn, plane: Plane) -> None:
    plane.ended(github, {REPORT: report(FIRST, Verdict.FAIL)}, pulls=[5])
    event = fork(github, FIRST)

    done = plane.ended(github, {REPORT: report(FIRST)}, pulls=[5], **event)

    assert (done.code, done.posted, states(github)) == (0, [], ["failure"])


@pytest.mark.attack(
    "2", "a fork that rewrites the workflow which tests it, to upload a green report of its own"
)
@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.NEUTRAL, Verdict.INCONCLUSIVE])
@pytest.mark.parametrize(
    "path", [".github/workflows/x.yml", ".GitHub/Workflows/x.yml", ".github/actions/a/b.sh"]
)
def test_a_fork_that_brings_its_own_workflow_proves_nothing(
    github: StandIn, plane: Plane, path: str, verdict: Verdict
) -> None:
    event = fork(github, SECOND, files=[PullFile(filename="src/a.hip"), PullFile(filename=path)])

    done = plane.ended(github, {REPORT: report(SECOND, verdict, number=6)}, **event)

    assert (done.code, done.verdict, states(github, SECOND)) == (0, "error", ["failure"])
    assert f"this change rewrites {path}" in comments(github)[0].replace("&#8203;", "")
    assert "ok-to-test" in comments(github)[0]


def test_the_legs_of_such_a_fork_prove_nothing_either(github: StandIn, plane: Plane) -> None:
    event = fork(github, SECOND, files=[PullFile(filename=".github/workflows/x.yml")])
    left = {f"{REPORT}-{leg}": report(SECOND, number=6) for leg in ("a", "b", "gate")}

    done = plane.ended(github, left, **event)

    assert (done.verdict, states(github, SECOND)) == ("error", ["failure"])


@pytest.mark.attack("2", "a change with more files than GitHub lists, to hide a workflow behind them")
def test_a_fork_whose_files_cannot_all_be_seen_proves_nothing(github: StandIn, plane: Plane) -> None:
    event = fork(github, SECOND, files=[PullFile(filename=f"f{n}") for n in range(3_001)])

    done = plane.ended(github, {REPORT: report(SECOND, number=6)}, **event)

    assert (done.verdict, states(github, SECOND)) == ("error", ["failure"])


def test_a_fork_that_leaves_the_workflows_alone_is_believed(github: StandIn, plane: Plane) -> None:
    event = fork(
        github, SECOND, files=[PullFile(filename="src/a.hip"), PullFile(filename=".github/rocm-ci.yml")]
    )

    done = plane.ended(github, {REPORT: report(SECOND, number=6)}, **event)

    assert (done.verdict, states(github, SECOND)) == ("pass", ["success"])
    assert done.requests <= 14


def test_a_branch_of_this_repository_may_change_workflows(github: StandIn, plane: Plane) -> None:
    github.world.repositories["o/r"].pulls[5].files = [PullFile(filename=".github/workflows/x.yml")]

    done = plane.ended(github, {REPORT: report(FIRST)}, pulls=[5])

    assert (done.verdict, states(github)) == ("pass", ["success"])


@pytest.mark.attack("2", "a fork's workflow file that runs on a review, a comment or whatever it likes")
@pytest.mark.parametrize(
    "trigger", ["pull_request_review", "pull_request_review_comment", "push", "schedule"]
)
def test_a_forks_run_that_is_none_of_its_pull_request_gets_nothing_at_all(
    github: StandIn, plane: Plane, trigger: str
) -> None:
    event = fork(github, SECOND, files=[PullFile(filename=".github/workflows/x.yml")])

    done = plane.ended(github, {REPORT: report(SECOND, number=6)}, event=trigger, **event)

    assert (done.code, done.posted, github.writes) == (0, [], [])
    assert f"was started by '{trigger}'" in done.refused[0]


@pytest.mark.attack("2", "a fork with the head of a red pull request, deleted before its run ends")
def test_the_run_of_a_deleted_fork_is_not_taken_for_somebody_elses(github: StandIn, plane: Plane) -> None:
    plane.ended(github, {REPORT: report(FIRST, Verdict.FAIL)}, pulls=[5])

    done = plane.ended(github, {REPORT: report(FIRST)}, head_repository=None, branch=None)

    assert (done.code, done.posted, states(github)) == (0, [], ["failure"])


def test_a_fork_that_closed_its_pull_request_gets_nothing_at_all(github: StandIn, plane: Plane) -> None:
    event = fork(github, SECOND)
    github.world.repositories["o/r"].pulls[6].state = "closed"

    done = plane.ended(github, {REPORT: report(SECOND, number=6)}, **event)

    assert (done.code, github.writes) == (0, [])


@pytest.mark.attack("input", "a token that may not even read the reports")
def test_a_token_that_may_not_read_artifacts_is_told_what_it_lacks(
    github: StandIn, plane: Plane, tmp_path: Path
) -> None:
    github.world.repositories["o/r"].is_private = True
    reads = frozenset({"pull_requests", "contents"})
    github.world.tokens["half"] = Identity(login=BOT, is_app=True, reads=reads)
    summary = tmp_path / "summary.md"
    plane.env(GITHUB_TOKEN="half", GITHUB_STEP_SUMMARY=str(summary))

    done = plane.ended(github, {REPORT: report(FIRST)}, pulls=[5])

    assert (done.code, states(github), comments(github)) == (0, ["failure"], [])
    assert "`actions: read`" in done.err
    assert "`actions: read`" in summary.read_text()
    assert "::error" not in done.err


@pytest.mark.attack("input", "a token without rights: nothing is lost, nothing fails")
def test_what_a_token_may_not_post_is_kept_on_the_page_of_the_step(
    github: StandIn, plane: Plane, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    plane.env(GITHUB_TOKEN="reader", GITHUB_STEP_SUMMARY=str(summary))

    done = plane.ended(github, {REPORT: report(FIRST, Verdict.FAIL)}, pulls=[5])

    assert done.code == 0
    assert [line.partition(":")[0] for line in done.refused] == ["comment", "status"]
    page = summary.read_text()
    assert "src/reduce.hip" in page
    assert "Resource not accessible by integration" in page
    assert "::error" not in done.err


@pytest.mark.attack("1", "a fork's own workflow, which holds a token that can only read")
def test_a_forks_own_workflow_asks_the_api_for_nothing(github: StandIn, plane: Plane, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    plane.env(GITHUB_STEP_SUMMARY=str(summary))
    pull = {"head": {"sha": SECOND, "ref": "x", "repo": {"full_name": "stranger/r"}}, "number": 6}
    pull["base"] = {"sha": "b" * 40, "ref": "main", "repo": {"full_name": "o/r"}}
    plane.event("pull_request", {"repository": {"full_name": "o/r"}, "pull_request": pull})

    done = plane.run(str(plane.save(report(SECOND, Verdict.FAIL, number=6))))

    assert (done.code, github.log, done.requests) == (0, [], 0)
    assert "src/reduce.hip" in summary.read_text()
    assert "workflow_run" in summary.read_text()


def test_a_push_gets_a_status_on_its_commit_and_no_comment(github: StandIn, plane: Plane) -> None:
    done = plane.ended(github, {REPORT: report(FIRST, number=None)}, event="push", branch="main")

    assert (done.code, comments(github), states(github)) == (0, [], ["success"])


def test_a_merge_group_gets_the_status_that_its_queue_waits_for(github: StandIn, plane: Plane) -> None:
    github.world.push_branch("o/r", "gh-readonly-queue/main/pr-5", SECOND)

    done = plane.ended(
        github,
        {REPORT: report(SECOND, Verdict.FAIL, number=None)},
        head=SECOND,
        event="merge_group",
        branch="gh-readonly-queue/main/pr-5",
    )

    assert (done.code, comments(github), states(github, SECOND)) == (0, [], ["failure"])


def test_files_of_several_legs_can_be_named_too(github: StandIn, plane: Plane, tmp_path: Path) -> None:
    plane.event("workflow_run", workflow_run(FIRST, pulls=[5]))
    folder = tmp_path / f"{REPORT}-mi210"
    folder.mkdir()
    (folder / "report.json").write_bytes(codec.encode(report(FIRST)))
    archive = tmp_path / f"{REPORT}-mi300x.zip"
    archive.write_bytes(packed(("report.json", codec.encode(report(FIRST, Verdict.FAIL)))))

    done = plane.run(str(folder / "report.json"), str(archive))

    assert (done.code, done.verdict) == (0, "fail")
    assert "mi300x" in comments(github)[0]


def test_a_folder_of_artifacts_is_read_whole(github: StandIn, plane: Plane, tmp_path: Path) -> None:
    plane.event("workflow_run", workflow_run(FIRST, pulls=[5]))
    for leg, verdict in (("a", Verdict.PASS), ("b", Verdict.ERROR)):
        folder = tmp_path / "all" / f"{REPORT}-{leg}"
        folder.mkdir(parents=True)
        (folder / "report.json").write_bytes(codec.encode(report(FIRST, verdict)))

    done = plane.run(str(tmp_path / "all"))

    assert (done.code, done.verdict) == (0, "error")
