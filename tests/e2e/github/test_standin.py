"""The stand-in GitHub has GitHub's rules where the API description is silent, and says no as GitHub does."""

from __future__ import annotations

import base64
import gzip
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
import requests

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import Check, CheckAction, PermissionRefusedError, RejectedError
from rocm_ci.github.rest import RestClient
from rocm_ci.github.review import Remark
from rocm_ci.github.transport import Transport
from tests.e2e.github.conftest import BOT, FIRST, SECOND
from tests.standin.server import StandIn
from tests.standin.things import ALL, BOT_WRITES, Limit
from tests.standin.world import Identity, PullFile

if TYPE_CHECKING:
    from collections.abc import Iterator

PATCH = "@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n e\n@@ -20,2 +21,2 @@\n-x\n+y\n z\n\\ No newline at end of file"
CHECK = Check(
    name="rocm-ci", commit=FIRST, conclusion="success", title="t", summary="s", external_id="x", actions=()
)


@pytest.fixture
def github() -> Iterator[StandIn]:
    """Not the one of the other tests: here requests are wrong on purpose."""
    with StandIn() as server:
        server.world.tokens["bot"] = Identity(login=BOT, is_app=True, writes=BOT_WRITES)
        server.world.tokens["person"] = Identity(login="maintainer")
        server.world.open_pull("o/r", 5, FIRST)
        yield server


def client(github: StandIn, who: str = "bot", **options: Any) -> RestClient:
    known: dict[str, Any] = {"pause_s": 0.0, "tries": 1}
    return RestClient(Transport(who, api_url=github.url, **{**known, **options}))


def raw(github: StandIn, method: str, path: str, body: Any = None, **headers: str) -> Any:
    return requests.request(
        method,
        github.url + path,
        json=body,
        headers={"Authorization": "token bot", **headers},
        timeout=10,
        allow_redirects=False,
    )


# -- reactions, permissions, locks -----------------------------------------------------------------


def test_a_reaction_twice_is_one_reaction(github: StandIn) -> None:
    comment = github.world.say("o/r", 5, "ann", "/rocm-ci run").id
    path = f"/repos/o/r/issues/comments/{comment}/reactions"

    codes = [raw(github, "POST", path, {"content": "eyes"}).status_code for _ in range(2)]

    assert codes == [201, 200]
    assert len(github.world.repositories["o/r"].reactions) == 1


def test_nobody_takes_the_reaction_of_another_away(github: StandIn) -> None:
    comment = github.world.say("o/r", 5, "ann", "hello").id
    reaction = client(github, "person").react("o/r", comment, "eyes")

    with pytest.raises(PermissionRefusedError):
        client(github).unreact("o/r", comment, reaction)


@pytest.mark.parametrize(
    ("role", "permission"),
    [("admin", "admin"), ("maintain", "write"), ("write", "write"), ("triage", "read"), ("read", "read")],
)
def test_roles_fold_into_permissions(github: StandIn, role: str, permission: str) -> None:
    github.world.grant("o/r", "ann", role)

    answer = raw(github, "GET", "/repos/o/r/collaborators/ann/permission").json()

    assert (answer["permission"], answer["role_name"]) == (permission, role)


def test_an_account_without_a_role_reads_what_is_public_and_nothing_private(github: StandIn) -> None:
    github.world.grant("o/r", "stranger", None)
    assert client(github).permission("o/r", "stranger") == "read"

    github.world.repositories["o/r"].is_private = True
    assert client(github).permission("o/r", "stranger") == "none"
    assert client(github).permission("o/r", "nobody") == "none"


def test_a_locked_conversation_takes_nothing(github: StandIn) -> None:
    comment = github.world.say("o/r", 5, "ann", "hello").id
    github.world.repositories["o/r"].pulls[5].locked = True

    for call in (
        lambda: client(github).create_comment("o/r", 5, "hello"),
        lambda: client(github).react("o/r", comment, "eyes"),
    ):
        with pytest.raises(GitHubError, match="locked"):
            call()
    assert github.forbidden == []


