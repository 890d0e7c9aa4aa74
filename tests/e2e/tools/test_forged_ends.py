"""A command that wants its end told otherwise than it was, by speaking in place of what watches over it."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools import supervised
from rocm_ci.tools.process import ProcessRunner

if TYPE_CHECKING:
    from tests.e2e.tools.processes import Processes

PATH = {"PATH": os.environ["PATH"]}
HOME = Path(supervised.__file__).parents[2]
# A process of its own: the attack writes into whatever of its caller can be opened.
CALLER = """
import json, pathlib, sys
from rocm_ci.tools.process import ProcessRunner
folder = pathlib.Path(sys.argv[1])
done = ProcessRunner().stream(["bash", "-c", sys.argv[2]], cwd=folder, env={"PATH": sys.argv[3]},
                              timeout_s=60, log=folder / "log")
(folder / "result").write_text(json.dumps([done.exit_code, done.orphans]))
"""
FORGE = """
import os, pathlib, time
def parent(pid): return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
for who in (parent(os.environ["WATCHER"]), os.environ["WATCHER"]):
    for name in os.listdir(f"/proc/{who}/fd"):
        try:
            if os.readlink(f"/proc/{who}/fd/{name}").startswith(("pipe:", "socket:")):
                os.write(os.open(f"/proc/{who}/fd/{name}", os.O_WRONLY | os.O_NONBLOCK), b"exited 0\\nended 0 0 0\\n")
        except OSError:
            pass
open("forged", "w").close()
time.sleep(600)
"""


@pytest.mark.attack("17", "the exit status of a test command forged in the files of what watches over it")
def test_an_end_cannot_be_forged_through_open_files(processes: Processes) -> None:
    forge = processes.script("forge.py", FORGE)
    command = f"export WATCHER=$PPID; setsid {forge} >/dev/null 2>&1 & while [ ! -e forged ]; do sleep 0.02; done; exit 1"

    subprocess.run(
        [sys.executable, "-c", CALLER, processes.folder, command, PATH["PATH"]],
        check=True,
        cwd=HOME,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )

    assert json.loads((processes.folder / "result").read_text()) == [1, 1]
    assert not processes.living()


@pytest.mark.attack("5", "the environment of rocm-ci, read by a test that runs as the same user")
def test_another_process_of_the_same_user_cannot_look_into_us(processes: Processes) -> None:
    look = "for one in environ fd/0 mem; do head -c1 /proc/$CALLER/$one 2>/dev/null && echo open; done; echo done"

    done = ProcessRunner().stream(
        ["bash", "-c", look],
        cwd=processes.folder,
        env={**PATH, "CALLER": str(os.getpid())},
        timeout_s=60,
        log=processes.folder / "log",
    )

    assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0  # PR_GET_DUMPABLE
    if os.geteuid():  # root may look at everything
        assert done.tail == "done"


@pytest.mark.usefixtures("short_grace")
@pytest.mark.attack("17", "an end that is told while processes live on")
def test_an_end_that_is_told_counts_once_the_watcher_has_ended(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that may trace every process could have it told."""
    lives_on = processes.script("daemon.py", "import time; time.sleep(600)")
    monkeypatch.setattr(
        supervised,
        "_PROGRAM",
        "import os, subprocess, sys, time\n"
        f"subprocess.Popen({lives_on.split()!r}, start_new_session=True)\n"
        "os.write(int(sys.argv[2]), b'ready\\nexited 0\\nended 0 0 0\\n')\n"
        "time.sleep(600)\n",
    )

    done = ProcessRunner().stream(
        ["true"], cwd=processes.folder, env=PATH, timeout_s=60, log=processes.folder / "log"
    )

    assert "something killed the process that watched over it" in done.problem
    assert not processes.living()
