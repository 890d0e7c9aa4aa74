"""Many steps at once, in threads of one program: each ends and counts what is its own, and nothing else."""

from __future__ import annotations

import os
import random
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools import tree
from rocm_ci.tools.process import ProcessRunner
from tests.e2e.tools.processes import is_alive

if TYPE_CHECKING:
    from rocm_ci.tools.process import Streamed
    from tests.e2e.tools.processes import Processes

RUN = ProcessRunner()
PATH = {"PATH": os.environ["PATH"]}
THREADS = 8
STEPS = 40


def test_each_of_many_steps_counts_only_the_daemons_that_it_left(processes: Processes) -> None:
    """Some with our environment, some without any, some twice forked; eight steps at a time."""
    makers = (
        f"setsid {processes.sleep} >/dev/null 2>&1 &",
        f"env -i setsid {processes.sleep} >/dev/null 2>&1 &",
        f"(setsid {processes.sleep} >/dev/null 2>&1 &);",
        f"{processes.sleep} &",  # holds the pipe
    )

    def step(number: int) -> tuple[int, Streamed]:
        left = random.Random(number).choices(makers, k=number % 4)
        command = " ".join([*left, "sleep 0.1;", f"echo step {number}; exit {number}"])
        return len(left), RUN.stream(
            ["bash", "-c", command],
            cwd=processes.folder,
            env=PATH,
            timeout_s=120,
            log=processes.folder / f"{number}.log",
        )

    with ThreadPoolExecutor(THREADS) as pool:
        done = list(pool.map(step, range(STEPS)))

    assert [one.exit_code for _, one in done] == list(range(STEPS))
    assert [one.tail for _, one in done] == [f"step {number}" for number in range(STEPS)]
    assert [one.orphans for _, one in done] == [left for left, _ in done]
    assert not processes.living()


def test_the_end_of_one_step_leaves_the_daemons_of_another_in_peace(processes: Processes) -> None:
    """The long one's daemon must be there until its own end, whatever ends beside it meanwhile."""
    long = f"env -i setsid {processes.sleep} & echo $! > pid; while [ ! -e over ]; do sleep 0.02; done; kill -0 $(cat pid)"
    found: list[Streamed] = []

    def watch() -> None:
        found.append(
            RUN.stream(
                ["bash", "-c", long],
                cwd=processes.folder,
                env=PATH,
                timeout_s=120,
                log=processes.folder / "long",
            )
        )

    watching = threading.Thread(target=watch)
    watching.start()
    for number in range(6):
        RUN.stream(
            [
                "bash",
                "-c",
                f"setsid sleep 600 & kill -9 $PPID; : {processes.folder}"
                if number % 2
                else "setsid sleep 600 &",
            ],
            cwd=processes.folder,
            env=PATH,
            timeout_s=120,
            log=processes.folder / f"{number}",
        )
        RUN.capture(["bash", "-c", f"env -i setsid {processes.sleep} >/dev/null 2>&1 &"], env=PATH)
    (processes.folder / "over").touch()
    watching.join()

    assert (found[0].exit_code, found[0].orphans) == (0, 1)
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_steps_whose_watchers_are_killed_side_by_side_take_their_own_trees_only(processes: Processes) -> None:
    def step(number: int) -> Streamed:
        kill = "kill -9 $PPID" if number % 2 else "sleep 0.3"
        return RUN.stream(
            ["bash", "-c", f"setsid {processes.sleep} & {kill}; sleep 0.3; exit {number}"],
            cwd=processes.folder,
            env=PATH,
            timeout_s=120,
            log=processes.folder / f"{number}.log",
        )

    with ThreadPoolExecutor(THREADS) as pool:
        done = list(pool.map(step, range(16)))

    assert [(one.exit_code, one.orphans) for one in done[::2]] == [(n, 1) for n in range(0, 16, 2)]
    assert all(one.exit_code == -9 and one.problem for one in done[1::2])
    assert not processes.living()


def test_captures_side_by_side_do_not_end_each_others_helpers(processes: Processes) -> None:
    """Every child has a helper that was orphaned on purpose, and answers only if that lives to its end.

    Whose a helper is tells its environment, or its session.
    """
    command = (
        f"($1 {processes.sleep} </dev/null >/dev/null 2>&1 & echo $! > $0.pid); "
        "sleep 0.0$2; kill -0 $(cat $0.pid) && echo $0"
    )

    def ask(number: int) -> str:
        name = str(processes.folder / str(number))
        how = ("setsid", "env -i")[number % 2]
        return RUN.capture(["bash", "-c", command, name, how, str(number % 7)], env=PATH).text.strip()

    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(ask, range(STEPS)))

    assert answers == [str(processes.folder / str(number)) for number in range(STEPS)]
    assert not processes.living()


def test_what_another_part_of_the_program_started_is_not_ours_to_end(processes: Processes) -> None:
    """A process in a session of its own that stood here before, and one of our own session that came later."""
    before = subprocess.Popen([*processes.sleep.split()], start_new_session=True)
    later: list[subprocess.Popen[bytes]] = []
    try:
        RUN.stream(
            ["bash", "-c", "echo go; sleep 0.3; kill -9 $PPID; sleep 600"],
            cwd=processes.folder,
            env=PATH,
            timeout_s=60,
            log=processes.folder / "log",
            on_line=lambda _: later.append(subprocess.Popen(["sleep", "600"])),
        )

        assert is_alive(before.pid)
        assert is_alive(later[0].pid)
    finally:
        for one in (before, *later):
            one.kill()
            one.wait()


def test_nothing_is_remembered_of_what_is_over(processes: Processes) -> None:
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    RUN.stream(["true"], cwd=processes.folder, env=PATH, timeout_s=60, log=processes.folder / "log")
    RUN.stream(["no-such"], cwd=processes.folder, env=PATH, timeout_s=60, log=processes.folder / "log")
    RUN.capture(["true"], env=PATH)
    RUN.capture(["no-such"], env=PATH)

    assert not tree._WAITED_FOR
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
