"""A stand-in GitHub with one pull request, and the real command line over it."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.cli.main import main
from rocm_ci.report import codec
from tests.contract import description
from tests.standin.server import StandIn
from tests.standin.world import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rocm_ci.model.report import Report
    from tests.e2e.github.conversation import Talk

FIRST, SECOND, THIRD = "1" * 40, "2" * 40, "3" * 40
BOT = "github-actions[bot]"


@pytest.fixture
def github() -> Iterator[StandIn]:
    with StandIn() as server:
        server.world.tokens["workflow"] = Identity(login=BOT, is_app=True)
        server.world.tokens["reader"] = Identity(login=BOT, is_app=True, writes=frozenset())
        server.world.tokens["person"] = Identity(login="maintainer")
        server.world.open_pull("o/r", 5, FIRST)
        yield server
    if description.is_here():
        # Everything that went over the wire in any of these tests, both ways.
        assert [line for exchange in server.log for line in description.violations(exchange)] == []


@dataclass(frozen=True, kw_only=True)
class Done:
    """One call: exit code, what it printed as JSON, and its progress on standard error."""

    code: int
    posted: list[str]
    refused: list[str]
    err: str
    verdict: str | None = None
    notices: tuple[str, ...] = ()
    requests: int = 0


@dataclass(kw_only=True)
class Plane:
    """The trusted plane: writes a report to a file and runs `rocm-ci report` on it."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def run(self, *args: str) -> Done:
        code = main(["report", *args, "--format", "json", "--pause", "0"])
        out, err = self.capsys.readouterr()
        said: dict[str, Any] = json.loads(out) if out else {"posted": [], "refused": []}
        return Done(
            code=code,
            posted=said["posted"],
            refused=said["refused"],
            err=err,
            verdict=said.get("verdict"),
            notices=tuple(said.get("notices", ())),
            requests=said.get("requests", 0),
        )

    def post(self, report: Report, *args: str, run_id: int = 7, attempt: int = 1) -> Done:
        """As a `workflow_run` job of the workflow that ran for the report's commit."""
        self.event("workflow_run", workflow_run(report.event.head, run_id=run_id, attempt=attempt))
        return self.run(str(self.save(report)), *args)

    def ended(
        self,
        github: StandIn,
        left: Mapping[str, Report | bytes],
        *args: str,
        head: str = FIRST,
        conclusion: str = "success",
        **event: Any,
    ) -> Done:
        """A run ended and left artifacts; the job on `workflow_run` fetches them by itself.

        `left` maps the name of an artifact to its report, or to the bytes of its archive.
        """
        number = github.world.ran(
            "o/r",
            head=head,
            conclusion=conclusion,
            event=event.get("event", "pull_request"),
            branch=event.get("branch", "feature"),
            head_repository=event.get("head_repository", "o/r"),
        )
        for name, what in left.items():
            files = what if isinstance(what, bytes) else artifact(what)
            github.world.store("o/r", number, name, files)
        self.event("workflow_run", workflow_run(head, run_id=number, conclusion=conclusion, **event))
        return self.run(*args)

    def save(self, report: Report) -> Path:
        file = self.folder / "report.json"
        file.write_bytes(codec.encode(report))
        return file

    def event(self, name: str, payload: object) -> None:
        path = self.folder / "event.json"
        path.write_text(json.dumps(payload))
        self.monkeypatch.setenv("GITHUB_EVENT_NAME", name)
        self.monkeypatch.setenv("GITHUB_EVENT_PATH", str(path))

    def env(self, **values: str) -> None:
        for name, value in values.items():
            self.monkeypatch.setenv(name, value)


def workflow_run(
    head: str,
    *,
    head_repository: str | None = "o/r",
    branch: str | None = "feature",
    event: str = "pull_request",
    run_id: int = 7,
    attempt: int = 1,
    action: str = "completed",
    conclusion: str | None = "success",
    workflow: int = 40,
    pulls: Sequence[int] = (),
) -> dict[str, Any]:
    """The part of a `workflow_run` payload that matters; `pull_requests` is empty as for forks."""
    return {
        "action": action,
        "repository": {"full_name": "o/r", "id": 1, "default_branch": "main"},
        "workflow_run": {
            "id": run_id,
            "run_attempt": attempt,
            "event": event,
            "head_sha": head,
            "head_branch": branch,
            "head_repository": head_repository and {"full_name": head_repository},
            "conclusion": conclusion if action == "completed" else None,
            "workflow_id": workflow,
            "pull_requests": [
                {
                    "number": number,
                    "head": {"ref": branch, "sha": head, "repo": {"id": 1}},
                    "base": {"ref": "main", "sha": "b" * 40, "repo": {"id": 1}},
                }
                for number in pulls
            ],
        },
    }


def artifact(report: Report) -> dict[str, bytes]:
    """The output folder of a run, as it is uploaded."""
    return {"report.json": codec.encode(report), "comment.md": b"#", "logs/build.log": b"ninja: done"}


@pytest.fixture
def plane(
    github: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Plane]:
    for name in (
        "GITHUB_ACTIONS",
        "GITHUB_REF",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_RUN_ID",
        "GITHUB_RUN_ATTEMPT",
        "GITHUB_SHA",
        "GITHUB_WORKFLOW_REF",
        "HTTP_PROXY",
        "http_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    made = Plane(folder=tmp_path, monkeypatch=monkeypatch, capsys=capsys)
    made.env(
        GITHUB_API_URL=github.url,
        GITHUB_SERVER_URL="https://github.example",
        GITHUB_TOKEN="workflow",
        GITHUB_REPOSITORY="o/r",
    )
    yield made
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def talk(github: StandIn, plane: Plane) -> Talk:
    """A conversation in pull request 5, which the bot listens to."""
    from tests.e2e.github.conversation import begin

    return begin(github, plane)


@pytest.fixture
def fork(talk: Talk) -> Talk:
    """The same in a pull request that comes from a fork."""
    from tests.e2e.github.conversation import FORK, OPENED

    opened = talk.github.world.open_pull("o/r", 5, FIRST, branch="patch", fork=FORK)
    opened.created = OPENED
    return talk
