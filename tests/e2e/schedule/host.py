"""A pretended machine with four GPUs, and a project whose suites meet each other there."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.command import Outcome, scrubbed
from tests.repositories import Repository, repository
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocm_ci.model.case import Case
    from rocm_ci.model.result import Suite

# Only a guard against hanging for ever; no test waits for it.
GUARD_S = 120.0
GPUS = 4
# What every suite does here: note what it sees, wait for whom it should meet, and leave.
STEP = '''\
"""step.py NAME [meet=A,B] [not=C] [hold]: note the GPUs, be here together with A and B, never with C."""
import os, pathlib, sys, time
name, *wishes = sys.argv[1:]
folder = pathlib.Path(os.environ["MEETING"])
seen = os.environ.get("ROCR_VISIBLE_DEVICES")
(folder / f"{name}.gpus").write_text(f"{seen}|{os.environ.get('HIP_VISIBLE_DEVICES')}")
with (folder / "order").open("a") as order:
    order.write(f"{name}\\n")
here = folder / f"{name}.here"
here.touch()
wishes = dict(wish.partition("=")[::2] for wish in wishes)
end = time.monotonic() + 60
for other in filter(None, wishes.get("meet", "").split(",")):
    while not (folder / f"{other}.here").exists() and not (folder / f"{other}.met").exists():
        assert time.monotonic() < end, f"{name} never met {other}"
        time.sleep(0.01)
(folder / f"{name}.met").touch()
for other in filter(None, wishes.get("not", "").split(",")):
    for _ in range(10):
        assert not (folder / f"{other}.here").exists(), f"{name} met {other}"
        time.sleep(0.02)
while "hold" in wishes and not (folder / "go").exists():
    assert time.monotonic() < end
    time.sleep(0.01)
here.unlink()
print(f"<testsuite><testcase classname='s' name='{name}' time='0.1'/></testsuite>",
      file=open(os.environ["ROCM_CI_JUNIT"], "w"))
'''


@dataclass(frozen=True)
class Host:
    """`folder` holds the machine, its state and the project."""

    folder: Path
    repo: Repository

    @property
    def meeting(self) -> Path:
        return self.folder / "meeting"

    def environment(self, **more: str) -> dict[str, str]:
        return (
            scrubbed(
                PATH=f"{self.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
                ROCM_CI_SYSROOT=str(self.folder / "root"),
                ROCM_CI_STATE=str(self.folder / "state"),
                ROCM_CI_LOCKS=str(self.folder / "locks"),
                MEETING=str(self.meeting),
            )
            | more
        )

    def configure(self, *suites: str, more: str = "") -> None:
        """`suites` are lines of YAML without their braces. `{step}` stands for the script all of them run."""
        lines = "".join(f"  - {{{one.replace('{step}', f'{sys.executable} step.py')}}}\n" for one in suites)
        self.repo.commit(
            **{".github/rocm-ci.yml": f"stages: [test]\n{more}test:\n{lines}", "x.py": f"# {lines!r}\n"}
        )

    def start(self, *args: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "rocm_ci", *args],
            cwd=self.repo.root,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *args: str, **more: str) -> Outcome:
        """`rocm-ci run` on the change, to its end."""
        return self.ended(self.start("run", "--local", "--base", "main", *args, **more))

    def ended(self, running: subprocess.Popen[str]) -> Outcome:
        try:
            out, err = running.communicate(timeout=GUARD_S)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGABRT)
            raise
        assert "Traceback (most recent call last)" not in err, err
        return Outcome(code=running.returncode, out=out, err=err, folder=self.repo.root)

    def seen(self, name: str) -> str:
        """The GPUs that a suite saw, as it saw them."""
        return (self.meeting / f"{name}.gpus").read_text()

    def order(self) -> list[str]:
        return (self.meeting / "order").read_text().split()

    def free(self) -> bool:
        """Whether all four GPUs can be leased now."""
        done = self.ended(self.start("lease", "--gpus", str(GPUS), "--wait", "0", "--", "true"))
        return done.code == 0

    def times(self) -> dict[str, object]:
        (path,) = (self.folder / "state" / "times").glob("*.json")
        found: dict[str, object] = json.loads(path.read_text())
        return found


def host(folder: Path) -> Host:
    """A fresh one."""
    pretend.machine(folder / "root", GPUS)
    for name in ("bin", "locks", "meeting"):
        (folder / name).mkdir()
    pretend.rocminfo(folder / "bin", GPUS)
    repo = repository(folder / "project")
    repo.commit(**{"step.py": STEP, ".gitignore": "rocm-ci-out*\n__pycache__\n"})
    repo.git("checkout", "-q", "-b", "change")
    return Host(folder=folder, repo=repo)


def suites(done: Outcome) -> dict[str, Suite]:
    from rocm_ci.model.result import TestResult

    (result,) = [one for one in done.report.results if isinstance(one, TestResult)]
    return {suite.name: suite for suite in result.suites}


def told(case: Case) -> tuple[str, str, str | None]:
    """What must be the same however a suite was cut."""
    return case.id, case.status.value, case.message


@contextlib.contextmanager
def lines_of(running: subprocess.Popen[str], wanted: Callable[[str], bool]) -> Iterator[list[str]]:
    """Read its log until a line is `wanted`; what is yielded holds the whole log once it has ended."""
    assert running.stderr is not None
    assert running.stdout is not None
    read: list[str] = []
    with running.stderr, running.stdout:
        for line in running.stderr:
            read.append(line)
            if wanted(line):
                break
        rest = [
            threading.Thread(target=read.extend, args=(running.stderr,), daemon=True),
            threading.Thread(target=running.stdout.read, daemon=True),
        ]
        for one in rest:
            one.start()
        yield read
        running.wait(GUARD_S)
        for one in rest:
            one.join(GUARD_S)
