"""The calls of the client: what is sent, and how an answer is read."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import Check, CheckAction, Reacted, Status
from rocm_ci.github.review import Remark
from tests.unit.github.wires import COMMENT, bench, more, no

HEAD = "a" * 40
RUN = {
    "id": 7, "event": "push", "head_sha": HEAD, "workflow_id": 40, "created_at": "2026-11-30T12:00:00Z",
    "html_url": "url", "head_repository": None, "status": "in_progress", "conclusion": None,
}  # fmt: skip


def threads(*nodes: dict[str, Any], cursor: str | None = None) -> dict[str, Any]:
    page = {"pageInfo": {"hasNextPage": cursor is not None, "endCursor": cursor}, "nodes": list(nodes)}
    return {"data": {"repository": {"pullRequest": {"reviewThreads": page}}}}


def thread(number: int, author: dict[str, str] | None) -> dict[str, Any]:
    return {
        "id": f"T{number}", "isResolved": False, "isOutdated": True, "path": "a.hip", "line": None,
        "comments": {"totalCount": 3, "nodes": [{"databaseId": number, "author": author, "body": "b"}]},
    }  # fmt: skip


def test_a_comment_that_is_gone_needs_no_deletion() -> None:
    bench(no(404)).client.delete_comment("o/r", 1)
    bench(no(410)).client.delete_comment("o/r", 1)
    bench(no(404)).client.unreact("o/r", 1, 2)


def test_a_workflows_token_learns_its_name_by_graphql_and_once() -> None:
    made = bench({"data": {"viewer": {"login": "github-actions[bot]"}}})

    assert [made.client.identity() for _ in range(3)] == ["github-actions[bot]"] * 3


def test_a_server_without_graphql_is_asked_in_the_old_way() -> None:
    made = bench(no(404), {"login": "robot"})

    assert made.client.identity() == "robot"
    assert made.wire.asked[1][:2] == ("GET", "/user")


def test_an_app_that_may_ask_nothing_is_the_workflows_own() -> None:
    made = bench(no(403), no(403, "Resource not accessible by integration"))

    assert made.client.identity() == "github-actions[bot]"


def test_a_wrong_token_is_not_taken_for_the_workflows() -> None:
    with pytest.raises(GitHubError, match="401"):
        bench(no(401), no(401, "Bad credentials")).client.identity()


@pytest.mark.parametrize("answer", [None, [], "text", {"data": "<html>"}, {"id": "1"}, {"id": 1, "user": 3}])
def test_an_answer_of_another_shape_is_told_and_no_crash(answer: object) -> None:
    with pytest.raises(GitHubError, match="cannot read"):
        bench(answer).client.edit_comment("o/r", 1, "text")


def test_nothing_that_is_optional_is_sent_empty() -> None:
    made = bench({}, {"id": 1}, [])

    made.client.set_status("o/r", HEAD, state="success", context="c", description="d", url=None)
    made.client.create_check("o/r", _check(conclusion=None), [])
    made.client.comments("o/r", 5)

    assert made.wire.asked[0][3] == {"state": "success", "context": "c", "description": "d"}
    assert made.wire.asked[1][3] == {
        "head_sha": HEAD,
        "name": "rocm-ci",
        "status": "in_progress",
        "external_id": "x",
        "output": {"title": "t", "summary": "s", "annotations": []},
    }
    assert made.wire.asked[2][2] == {"per_page": 100, "page": 1}


def test_a_check_run_is_replaced_whole() -> None:
    made = bench({"id": 1, "conclusion": "success"})
    button = CheckAction(label="Run again", description="the failed jobs", identifier="rerun-failed")

    posted = made.client.update_check("o/r", 1, _check(conclusion="success", actions=(button,)), [])

    sent = made.wire.asked[0][3]
    assert (sent["status"], sent["conclusion"], sent["external_id"]) == ("completed", "success", "x")
    assert [a["identifier"] for a in sent["actions"]] == ["rerun-failed"]
    assert posted.conclusion == "success"


def test_a_lost_deleted_account_is_nobody() -> None:
    made = bench([{**COMMENT, "user": None, "body": None}], [{"id": 1, "content": "eyes", "user": None}])

    (comment,) = made.client.comments("o/r", 5)
    assert (comment.author, comment.body) == ("", "")
    assert made.client.reactions("o/r", 1) == (Reacted(id=1, author="", content="eyes"),)


def test_comments_can_be_asked_for_since_a_moment() -> None:
    made = bench([])

    made.client.comments("o/r", 5, since="2026-11-30T12:00:00Z")

    assert made.wire.asked[0][2]["since"] == "2026-11-30T12:00:00Z"


def test_of_the_statuses_of_a_context_the_newest_counts() -> None:
    listed = [
        {"context": "a", "state": "success", "creator": {"login": "me"}, "target_url": "url"},
        {"context": "a", "state": "failure", "creator": {"login": "mallory"}},
        {"context": "b", "state": "pending", "creator": None},
    ]

    found = bench(more(*listed[:1]), listed[1:]).client.statuses("o/r", HEAD)

    assert found == (
        Status(context="a", state="success", description="", creator="me", url="url"),
        Status(context="b", state="pending", description="", creator=""),
    )


def test_a_sarif_log_is_packed_and_the_same_log_is_the_same_request() -> None:
    made = bench({"id": "u"}, {})

    assert made.client.upload_sarif("o/r", commit=HEAD, ref="refs/pull/5/head", sarif=b"{}") == "u"
    assert made.client.upload_sarif("o/r", commit=HEAD, ref="refs/pull/5/head", sarif=b"{}") == ""

    first, again = (body["sarif"] for _, _, _, body in made.wire.asked)
    assert first == again
    assert gzip.decompress(base64.b64decode(first)) == b"{}"


def test_runs_are_asked_for_by_what_is_given_only() -> None:
    made = bench({"workflow_runs": [RUN]}, {"workflow_runs": []})

    (run,) = made.client.runs("o/r", workflow="rocm-ci.yml", head=HEAD, event="push", limit=5)
    made.client.runs("o/r", workflow="../../user", status="queued", limit=500)

    assert (run.id, run.attempt, run.branch, run.head_repository, run.conclusion) == (7, 1, None, None, None)
    assert made.wire.asked[0][1:3] == (
        "/repos/o/r/actions/workflows/rocm-ci.yml/runs",
        {"head_sha": HEAD, "event": "push", "per_page": 5},
    )
    assert made.wire.asked[1][1:3] == (
        "/repos/o/r/actions/workflows/..%2F..%2Fuser/runs",
        {"status": "queued", "per_page": 100},
    )


def test_artifacts_come_newest_first_and_once() -> None:
    def one(number: int, created: str | None) -> dict[str, Any]:
        return {"id": number, "name": "n", "size_in_bytes": 1, "expired": False, "created_at": created}

    made = bench(
        {"artifacts": [one(1, "2026-01-01"), one(3, None), one(2, "2026-01-02"), one(1, "2026-01-01")]}
    )

    assert [a.id for a in made.client.artifacts("o/r", 7)] == [2, 1, 3]


def test_a_run_that_has_ended_needs_no_cancelling() -> None:
    bench(no(409, "Cannot cancel a workflow run that is completed.")).client.cancel("o/r", 7)


def test_only_failed_jobs_are_run_again_when_asked_so() -> None:
    made = bench({}, {})
    made.client.rerun("o/r", 7, failed_only=True)
    made.client.rerun("o/r", 7, failed_only=False)

    assert [path.rpartition("/")[2] for _, path, _, _ in made.wire.asked] == ["rerun-failed-jobs", "rerun"]


def test_a_remark_on_one_line_has_no_first_line() -> None:
    made = bench({})
    remarks = [
        Remark(path="a", line=3, body="b"),
        Remark(path="a", line=3, body="b", start_line=3),
        Remark(path="a", line=3, body="b", start_line=2),
    ]

    made.client.create_review("o/r", 5, commit=HEAD, body="hello", remarks=remarks)

    one, same, two = made.wire.asked[0][3]["comments"]
    assert one == same == {"path": "a", "body": "b", "line": 3, "side": "RIGHT"}
    assert two == {**one, "start_line": 2, "start_side": "RIGHT"}


def test_threads_are_read_over_all_pages_and_a_bots_name_is_that_of_rest() -> None:
    bot = {"__typename": "Bot", "login": "github-actions"}
    made = bench(
        threads(thread(1, bot), cursor="c"),
        threads(thread(2, {"__typename": "User", "login": "ann"}), thread(3, None)),
    )

    found = made.client.threads("o/r", 5)

    assert [(t.id, t.comment, t.author, t.replies) for t in found] == [
        ("T1", 1, "github-actions[bot]", 2),
        ("T2", 2, "ann", 2),
        ("T3", 3, "", 2),
    ]
    assert [body["variables"]["after"] for _, _, _, body in made.wire.asked] == [None, "c"]


def test_an_account_that_github_does_not_know_may_nothing() -> None:
    made = bench(no(404, "ghost is not a user"))

    assert made.client.permission("o/r", "a/../b") == "none"
    assert made.wire.asked[0][1] == "/repos/o/r/collaborators/a%2F..%2Fb/permission"


def _check(**changed: Any) -> Check:
    known = {"name": "rocm-ci", "commit": HEAD, "title": "t", "summary": "s", "external_id": "x"}
    return Check(**{**known, **changed})
