"""What we send, and what our stand-in answers, against GitHub's published API description."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.github import port
from rocm_ci.github.client import Annotation, Check, CheckAction
from rocm_ci.github.rest import RestClient
from rocm_ci.github.review import Remark
from rocm_ci.github.transport import Transport
from tests.contract.description import violations
from tests.standin.server import Exchange, StandIn
from tests.standin.things import ALL
from tests.standin.world import Identity, PullFile

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.contract

HEAD = "a" * 40
CALLS = [
    name
    for part in (port.Conversation, port.Verdicts, port.Runs, port.Reviews, port.People)
    for name, call in vars(part).items()
    if inspect.isfunction(call) and not name.startswith("_")
]
BUTTON = CheckAction(label="Run failed again", description="the failed jobs", identifier="rerun-failed")
NOTE = Annotation(
    path="src/a.hip",
    start_line=3,
    end_line=3,
    start_column=1,
    end_column=4,
    level="failure",
    title="warp-mask-32",
    message="half of the lanes never take part",
)
CHECK = Check(
    name="rocm-ci",
    commit=HEAD,
    conclusion="failure",
    title="this change fails 1 test",
    summary="## no",
    external_id="rocm-ci:default:7.1:0",
    details_url="https://example.com/run",
)


PATCH = "@@ -1,4 +1,5 @@\n a\n-b\n+c\n+d\n e\n@@ -20,2 +21,2 @@\n-x\n+y\n z"
LOG = b'{"version": "2.1.0", "runs": [{"results": []}]}'


@pytest.fixture
def github() -> Iterator[StandIn]:
    with StandIn() as server:
        world = server.world
        world.tokens["app"] = Identity(login="github-actions[bot]", is_app=True, writes=ALL)
        world.tokens["user"] = Identity(login="maintainer")
        world.tokens["reader"] = Identity(login="github-actions[bot]", is_app=True, writes=frozenset())
        files = [PullFile(filename="src/a.hip", patch=PATCH), PullFile(filename="logo.png", status="added")]
        world.open_pull("o/r", 5, HEAD, files=files)
        world.open_pull("o/r", 6, "f" * 40, branch="topic", fork="stranger/r")
        world.workflow("o/r", inputs={"number": True, "head": True, "suite": False}, run_name="#{number}")
        world.grant("o/r", "ann", "maintain")
        world.grant("o/r", "stranger", None)
        yield server


def client(github: StandIn, who: str = "app") -> RestClient:
    return RestClient(Transport(who, api_url=github.url, pause_s=0.0, tries=1))


def assert_kept(github: StandIn) -> None:
    found = [line for exchange in github.log for line in violations(exchange)]

    assert found == []
    assert len(github.log) > 1


def test_what_is_said_keeps_the_description(github: StandIn) -> None:
    ours = client(github)

    assert ours.identity() == "github-actions[bot]"
    assert ours.pull("o/r", 5).base_ref == "main"
    assert [p.number for p in ours.open_pulls("o/r", "stranger:topic")] == [6]
    assert [p.number for p in ours.pulls_of_commit("o/r", HEAD)] == [5]
    first = ours.create_comment("o/r", 5, "hello")
    ours.create_comment("o/r", 5, "hello again")
    github.world.now = "2026-11-30T13:00:00Z"
    ours.edit_comment("o/r", first.id, "changed")
    assert [c.id for c in ours.comments("o/r", 5, since="2026-11-30T12:30:00Z")] == [first.id]
    assert [c.created for c in ours.comments("o/r", 5)] == ["2026-11-30T12:00:00Z"] * 2
    eyes = ours.react("o/r", first.id, "eyes")
    assert ours.react("o/r", first.id, "eyes") == eyes
    ours.react("o/r", first.id, "confused")
    ours.unreact("o/r", first.id, eyes)
    ours.unreact("o/r", first.id, eyes)
    assert [r.content for r in ours.reactions("o/r", first.id)] == ["confused"]
    ours.delete_comment("o/r", first.id)
    ours.delete_comment("o/r", first.id)

    assert_kept(github)


def test_verdicts_keep_the_description(github: StandIn) -> None:
    ours = client(github)

    ours.set_status("o/r", HEAD, state="failure", context="c", description="no", url="https://example.com")
    ours.set_status("o/r", HEAD, state="success", context="c", description="yes", url=None)
    assert [(s.state, s.creator, s.url) for s in ours.statuses("o/r", HEAD)] == [
        ("success", "github-actions[bot]", "")
    ]
    begun = ours.create_check("o/r", replace(CHECK, conclusion=None, external_id="pending"), [])
    assert begun.conclusion is None
    ours.update_check("o/r", begun.id, CHECK, [NOTE] * 50)
    ours.update_check("o/r", begun.id, replace(CHECK, actions=(BUTTON,)), [replace(NOTE, start_column=None)])
    (posted,) = ours.checks("o/r", HEAD, "rocm-ci")
    assert (posted.conclusion, posted.annotations, posted.external_id) == ("failure", 51, CHECK.external_id)
    ours.create_check("o/r", replace(CHECK, conclusion="cancelled"), [NOTE])
    assert ours.upload_sarif("o/r", commit=HEAD, ref="refs/pull/5/head", sarif=LOG)

    (check, _) = github.world.repositories["o/r"].checks
    assert check.actions[0]["identifier"] == "rerun-failed"
    assert_kept(github)


def test_runs_keep_the_description(github: StandIn) -> None:
    ours, world = client(github), github.world
    old = world.ran("o/r", head=HEAD, conclusion="failure", created="2026-11-29T12:00:00Z")
    new = world.ran("o/r", head=HEAD, event="push", branch="main")
    waiting = world.ran("o/r", head="f" * 40, conclusion="action_required", head_repository="stranger/r")
    world.store("o/r", old, "rocm-ci-report", {"report.json": b"{}"}, created="2026-11-29T12:00:00Z")
    kept = world.store("o/r", old, "rocm-ci-report", {"report.json": b"[]"})

    assert ours.run("o/r", old).conclusion == "failure"
    assert [r.id for r in ours.runs("o/r")] == [waiting, new, old]
    asked = {"workflow": "rocm-ci.yml", "head": HEAD, "event": "push", "branch": "main", "status": "success"}
    assert [r.id for r in ours.runs("o/r", **asked)] == [new]  # type: ignore[arg-type]
    assert [r.id for r in ours.runs("o/r", workflow=40, limit=1)] == [waiting]
    github.world.repositories["o/r"].runs[0].jobs = [("Gate", "failure"), ("Report", None)]
    assert [(j.name, j.conclusion) for j in ours.jobs("o/r", old, 1)] == [
        ("Gate", "failure"),
        ("Report", None),
    ]
    world.push("o/r", 5, HEAD, forced="2026-11-30T12:00:01Z")
    assert ours.force_pushes("o/r", 5) == ("2026-11-30T12:00:01Z",)
    assert [a.id for a in ours.artifacts("o/r", old)] == [kept.id, kept.id - 1]
    assert ours.download_artifact("o/r", kept.id, limit=1000) == kept.data
    ours.approve("o/r", waiting)
    ours.rerun("o/r", old, failed_only=True)
    ours.rerun("o/r", new, failed_only=False)
    ours.cancel("o/r", old)
    ours.cancel("o/r", old)
    ours.dispatch("o/r", workflow="rocm-ci.yml", ref="main", inputs={"number": "5", "head": HEAD})

    newest = ours.runs("o/r", event="workflow_dispatch")[0]
    assert (newest.title, newest.status, newest.branch) == ("#5", "queued", "main")
    assert ours.run("o/r", old).attempt == 2
    assert_kept(github)


def test_reviews_keep_the_description(github: StandIn) -> None:
    ours = client(github)
    remarks = [
        Remark(path="src/a.hip", line=3, start_line=2, body="```suggestion\nx\n```"),
        Remark(path="src/a.hip", line=22, body="two"),
    ]

    assert [(f.path, f.patch) for f in ours.files("o/r", 5)] == [("src/a.hip", PATCH), ("logo.png", None)]
    ours.create_review("o/r", 5, commit=HEAD, body="two things", remarks=remarks)
    first, second = ours.threads("o/r", 5)
    assert (first.author, first.line, first.replies) == ("github-actions[bot]", 3, 0)
    ours.edit_review_comment("o/r", second.comment, "changed")
    ours.resolve_thread(first.id)
    assert [(t.body[:3], t.is_resolved) for t in ours.threads("o/r", 5)] == [("```", True), ("cha", False)]

    assert_kept(github)


def test_people_keep_the_description(github: StandIn) -> None:
    ours = client(github)

    assert [ours.permission("o/r", who) for who in ("ann", "stranger", "nobody")] == ["write", "read", "none"]
    assert ours.default_branch("o/r") == "main"
    assert_kept(github)


def test_every_call_of_the_client_was_made_in_this_file() -> None:
    """What is never called is never compared with the description."""
    written = Path(__file__).read_text()

    assert [name for name in CALLS if f"ours.{name}(" not in written] == []


def test_the_token_of_a_person_may_ask_who_it_is(github: StandIn) -> None:
    headers, data = client(github, "user")._transport.ask("GET", "/user", task="ask")

    assert (data["login"], "x-ratelimit-limit" in headers) == ("maintainer", True)
    client(github, "user").comments("o/r", 5)
    assert_kept(github)


def test_many_pages_keep_the_description(github: StandIn) -> None:
    for number in range(250):
        github.world.say("o/r", 5, "reviewer", f"remark {number}")

    assert len(client(github).comments("o/r", 5)) == 250
    assert_kept(github)


def test_refusals_keep_the_description(github: StandIn) -> None:
    ours, reader, world = client(github), client(github, "reader"), github.world
    there = ours.create_comment("o/r", 5, "hello").id
    run = world.ran("o/r", head=HEAD, conclusion=None)
    gone = world.store("o/r", run, "rocm-ci-report", {}, expired=True).id
    for call in (
        lambda: ours.pull("o/r", 99),
        lambda: ours.create_comment("o/r", 5, "x" * 70_000),
        lambda: ours.edit_comment("o/r", there, "   "),
        lambda: reader.create_comment("o/r", 5, "hello"),
        lambda: ours.set_status("o/r", "e" * 40, state="success", context="c", description="d", url=None),
        lambda: ours.rerun("o/r", run, failed_only=False),
        lambda: ours.approve("o/r", run),
        lambda: ours.download_artifact("o/r", gone, limit=9),
        lambda: ours.dispatch("o/r", workflow="none.yml", ref="main", inputs={}),
        lambda: ours.upload_sarif("o/r", commit="e" * 40, ref="refs/heads/main", sarif=LOG),
        lambda: reader.upload_sarif("o/r", commit=HEAD, ref="refs/heads/main", sarif=LOG),
        lambda: ours.create_review("o/r", 5, commit="e" * 40, body="b", remarks=[]),
        lambda: reader.react("o/r", there, "eyes"),
        lambda: reader.resolve_thread("T"),
    ):
        with pytest.raises(GitHubError):
            call()

    assert_kept(github)


def test_the_description_catches_a_wrong_request_and_a_wrong_answer(github: StandIn) -> None:
    client(github).create_comment("o/r", 5, "hello")
    exchange = github.log[-1]
    assert exchange.answer is not None

    no_body = replace(exchange, request=replace(exchange.request, body={"text": "hello"}))
    lost = {k: v for k, v in exchange.answer.body.items() if k != "html_url"}
    no_address = replace(exchange, answer=replace(exchange.answer, body=lost))

    assert "'body' is a required property" in _only(no_body)
    assert "'html_url' is a required property" in _only(no_address)


def _only(exchange: Exchange) -> str:
    (found,) = violations(exchange)
    return found
