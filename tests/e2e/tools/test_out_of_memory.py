"""Who was ended by the kernel for want of memory: shown with real limits, where control groups can be made."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.tools.process import ProcessRunner
from rocm_ci.tools.step_group import StepGroup
from tests import require

if TYPE_CHECKING:
    from rocm_ci.tools.process import Streamed

RUN = ProcessRunner()
ROOT = Path(__file__).parents[3]
PATH = {"PATH": os.environ["PATH"]}
# Takes 64 MB at most for itself, whatever version of control groups it is in, then wants three times that.
LIMITED = (
    "for g in $(sed -n 's,^[0-9]*:memory:,/sys/fs/cgroup/memory,p; s,^0::,/sys/fs/cgroup,p' /proc/self/cgroup);"
    " do for f in memory.limit_in_bytes memory.max; do"
    " if [ -e $g/$f ]; then echo 64M > $g/$f; fi; done; done; "
)
HOG = f"{sys.executable} -I -S -c 'x = b\"x\" * 192_000_000'"


@pytest.fixture(autouse=True)
def counted() -> None:
    """Only where a step's own group counts its memory."""
    group = StepGroup.make("rocm-ci-probe")
    counts = group.counts_memory
    group.remove()
    if not counts:
        require.missing("memory control group", "run as root where /sys/fs/cgroup can be written")


def stream(command: str, folder: Path) -> Streamed:
    return RUN.stream(["bash", "-c", command], cwd=folder, env=PATH, timeout_s=60, log=folder / "log")


def test_a_command_that_the_kernel_ends_for_memory_is_told_as_such(tmp_path: Path) -> None:
    done = stream(f"{LIMITED} exec {HOG}", tmp_path)

    assert (done.exit_code, done.out_of_memory, done.stopped) == (-9, 1, None)


def test_a_worker_of_it_is_counted_though_the_command_itself_goes_on(tmp_path: Path) -> None:
    done = stream(f"{LIMITED} {HOG}; echo it ended with $?; {HOG}; exit 1", tmp_path)

    assert (done.exit_code, done.out_of_memory) == (1, 2)
    assert "it ended with 137" in done.tail


def test_a_kill_of_another_kind_is_none(tmp_path: Path) -> None:
    assert stream("kill -9 $$", tmp_path).out_of_memory == 0


INSIDE = """
import json, os, sys
from pathlib import Path
from rocm_ci.tools import step_group
from rocm_ci.tools.process import ProcessRunner

group = step_group.StepGroup.make(f"rocm-ci-container-{os.getpid()}")
for folder in group.folders:
    Path(folder, "cgroup.procs").write_text(str(os.getpid()))
    for name in ("memory.limit_in_bytes", "memory.max"):
        if Path(folder, name).exists():
            Path(folder, name).write_text("128M")
step_group.StepGroup.make = classmethod(lambda *_: step_group.StepGroup(()))
found = {}
for name, command in json.loads(sys.argv[1]).items():
    done = ProcessRunner().stream(
        ["bash", "-c", command], cwd=Path.cwd(), env=os.environ, timeout_s=60, log=Path(name)
    )
    found[name] = [done.exit_code, done.out_of_memory]
print(json.dumps(found))
for folder in group.folders:
    Path(folder).parent.joinpath("cgroup.procs").write_text(str(os.getpid()))
group.remove()
"""


def test_in_a_container_that_lets_us_make_no_groups_its_own_counter_tells(tmp_path: Path) -> None:
    """The counter is everybody's: it speaks only where SIGKILL came from somebody else than us."""
    commands = {
        "itself": f"exec {HOG}",
        "its worker": f"{HOG}; exit $?",
        "an orphan": f"({HOG} & echo $! > p); while kill -0 $(cat p); do sleep 0.02; done; exit 1",
        "killed": "kill -9 $$",
        "failed": "exit 1",
    }
    done = RUN.capture(
        [sys.executable, "-c", INSIDE, json.dumps(commands)],
        cwd=tmp_path,
        env={**PATH, "PYTHONPATH": str(ROOT)},
        timeout_s=120,
    )
    found: dict[str, Any] = json.loads(done.text) if done.exit_code == 0 else {"error": done.error_text}

    assert found["itself"] == [-9, 1]
    assert found["its worker"] == [137, 1]
    assert found["an orphan"] == [1, 1]
    assert found["killed"] == [-9, 0]
    assert found["failed"] == [1, 0]
