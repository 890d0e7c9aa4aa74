"""Which pull request a finished workflow run belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocm_ci.errors import RocmCiError
from rocm_ci.github import trigger
from rocm_ci.github.client import DeclinedError
from rocm_ci.github.review import ChangedFile
from rocm_ci.github.trigger import FinishedRun
from tests.unit.github.fake import FakeGitHub, pull

EVENTS = Path(__file__).resolve().parents[2] / "data" / "events"
HEAD, NEWER = "a" * 40, "b" * 40


def published() -> dict[str, Any]:
    body: dict[str, Any] = json.loads((EVENTS / "workflow_run.completed.json").read_bytes())
    return body


def read(body: object) -> FinishedRun:
    return trigger.finished_run(json.dumps(body).encode())


def run(branch: str | None = "stranger:topic", head_repository: str | None = "stranger/r") -> FinishedRun:
    return FinishedRun(
        repository="o/r",
        head=HEAD,
        head_repository=head_repository,
        branch=branch,
        event="pull_request",
        run_id=7,
        run_attempt=1,
    )


def test_the_published_payload_is_read() -> None:
    found = read(published())

    assert found == FinishedRun(
        repository="octo-org/octo-repo",
        head="3484a3fb816e0859fd6e1cea078d76385ff50625",
        head_repository="octo-org/octo-repo",
        branch="octo-org:master",
        event="repository_dispatch",
        run_id=289782451,
        run_attempt=1,
        ref="master",
        conclusion="success",
        workflow=2823525,
    )
    assert not found.is_for_pull_request


def named(*pulls: tuple[int, str, int]) -> FinishedRun:
    """The published run, naming pull requests: number, head, id of the repository they are opened in."""
    body = published()
    body["workflow_run"]["event"] = "pull_request"
    body["workflow_run"]["pull_requests"] = [
        {
            "id": 1,
            "number": number,
            "url": "",
            "head": {"ref": "master", "sha": head, "repo": {"id": 300029405, "url": "", "name": "x"}},
            "base": {"ref": "release", "sha": "0" * 40, "repo": {"id": base, "url": "", "name": "x"}},
        }
        for number, head, base in pulls
    ]
    return read(body)


PUBLISHED_HEAD = "3484a3fb816e0859fd6e1cea078d76385ff50625"
OURS = 300029405


def test_the_pull_request_that_the_event_names_is_not_asked_for_again() -> None:
    github = FakeGitHub()

    found = trigger.pull_of(github, named((12, PUBLISHED_HEAD, OURS)))

    assert (found.number, found.head, found.base_ref) == (12, PUBLISHED_HEAD, "release")
    assert github.calls == []


@pytest.mark.parametrize(
    "pulls",
    [[], [(12, NEWER, OURS)], [(12, PUBLISHED_HEAD, 999)]],
    ids=["none", "moved", "another repository"],
)
def test_what_the_event_does_not_name_for_this_very_commit_is_asked_for(
    pulls: list[tuple[int, str, int]],
) -> None:
    github = FakeGitHub()

    with pytest.raises(DeclinedError):
        trigger.pull_of(github, named(*pulls))

    assert github.calls == ["open octo-org:master"]


def test_of_two_pull_requests_that_the_event_names_none_is_taken() -> None:
    with pytest.raises(DeclinedError, match="2 open pull requests"):
        trigger.pull_of(FakeGitHub(), named((12, PUBLISHED_HEAD, OURS), (13, PUBLISHED_HEAD, OURS)))


@pytest.mark.parametrize("action", ["requested", "in_progress"])
def test_a_run_that_has_only_begun_says_so(action: str) -> None:
    body = published()
    body["action"] = action
    body["workflow_run"]["conclusion"] = None

    found = read(body)

    assert (found.action, found.conclusion) == (action, None)


def test_an_action_that_github_does_not_know_is_refused() -> None:
    with pytest.raises(RocmCiError, match="no workflow_run event"):
        read(published() | {"action": "edited"})


@pytest.mark.attack("2", "a fork's pull request with the commit of somebody else's, to turn that one green")
def test_a_forks_run_says_nothing_about_a_commit_that_is_somebody_elses_head_too() -> None:
    mine = pull(6, HEAD, head_repository="stranger/r")
    github = FakeGitHub(pulls=[mine, pull(5, HEAD)])

    with pytest.raises(DeclinedError, match="#6, but is the head of #5 too"):
        trigger.refuse_borrowed_head(github, run(), mine)
    for harmless in (
        pull(5, NEWER),
        pull(5, HEAD, is_open=False),
        pull(7, HEAD, head_repository="stranger/r"),
    ):
        trigger.refuse_borrowed_head(FakeGitHub(pulls=[mine, harmless]), run(), mine)


def test_why_a_forks_own_run_proves_nothing() -> None:
    def why(*paths: str, **known: Any) -> str:
        files = [ChangedFile(path=path, status="modified", patch=None) for path in paths]
        github = FakeGitHub(pulls=[pull(6, known.get("head", HEAD))], changed=files)
        github.refused = known.get("refused", set())
        return trigger.why_unproven(github, "o/r", 6, HEAD)

    assert why("a.hip", "github/workflows/x", ".github/rocm-ci.yml", "x/.github/workflows/y.yml") == ""
    assert why("a.hip", ".github/workflows/y.yml").startswith("this change rewrites .github/workflows/y.yml")
    assert "3000 files or more" in why(*(f"f{n}" for n in range(3_000)))
    assert "moved on" in why("a.hip", head=NEWER)
    assert "could not be seen" in why("a.hip", refused={"files"})
    assert "could not be seen" in why("a.hip", refused={"pull"})


def dispatched(**changed: object) -> bytes:
    body = json.loads((EVENTS / "workflow_dispatch.json").read_bytes())
    return json.dumps(body | changed).encode()


def test_a_dispatch_counts_on_the_default_branch_only() -> None:
    assert trigger.default_branch(dispatched()) == "main"
    for ref in ("refs/heads/evil", "refs/tags/main", "main", ""):
        with pytest.raises(RocmCiError, match="not on the default branch"):
            trigger.default_branch(dispatched(ref=ref))
    with pytest.raises(RocmCiError, match="no workflow_dispatch event"):
        trigger.default_branch(b"[]")


def test_a_deleted_fork_leaves_no_branch_to_ask_for() -> None:
    body = published()
    body["workflow_run"]["head_repository"] = None

    assert read(body).branch is None


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("head_sha", "main"),
        ("head_sha", None),
        ("id", "7"),
        ("head_repository", "o/r"),
        ("head_branch", 3),
        ("event", None),
    ],
)
def test_a_wrong_payload_is_refused(where: str, value: object) -> None:
    body = published()
    body["workflow_run"][where] = value

    with pytest.raises(RocmCiError) as caught:
        read(body)

    assert caught.value.exit_code == 2
    assert caught.value.hint


@pytest.mark.parametrize("name", ["../../etc", "o/r/x", "o/..", "o r/x", ""])
def test_a_repository_that_could_bend_an_address_is_refused(name: str) -> None:
    body = published()
    body["repository"]["full_name"] = name

    with pytest.raises(RocmCiError, match="is not a repository"):
        read(body)


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"\xff", b"[" * 90_000])
def test_what_is_no_event_is_refused(payload: bytes) -> None:
    with pytest.raises(RocmCiError, match="no workflow_run event"):
        trigger.finished_run(payload)


def test_the_pull_request_of_a_fork_is_asked_for_by_owner_and_branch() -> None:
    github = FakeGitHub(pulls=[pull(6, HEAD, head_repository="stranger/r")])

    assert trigger.pull_of(github, run()).number == 6
    assert github.calls == ["open stranger:topic"]


def test_without_a_branch_it_is_asked_for_by_commit() -> None:
    github = FakeGitHub(pulls=[pull(5, HEAD), pull(6, HEAD, head_repository=None)])

    assert trigger.pull_of(github, run(branch=None, head_repository=None)).number == 6
    assert github.calls == [f"commit {HEAD}"]


@pytest.mark.parametrize(
    ("pulls", "why"),
    [
        ([], "no open pull request"),
        ([pull(6, HEAD, head_repository="stranger/r", is_open=False)], "no open pull request"),
        ([pull(6, HEAD, head_repository="stranger/r", base_repository="x/y")], "no open pull request"),
        ([pull(6, HEAD, head_repository="stranger/other")], "no open pull request"),
        ([pull(6, NEWER, head_repository="stranger/r")], "#6 has moved on from aaaaaaaaaaaa to bbbb"),
        ([pull(n, HEAD, head_repository="stranger/r") for n in (6, 7)], "2 open pull requests"),
    ],
    ids=["none", "closed", "elsewhere", "other fork", "moved on", "two"],
)
def test_whatever_is_not_exactly_one_open_pull_request_is_declined(pulls: list[Any], why: str) -> None:
    with pytest.raises(DeclinedError, match=why) as caught:
        trigger.pull_of(FakeGitHub(pulls=pulls), run())

    assert caught.value.exit_code == 0


def test_right_before_the_write_it_is_looked_at_again() -> None:
    assert trigger.current(FakeGitHub(pulls=[pull()]), "O/R", 5, HEAD).number == 5
    for changed, why in (
        ({"head": NEWER}, "moved on"),
        ({"is_open": False}, "closed"),
        ({"base_repository": "x/y"}, "belongs to x/y"),
    ):
        with pytest.raises(DeclinedError, match=why):
            trigger.current(FakeGitHub(pulls=[pull(**changed)]), "o/r", 5, HEAD)