def test_what_a_token_may_not_do_is_written_down(github: StandIn) -> None:
    github.world.tokens["few"] = Identity(login=BOT, is_app=True, writes=frozenset({"checks"}))
    run = github.world.ran("o/r", head=FIRST)
    few = client(github, "few")
    few.create_check("o/r", CHECK, [])

    for call in (
        lambda: few.create_comment("o/r", 5, "hello"),
        lambda: few.set_status("o/r", FIRST, state="success", context="c", description="d", url=None),
        lambda: few.rerun("o/r", run, failed_only=False),
        lambda: few.resolve_thread(github.world.remark("o/r", 5, "a", "b", path="x", line=1).id),
    ):
        with pytest.raises(PermissionRefusedError):
            call()

    assert github.forbidden == [
        "POST /repos/o/r/issues/5/comments",
        f"POST /repos/o/r/statuses/{FIRST}",
        f"POST /repos/o/r/actions/runs/{run}/rerun",
        "POST /graphql",
    ]


def test_in_a_private_repository_reading_needs_a_permission_too(github: StandIn) -> None:
    github.world.tokens["blind"] = Identity(
        login=BOT, is_app=True, writes=frozenset(), reads=frozenset({"contents"})
    )
    assert client(github, "blind").pull("o/r", 5).number == 5

    github.world.repositories["o/r"].is_private = True
    with pytest.raises(PermissionRefusedError, match="not accessible") as caught:
        client(github, "blind").pull("o/r", 5)
    assert "pull_requests=read" in caught.value.hint


def test_without_a_name_github_does_not_talk(github: StandIn) -> None:
    assert raw(github, "GET", "/repos/o/r", **{"User-Agent": ""}).status_code == 403
    assert raw(github, "GET", "/repos/o/r", **{"X-GitHub-Api-Version": "1999-01-01"}).status_code == 400


# -- limits ------------------------------------------------------------------------------------------


def test_the_primary_limit_counts_down_refuses_and_is_full_again_at_its_reset(github: StandIn) -> None:
    github.world.limits["bot"] = Limit(limit=2, used=0, reset=time.time() + 3600)
    left = [raw(github, "GET", "/repos/o/r").headers["X-RateLimit-Remaining"] for _ in range(2)]

    over = raw(github, "GET", "/repos/o/r")
    github.world.limits["bot"].reset = time.time() - 1
    again = raw(github, "GET", "/repos/o/r")

    assert left == ["1", "0"]
    assert (over.status_code, over.json()["message"][:23]) == (403, "API rate limit exceeded")
    assert (again.status_code, again.headers["X-RateLimit-Remaining"]) == (200, "1")


def test_the_client_waits_for_the_reset_and_goes_on(github: StandIn) -> None:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        github.world.limits["bot"].reset = time.time() - 1

    github.world.limits["bot"] = Limit(limit=1, used=1, reset=time.time() + 50)

    assert client(github, tries=2, sleep=sleep).pull("o/r", 5).number == 5
    assert 45 < slept[0] < 55


def test_too_many_writes_within_a_minute_meet_the_secondary_limit_and_the_client_waits_it_out(
    github: StandIn,
) -> None:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        github.world.limits["bot"].written.clear()

    github.world.limits["bot"] = Limit(writes=2)
    ours = client(github, tries=2, sleep=sleep, jitter=lambda: 0.0)

    for number in range(3):
        ours.create_comment("o/r", 5, f"remark {number}")

    assert slept == [60.0]
    assert len(github.world.repositories["o/r"].comments) == 3


# -- runs and artifacts --------------------------------------------------------------------------------


