"""A test that fights what watches over it, and the end of rocm-ci itself: nothing is left in any case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools import step_group
from rocm_ci.tools.process import NOT_FOUND, ProcessRunner, Stop
from tests.e2e.command import scrubbed
from tests.e2e.tools.processes import number_in, until

if TYPE_CHECKING:
    from rocm_ci.tools.process import Streamed
    from tests.e2e.tools.processes import Processes

RUN = ProcessRunner()
PATH = {"PATH": os.environ["PATH"]}
ROOT = Path(__file__).parents[3]


def stream(command: str, folder: Path, timeout_s: float = 60) -> Streamed:
    return RUN.stream(["bash", "-c", command], cwd=folder, env=PATH, timeout_s=timeout_s, log=folder / "log")


@pytest.mark.usefixtures("short_grace")
def test_a_test_that_kills_its_watcher_is_ended_with_all_it_started_and_both_are_told(
    processes: Processes,
) -> None:
    done = stream(
        f"env -i setsid {processes.sleep} & ({processes.sleep} &) ; echo last words; kill -9 $PPID; {processes.sleep}",
        processes.folder,
    )

    assert done.exit_code == -signal.SIGKILL
    assert (done.stopped, done.orphans, done.stuck, done.out_of_memory) == (None, 0, (), 0)
    assert done.tail == "last words"
    assert "killed the process that watched over it" in done.problem
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_an_orphan_that_kills_the_watcher_after_the_end_leaves_the_end_as_it_was(
    processes: Processes,
) -> None:
    killer = processes.script(
        "killer.py",
        "import os, signal, sys, time\n"
        "parent = os.getppid()\n"
        "os.setsid()\n"
        "open('ready', 'w').close()\n"
        "while os.getppid() == parent: time.sleep(0.001)\n"
        "os.kill(os.getppid(), signal.SIGKILL)\n"
        "time.sleep(600)\n",
    )

    done = stream(f"{killer} & while [ ! -e ready ]; do sleep 0.02; done; exit 6", processes.folder)

    assert done.exit_code in (6, -signal.SIGKILL)  # whichever of the two came first
    assert "watched over it" in done.problem
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_a_watcher_that_a_test_stops_is_woken(processes: Processes) -> None:
    done = stream(f"{processes.sleep} & kill -STOP $PPID; exit 3", processes.folder)

    assert (done.exit_code, done.orphans, done.stopped, done.problem) == (3, 1, None, "")
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_a_watcher_that_is_stopped_again_and_again_cannot_save_its_test(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocm_ci.tools.supervised._ANSWER_S", 0.5)
    done = stream(
        f": {processes.folder}; trap '' TERM; while :; do kill -STOP $PPID; done",
        processes.folder,
        timeout_s=1,
    )

    assert done.stopped is Stop.TIMEOUT
    assert done.exit_code == -signal.SIGKILL
    assert not processes.living()


def test_a_watcher_that_cannot_start_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.tools.supervised._HOME", tmp_path)

    done = RUN.stream(["true"], cwd=tmp_path, env=PATH, timeout_s=60, log=tmp_path / "log")

    assert done.exit_code == NOT_FOUND
    assert "cannot start true: the program that watches over it did not start" in done.tail
    assert "No module named" in (tmp_path / "log").read_text()


def outer(processes: Processes, command: str) -> subprocess.Popen[bytes]:
    """A program of its own that runs two steps at once, as rocm-ci does."""
    program = processes.folder / "outer.py"
    program.write_text(
        "import os, sys, threading\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from rocm_ci.tools.process import ProcessRunner\n"
        f"folder = Path({str(processes.folder)!r})\n"
        "def step(name):\n"
        f"    ProcessRunner().stream(['bash', '-c', {command!r}, name], cwd=folder,\n"
        "        env={'PATH': os.environ['PATH']}, timeout_s=600, log=folder / f'{name}.log')\n"
        "threads = [threading.Thread(target=step, args=(name,)) for name in ('one', 'two')]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
    )
    return subprocess.Popen([sys.executable, str(program)])


def test_nothing_is_left_when_rocm_ci_itself_is_killed(processes: Processes) -> None:
    command = f"env -i setsid {processes.sleep} >/dev/null 2>&1 & echo $$ > $0.pid; {processes.sleep}"
    before = made_groups()
    program = outer(processes, command)
    for name in ("one", "two"):
        number_in(processes.folder / f"{name}.pid")
    groups = made_groups() - before

    program.kill()
    program.wait()

    until(lambda: not processes.living(), "what rocm-ci had started lives on")
    until(lambda: not made_groups() & groups, "control groups of a killed run stay")


def made_groups() -> set[Path]:
    return {group for parent in step_group.parents() for group in parent.glob("rocm-ci-*")}


def test_nothing_of_a_suite_is_left_when_a_run_is_killed(processes: Processes) -> None:
    folder = processes.folder / "repository"
    (folder / ".github").mkdir(parents=True)
    (folder / ".github" / "rocm-ci.yml").write_text(
        "require-gpu: false\nstages: [test]\ntest:\n"
        f"  - {{name: slow, run: 'env -i setsid {processes.sleep} & echo $$ > pid; {processes.sleep}'}}\n"
    )
    (folder / "a").touch()
    change = [["add", "a"], ["commit", "-qm", "a"]]
    for argv in (["init", "-q"], ["add", ".github"], ["commit", "-qm", "base"], *change):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *argv], cwd=folder, check=True)
    run = subprocess.Popen(
        [sys.executable, "-m", "rocm_ci", "run", "--local", "--base", "HEAD~1"],
        cwd=folder,
        env=scrubbed(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        number_in(folder / "pid")
    finally:
        run.kill()
        run.wait()

    until(lambda: not processes.living(), "what the suite had started lives on")
