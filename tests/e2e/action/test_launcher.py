"""The launcher with real processes, a stand-in `docker` on PATH, and devices with real owners."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.action.conftest import ROOT
from tests.hosts import device_tree, pod_file

if TYPE_CHECKING:
    from collections.abc import Mapping

START = """
import os, sys
from pathlib import Path
from rocm_ci import launcher
from rocm_ci.launch.machine import Machine
sys.exit(launcher.main(["run"], os.environ, Machine(Path(sys.argv[1]))))
"""
DOCKER = f"""#!{sys.executable} -I
import json, os, signal, sys, time
from pathlib import Path
words = sys.argv[1:]
here = Path(__file__).parent
if words[0] == "info":
    print(json.dumps({{"ServerVersion": "28.2.2", "Runtimes": {{}}}}))
elif words[0] == "run":
    if "DEAF" in os.environ:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        Path(os.environ["GITHUB_WORKSPACE"], ".git", "config").write_text("a trap")
    (here / "pid").write_text(str(os.getpid()))
    (here / "run.json").write_text(json.dumps([words, sorted(os.environ)]))
    time.sleep(float(os.environ.get("LASTS_S", "0")))
    out = Path(os.environ["GITHUB_WORKSPACE"]) / "rocm-ci-out"
    (out / "report.json").write_text(json.dumps({{"verdict": "fail", "facts": {{}}}}))
    sys.exit(1)
elif words[0] == "kill":
    os.kill(int((here / "pid").read_text()), signal.SIGKILL)
elif words[0] == "rm":
    (here / "removed").write_text(words[-1])
"""


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A folder with a workspace, a GPU host's devices below `root`, and `docker` in `bin`."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "docker").write_text(DOCKER)
    (tmp_path / "bin" / "docker").chmod(0o755)
    device_tree(tmp_path / "root")
    return tmp_path


def start(host: Path, **more: str) -> subprocess.Popen[str]:
    env: Mapping[str, str] = {
        "PATH": f"{host / 'bin'}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "GITHUB_WORKSPACE": str(host / "workspace"),
        "GITHUB_OUTPUT": str(host / "outputs"),
        "ROCM_CI_IMAGE": "rocm/x@sha256:" + "0" * 64,
        **more,
    }
    return subprocess.Popen(
        [sys.executable, "-c", START, host / "root"], env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def run_words(host: Path) -> list[str]:
    words: list[str] = json.loads((host / "bin" / "run.json").read_text())[0]
    return words


def test_the_leased_device_goes_in_with_the_numeric_group_that_owns_it(host: Path) -> None:
    pod_file(host / "root", "/etc/podinfo/gha-render-devices", "--device /dev/dri/renderD129")
    node = host / "root" / "dev" / "dri" / "renderD129"
    if os.geteuid() == 0:
        os.chown(node, -1, 4242)

    process = start(host)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 1, said
    assert "docker (/dev/kfd and a Docker daemon are here)" in said
    words = run_words(host)
    assert [after for before, after in itertools.pairwise(words) if before == "--device"] == [
        "/dev/kfd", "/dev/dri/renderD129",
    ]  # fmt: skip
    assert str(node.stat().st_gid) in [words[i + 1] for i, word in enumerate(words) if word == "--group-add"]
    assert (host / "bin" / "removed").read_text() == words[words.index("--name") + 1]


def test_a_signal_reaches_docker_and_the_verdict_still_comes_out(host: Path) -> None:
    process = start(host, LASTS_S="600")
    deadline = time.monotonic() + 60
    while not (host / "bin" / "run.json").exists():
        assert time.monotonic() < deadline, "it never started"
        time.sleep(0.05)

    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 3, said
    assert "it was terminated" in said
    assert "verdict<<" in (host / "outputs").read_text()
    assert (host / "bin" / "removed").exists()


@pytest.mark.attack("16", "a change in a container that does not end when its job is cancelled")
def test_what_is_deaf_to_signals_is_ended_before_the_job_is(host: Path) -> None:
    config = host / "workspace" / ".git" / "config"
    config.parent.mkdir()
    config.write_text("[core]\n")
    process = start(host, LASTS_S="600", DEAF="1")
    deadline = time.monotonic() + 60
    while not (host / "bin" / "run.json").exists():
        assert time.monotonic() < deadline, "it never started"
        time.sleep(0.05)

    # As the runner does, some seconds apart.
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 3, said
    assert "it was killed" in said
    assert (host / "bin" / "removed").exists()
    assert config.read_text() == "[core]\n"


def test_native_mode_runs_the_real_command_line(host: Path) -> None:
    (host / "root" / "dev" / "kfd").unlink()
    subprocess.run(["git", "init", "-q", host / "workspace"], check=True)

    (host / "event.json").write_text("{}")

    process = start(host, GITHUB_EVENT_NAME="schedule", GITHUB_EVENT_PATH=str(host / "event.json"))
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 2, said
    assert "cannot run on the event 'schedule'" in said
    assert "installing rocm-ci" not in said, "nothing is installed where it already is"