def test_the_store_of_artifacts_takes_no_token_and_only_its_signed_address(github: StandIn) -> None:
    artifact = github.world.store("o/r", github.world.ran("o/r", head=FIRST), "a", {"report.json": b"{}"})

    there = raw(github, "GET", f"/repos/o/r/actions/artifacts/{artifact.id}/zip")
    assert there.status_code == 302
    address = there.headers["Location"]

    assert requests.get(address, headers={"Authorization": "token bot"}, timeout=10).status_code == 400
    assert requests.get(address.partition("?")[0], timeout=10).status_code == 403
    assert requests.get(address, timeout=10).content == artifact.data
    assert client(github).download_artifact("o/r", artifact.id, limit=1000) == artifact.data


def test_an_expired_artifact_is_gone(github: StandIn) -> None:
    run = github.world.ran("o/r", head=FIRST)
    artifact = github.world.store("o/r", run, "a", b"zip", expired=True)

    with pytest.raises(GitHubError, match="410"):
        client(github).download_artifact("o/r", artifact.id, limit=1000)
    assert [a.expired for a in client(github).artifacts("o/r", run)] == [True]


def test_artifacts_are_listed_over_pages(github: StandIn) -> None:
    run = github.world.ran("o/r", head=FIRST)
    for number in range(130):
        github.world.store("o/r", run, f"leg-{number}", b"zip")

    assert len(client(github).artifacts("o/r", run)) == 130


def test_a_run_under_way_is_not_run_again_and_a_finished_one_not_cancelled(github: StandIn) -> None:
    ours, running = client(github), github.world.ran("o/r", head=FIRST, conclusion=None)

    with pytest.raises(GitHubError, match="already running") as caught:
        ours.rerun("o/r", running, failed_only=False)
    ours.cancel("o/r", running)

    assert not isinstance(caught.value, PermissionRefusedError)
    assert ours.run("o/r", running).conclusion == "cancelled"
    assert raw(github, "POST", f"/repos/o/r/actions/runs/{running}/cancel").status_code == 409


def test_only_a_run_of_a_fork_that_waits_is_approved(github: StandIn) -> None:
    ours, own = client(github), github.world.ran("o/r", head=FIRST, conclusion="action_required")
    waits = github.world.ran("o/r", head=SECOND, conclusion="action_required", head_repository="stranger/r")

    ours.approve("o/r", waits)

    assert ours.run("o/r", waits).status == "queued"
    for wrong in (own, waits):
        with pytest.raises(GitHubError, match="fork"):
            ours.approve("o/r", wrong)


@pytest.mark.parametrize(
    ("ref", "inputs", "why"),
    [
        ("gone", {"number": "5"}, "No ref found for: gone"),
        ("main", {"number": "5", "evil": "x"}, "Unexpected inputs provided"),
        ("main", {}, "Required input 'number' not provided"),
    ],
)
def test_a_dispatch_that_does_not_fit_is_refused(
    github: StandIn, ref: str, inputs: dict[str, str], why: str
) -> None:
    github.world.workflow("o/r", inputs={"number": True, "suite": False})

    with pytest.raises(RejectedError, match=why):
        client(github).dispatch("o/r", workflow="rocm-ci.yml", ref=ref, inputs=inputs)
    assert github.world.repositories["o/r"].runs == []


def test_a_dispatch_runs_what_stands_on_the_branch_under_the_name_its_workflow_gives(github: StandIn) -> None:
    github.world.workflow("o/r", inputs={"number": True, "head": True}, run_name="rocm-ci #{number} {head}")
    github.world.push_branch("o/r", "main", SECOND)

    client(github).dispatch("o/r", workflow="rocm-ci.yml", ref="main", inputs={"number": "5", "head": FIRST})

    (run,) = client(github).runs("o/r", workflow="rocm-ci.yml", event="workflow_dispatch")
    assert (run.title, run.head, run.branch, run.status) == (f"rocm-ci #5 {FIRST}", SECOND, "main", "queued")


