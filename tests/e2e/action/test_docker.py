"""The images built from our Dockerfile on a local base, and the action in them through a real daemon."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from tests import require
from tests.e2e.action import daemon
from tests.e2e.action.conftest import ROOT, announce, commit, git, signature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.action.conftest import Act, Arrived, PullRequest
    from tests.e2e.action.daemon import Docker

pytestmark = [
    pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip
BASE, RUNNER, REPORTER = "localhost/base:test", "localhost/runner:test", "localhost/reporter:test"
IN_DOCKER = f"""      - uses: ./
        id: rocm
        with: {{working-directory: saxpy, mode: docker, image: "{RUNNER}", require-gpu: "false"}}
"""
STRANGER = 12345  # a user that neither the machine nor the image knows
# What a pull request could try from inside; each line that succeeds is a hole.
PROBE = """\
touch /probe /usr/probe 2>/dev/null && echo "writes to the image as root"
touch "$ACTION/probe" 2>/dev/null && echo "writes to the action"
[ -e /var/run/docker.sock ] && echo "sees the Docker socket"
env | grep -E 'TOKEN|SECRET|GITHUB_(OUTPUT|ENV|PATH|STEP_SUMMARY)=' && echo "sees what it should not"
grep -qE '^CapEff:\\s*0+$' /proc/self/status || echo "has capabilities"
grep -qE '^CapBnd:\\s*0+$' /proc/self/status || echo "can gain capabilities"
grep -q '^NoNewPrivs:\\s*1' /proc/self/status || echo "can gain privileges"
[ "$(id -u)" = 12345 ] || echo "is another user: $(id)"
[ -e /dev/kfd ] && echo "sees a GPU that was not leased"
[ "$HOME" = /tmp ] && touch "$HOME/ok" || echo "has no home"
[ "$(cat /proc/1/comm)" = docker-init ] || echo "has no init: $(cat /proc/1/comm)"
ls /sys/class/net | grep -qv -e '^lo$' -e '^eth0$' && echo "sees the host's network"
:
"""


@pytest.fixture(scope="module")
def docker() -> Iterator[Docker]:
    with daemon.running() as client:
        yield client


@pytest.fixture(scope="module")
def base(docker: Docker) -> str:
    """Debian with hipcc, in place of the ROCm image."""
    require.program("debootstrap", "apt-get install debootstrap")
    archive = ROOT / ".tools" / "base.tar"
    subprocess.run([ROOT / "tools" / "base_image.sh", archive], check=True)
    docker("import", str(archive), BASE)
    return BASE


@pytest.fixture(scope="module")
def runner(docker: Docker, base: str, action: Path) -> str:
    build(docker, base, action, "runner", RUNNER)
    return RUNNER


def build(docker: Docker, base: str, action: Path, target: str, tag: str) -> None:
    stand_ins = ("--build-arg", f"BASE_IMAGE={base}", "--build-arg", f"REPORTER_IMAGE={base}")
    docker("build", "--target", target, *stand_ins, "--tag", tag, ".", cwd=action)


def test_the_reporter_image_answers_as_nobody(docker: Docker, base: str, action: Path) -> None:
    build(docker, base, action, "reporter", REPORTER)

    assert docker("run", "--rm", REPORTER, "--version").startswith("rocm-ci, version")
    assert "Post the reports of `rocm-ci run`" in docker("run", "--rm", REPORTER, "report", "--help")
    assert docker("run", "--rm", "--entrypoint", "id", REPORTER, "-u") == "65534"
    labels = json.loads(docker("image", "inspect", "--format", "{{json .Config.Labels}}", REPORTER))
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"


@pytest.mark.act
@pytest.mark.build
def test_the_action_in_a_container_finds_the_same_as_in_place(  # noqa: PLR0917 - fixtures
    act: Act,
    workspace: Path,
    pull_request: PullRequest,
    docker: Docker,
    runner: str,
    installed_path: str,
    in_place: Arrived,
) -> None:
    arrived = act.run(workspace, pull_request.event, IN_DOCKER, path=installed_path, given=docker.env)

    assert arrived.code == 1, arrived.log
    assert (arrived.outputs["verdict"], arrived.outputs["mode"]) == ("fail", "docker")
    assert signature(arrived.report) == signature(in_place.report)
    assert arrived.report.facts.host.image == runner
    assert_no_container(docker)


@pytest.mark.act
def test_the_docker_action_is_built_from_the_same_dockerfile(  # noqa: PLR0917 - fixtures
    act: Act,
    pull_request: PullRequest,
    docker: Docker,
    runner: str,
    base: str,
    action: Path,
    installed_path: str,
    tmp_path: Path,
) -> None:
    # A name with a digest is always pulled: here the names that the Dockerfile gives by default are the base's.
    local = shutil.copytree(action, tmp_path / "action")
    text = re.sub(
        r"^(ARG \w+_IMAGE=).*$", rf"\1{base}", (local / "Dockerfile").read_text(), flags=re.MULTILINE
    )
    (local / "Dockerfile").write_text(text)

    arrived = act.run(
        pull_request.folder,
        pull_request.event,
        "      - uses: org/rocm-ci/container@v1\n        id: rocm\n        with: {stages: scan}\n",
        path=installed_path,
        platform=runner,
        options=(
            *("--local-repository", f"org/rocm-ci@v1={local}"),
            *(
                "--container-daemon-socket",
                "-",
                "--container-options",
                f"--volume={act.home}/keep:{act.home}/keep",
            ),
        ),
        given=docker.env,
    )

    assert (arrived.code, arrived.outputs["verdict"]) == (1, "fail"), arrived.log
    assert signature(arrived.report)["findings"]


@dataclass(frozen=True)
class Job:
    """One step of a runner that is not root: its folders, and how it starts the launcher."""

    folder: Path
    docker: Docker
    runner: str

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def commit(self, build: str) -> None:
        """A pull request whose build is this shell command."""
        (self.workspace / ".github").mkdir(parents=True)
        git(self.workspace, "init", "-q", "-b", "main")
        before = commit(self.workspace)
        config = {"version": 1, "arch": ["gfx90a"], "build": [{"name": "probe", "run": build}]}
        (self.workspace / ".github" / "rocm-ci.yml").write_text(json.dumps(config))
        announce(self.folder, before, commit(self.workspace))
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)

    def start(self) -> subprocess.Popen[str]:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_ENV": str(self.folder / "env"),
            "GITHUB_OUTPUT": str(self.folder / "outputs"),
            "GITHUB_RUN_ID": "77",
            "GITHUB_TOKEN": "secret",
            "GITHUB_WORKSPACE": str(self.workspace),
            "ROCM_CI_MODE": "docker",
            "ROCM_CI_IMAGE": self.runner,
            "ROCM_CI_REQUIRE_GPU": "false",
            "ROCM_CI_STAGES": "build",
            **self.docker.env,
        }
        launcher = self.folder / "action" / "rocm_ci" / "launcher.py"
        return subprocess.Popen(
            ["/usr/bin/python3", "-I", "-B", launcher, "run"], env=env, cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, user=STRANGER, group=STRANGER, extra_groups=[],
        )  # fmt: skip

    def finish(self, process: subprocess.Popen[str]) -> tuple[int, str]:
        said, _ = process.communicate(timeout=120)
        return process.returncode, said


@pytest.fixture
def job(docker: Docker, runner: str, action: Path) -> Iterator[Job]:
    """In a folder that others than root can reach."""
    folder = Path(tempfile.mkdtemp(prefix="rocm-ci-job-", dir="/var/tmp"))
    docker.socket.parent.chmod(0o755)
    docker.socket.chmod(0o666)
    try:
        shutil.copytree(action, folder / "action")
        yield Job(folder, docker, runner)
    finally:
        shutil.rmtree(folder)


@pytest.mark.attack("16", "a change that tries every way out of its container")
def test_the_pull_request_is_fenced_in(job: Job) -> None:
    job.commit(f"ACTION={job.folder}/action\n{{\n{PROBE}echo done\n}} > tried 2>&1")

    code, said = job.finish(job.start())

    tried = job.workspace / "tried"
    assert tried.read_text() == "done\n", said
    assert tried.stat().st_uid == STRANGER, "what it leaves belongs to the runner"
    assert code == 0, said


def test_a_cancelled_job_leaves_a_report_and_no_container(job: Job) -> None:
    job.commit("touch started && sleep 600")
    process = job.start()
    wait_for(job.workspace / "started", process)

    process.send_signal(signal.SIGTERM)
    code, said = job.finish(process)

    assert code == 130, said
    report = codec.decode((job.workspace / "rocm-ci-out" / "report.json").read_bytes())
    assert (report.interrupted, report.verdict) == (True, Verdict.ERROR)
    assert "verdict<<" in (job.folder / "outputs").read_text()
    assert_no_container(job.docker)


def assert_no_container(docker: Docker) -> None:
    """Docker removes a container a moment after its client has returned."""
    deadline = time.monotonic() + 20
    while docker("ps", "--all", "--quiet", "--filter", "label=rocm-ci.run"):
        assert time.monotonic() < deadline, "a container stayed"
        time.sleep(0.2)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, "it never started"
        time.sleep(0.1)