# -- reviews -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remark", "why"),
    [
        ({"line": 5}, "must be part of the diff"),
        ({"line": 20}, "must be part of the diff"),
        ({"line": 3, "start_line": 3}, "must precede"),
        ({"line": 3, "start_line": 4}, "must precede"),
        ({"line": 21, "start_line": 3}, "same hunk"),
        ({"line": 3, "path": "other.hip"}, "Path could not be resolved"),
        ({"line": 1, "path": "logo.png"}, "must be part of the diff"),
        ({"line": 3, "body": " "}, "blank"),
        ({"line": 4, "side": "LEFT"}, "must be part of the diff"),
    ],
)
def test_one_remark_outside_the_diff_loses_the_whole_review(
    github: StandIn, remark: dict[str, Any], why: str
) -> None:
    pull = github.world.repositories["o/r"].pulls[5]
    pull.files = [PullFile(filename="a.hip", patch=PATCH), PullFile(filename="logo.png")]
    good = {"path": "a.hip", "line": 3, "start_line": 2, "side": "RIGHT", "body": "good"}
    body = {
        "commit_id": FIRST,
        "body": "two",
        "event": "COMMENT",
        "comments": [good, {"path": "a.hip", "side": "RIGHT", "body": "b", **remark}],
    }

    answer = raw(github, "POST", "/repos/o/r/pulls/5/reviews", body)

    assert answer.status_code == 422
    assert why in answer.json()["errors"][0]
    assert github.world.repositories["o/r"].threads == []
    assert github.world.repositories["o/r"].reviews == []


def test_every_line_that_the_diff_shows_takes_a_remark(github: StandIn) -> None:
    github.world.repositories["o/r"].pulls[5].files = [PullFile(filename="a.hip", patch=PATCH)]
    remarks = [Remark(path="a.hip", line=line, body="b") for line in (1, 2, 3, 4, 21, 22)]

    client(github).create_review("o/r", 5, commit=FIRST, body="all", remarks=remarks)

    assert [t.line for t in client(github).threads("o/r", 5)] == [1, 2, 3, 4, 21, 22]


def test_a_review_is_about_a_commit_of_the_pull_request_and_says_something(github: StandIn) -> None:
    for commit, body in ((SECOND, "hello"), (FIRST, "")):
        with pytest.raises(RejectedError):
            client(github).create_review("o/r", 5, commit=commit, body=body, remarks=[])


def test_more_threads_than_a_page_holds_are_all_found(github: StandIn) -> None:
    for number in range(230):
        github.world.remark("o/r", 5, "ann", f"remark {number}", path="a.hip", line=1)

    found = client(github).threads("o/r", 5)

    assert [t.body for t in found] == [f"remark {n}" for n in range(230)]


def test_resolving_needs_the_right_to_write_contents(github: StandIn) -> None:
    thread = github.world.remark("o/r", 5, BOT, "fix this", path="a.hip", line=1)
    github.world.tokens["all"] = Identity(login=BOT, is_app=True, writes=ALL)

    with pytest.raises(PermissionRefusedError):
        client(github).resolve_thread(thread.id)
    client(github, "all").resolve_thread(thread.id)

    assert thread.is_resolved


@pytest.mark.parametrize(
    ("query", "variables", "why"),
    [
        ("query { viewer { login } ", {}, "Unexpected end"),
        ("query { viewer { password } }", {}, "'password' doesn't exist on type 'User'"),
        ("query { viewer }", {}, "must have"),
        ("query ($n: Int!) { viewer { login } }", {"n": "5"}, "invalid value"),
        (
            'query { repository(owner: $o, name: "r") { pullRequest(number: 5) { number } } }',
            {},
            "not declared",
        ),
        ("query { viewer(first: 3) { login } }", {}, "doesn't accept argument 'first'"),
        ("mutation { deleteRepository { id } }", {}, "doesn't exist on type 'Mutation'"),
        ("subscription { viewer { login } }", {}, "Parse error"),
        (
            'mutation { resolveReviewThread(input: {threadId: "x"}) { thread { id } } }',
            {},
            "Could not resolve",
        ),
    ],
)
def test_a_question_in_graphql_that_is_none_is_told(
    github: StandIn, query: str, variables: dict[str, Any], why: str
) -> None:
    answer = raw(github, "POST", "/graphql", {"query": query, "variables": variables})

    assert answer.status_code == 200
    assert why in answer.json()["errors"][0]["message"]


# -- verdicts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "actions",
    [
        [("Run again", "the failed jobs", "rerun")] * 4,
        [("x" * 21, "the failed jobs", "rerun")],
        [("Run again", "x" * 41, "rerun")],
        [("Run again", "the failed jobs", "x" * 21)],
        [("", "the failed jobs", "rerun")],
    ],
    ids=["four", "label", "description", "identifier", "empty"],
)
def test_buttons_of_a_check_run_are_few_and_short(
    github: StandIn, actions: list[tuple[str, str, str]]
) -> None:
    made = tuple(CheckAction(label=a, description=b, identifier=c) for a, b, c in actions)

    with pytest.raises(RejectedError):
        client(github).create_check("o/r", Check(**{**vars(CHECK), "actions": made}), [])
    assert github.world.repositories["o/r"].checks == []


@pytest.mark.parametrize(
    "state",
    [
        {"status": "completed"},
        {"status": "done"},
        {"conclusion": "green"},
        {"output": {"title": "t", "summary": "é" * 40_000}},
        {"output": {"title": "t" * 256, "summary": "s"}},
        {"output": {"title": "t", "summary": ""}},
    ],
)
def test_a_check_run_that_makes_no_sense_is_refused_and_nothing_of_it_kept(
    github: StandIn, state: dict[str, Any]
) -> None:
    body = {"name": "rocm-ci", "head_sha": FIRST, **state}

    assert raw(github, "POST", "/repos/o/r/check-runs", body).status_code == 422
    assert github.world.repositories["o/r"].checks == []


def test_a_check_run_in_progress_ends_and_may_begin_again(github: StandIn) -> None:
    ours = client(github)
    begun = ours.create_check("o/r", Check(**{**vars(CHECK), "conclusion": None}), [])
    ended = ours.update_check("o/r", begun.id, CHECK, [])
    again = ours.update_check("o/r", begun.id, Check(**{**vars(CHECK), "conclusion": None}), [])

    assert [p.conclusion for p in (begun, ended, again)] == [None, "success", None]


def test_the_combined_status_is_the_worst_of_the_newest(github: StandIn) -> None:
    ours = client(github)
    for state, context in (("success", "a"), ("error", "b"), ("success", "b"), ("pending", "c")):
        ours.set_status("o/r", FIRST, state=state, context=context, description="d", url=None)  # type: ignore[arg-type]

    answer = raw(github, "GET", f"/repos/o/r/commits/{FIRST}/status").json()

    assert (answer["state"], answer["total_count"]) == ("pending", 3)


def test_a_sarif_log_must_unpack_and_keep_its_limits(github: StandIn) -> None:
    def sent(packed: bytes) -> int:
        body = {"commit_sha": FIRST, "ref": "refs/heads/main", "sarif": base64.b64encode(packed).decode()}
        code: int = raw(github, "POST", "/repos/o/r/code-scanning/sarifs", body).status_code
        return code

    def log(**run: Any) -> bytes:
        return gzip.compress(json.dumps({"version": "2.1.0", "runs": [run]}).encode())

    assert sent(log(results=[])) == 202
    assert sent(b"{}") == 400
    assert sent(gzip.compress(b"no json")) == 400
    assert sent(gzip.compress(b"{}")) == 400
    assert sent(log(results=[{}] * 25_001)) == 400
    github.world.repositories["o/r"].code_scanning = False
    assert sent(log(results=[])) == 403
