"""However a test tries to outlive its step: nothing of it is left, and the step's end is told as it was."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools.process import ProcessRunner, Stop
from tests.e2e.tools.processes import is_alive, number_in

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.tools.process import Streamed
    from tests.e2e.tools.processes import Processes

RUN = ProcessRunner()
PATH = {"PATH": os.environ["PATH"]}


def stream(command: str, folder: Path, timeout_s: float = 60) -> Streamed:
    return RUN.stream(["bash", "-c", command], cwd=folder, env=PATH, timeout_s=timeout_s, log=folder / "log")


def test_a_daemon_with_a_session_an_empty_environment_and_no_output_is_found(processes: Processes) -> None:
    done = stream(
        f"env -i setsid {processes.sleep} </dev/null >/dev/null 2>&1 & echo started", processes.folder
    )

    assert (done.exit_code, done.orphans, done.stuck) == (0, 1, ())
    assert not processes.living()


def test_a_daemon_that_forked_twice_and_hides_in_another_folder_is_found(processes: Processes) -> None:
    daemon = processes.script(
        "daemon.py",
        "import os, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid(); os.chdir('/')\n"
        "if os.fork(): os._exit(0)\n"
        "for fd in range(3): os.close(fd)\n"
        "time.sleep(600)\n",
    )

    done = stream(f"{daemon}; exit 7", processes.folder)

    assert (done.exit_code, done.orphans) == (7, 1)
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_what_ignores_every_signal_that_can_be_ignored_is_killed(processes: Processes) -> None:
    deaf = processes.script(
        "deaf.py",
        "import signal, time\n"
        "for n in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "open('ready', 'w').close()\n"
        "time.sleep(600)\n",
    )

    done = stream(f"{deaf} & while [ ! -e ready ]; do sleep 0.02; done", processes.folder)

    assert (done.exit_code, done.orphans) == (0, 1)
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_a_command_that_stopped_itself_is_woken_to_hear_that_it_ends(processes: Processes) -> None:
    command = f"trap 'echo asked; exit 5' TERM; : {processes.folder}; kill -STOP $$; sleep 600"

    done = stream(command, processes.folder, timeout_s=1)

    assert (done.stopped, done.timed_out, done.exit_code) == (Stop.TIMEOUT, True, 5)
    assert done.tail == "asked"
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_a_stopped_daemon_is_ended_too(processes: Processes) -> None:
    done = stream(f"{processes.sleep} & kill -STOP $!", processes.folder)

    assert (done.exit_code, done.orphans) == (0, 1)
    assert not processes.living()


def test_a_process_whose_first_thread_has_ended_still_counts_as_one(processes: Processes) -> None:
    headless = processes.script(
        "headless.py",
        "import ctypes, os, threading, time\n"
        "threading.Thread(target=lambda: time.sleep(600)).start()\n"
        "open('pid', 'w').write(str(os.getpid()))\n"
        "ctypes.CDLL(None).pthread_exit(None)\n",
    )

    done = stream(
        f"{headless} >/dev/null 2>&1 & until grep -q '^State:.Z' /proc/$!/status; do sleep 0.02; done",
        processes.folder,
    )

    assert (done.exit_code, done.orphans) == (0, 1)
    assert not is_alive(number_in(processes.folder / "pid"))


@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize("has_groups", [True, False], ids=["control groups", "processes alone"])
def test_chains_of_forks_whose_every_link_ends_at_once_are_broken(
    processes: Processes, monkeypatch: pytest.MonkeyPatch, *, has_groups: bool
) -> None:
    """Each would end by itself after many thousand links, so that this test cannot take the machine with it."""
    if not has_groups:
        monkeypatch.setattr("rocm_ci.tools.step_group.parents", lambda *_: [])
    chain = processes.script(
        "chain.py",
        "import os, signal, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.setsid()\n"
        "open(sys.argv[1], 'w').close()\n"
        "for _ in range(30_000):\n"
        "    if os.fork(): os._exit(0)\n"
        "open('survived', 'w').close()\n",
    )

    done = stream(
        f"for n in 1 2 3 4; do {chain} ready$n & done; "
        "until [ -e ready1 -a -e ready2 -a -e ready3 -a -e ready4 ]; do sleep 0.02; done",
        processes.folder,
    )

    assert (done.exit_code, done.stuck, done.problem) == (0, (), "")
    assert not processes.living()
    assert not (processes.folder / "survived").exists()


def test_what_forks_when_it_is_asked_to_end_is_not_given_the_time_to(processes: Processes) -> None:
    """With five seconds of grace it would come to hundreds; not more than 600, should this test fail."""
    bomb = processes.script(
        "bomb.py",
        "import os, signal, time\n"
        "def more(*_):\n"
        "    for number in range(600):\n"
        "        open('count', 'a').write('.')\n"
        "        if not os.fork():\n"
        "            signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)\n"
        "        time.sleep(0.005)\n"
        "signal.signal(signal.SIGTERM, more)\n"
        "open('ready', 'w').close()\n"
        "while True: time.sleep(1)\n",
    )

    done = stream(f"{bomb} & while [ ! -e ready ]; do sleep 0.02; done", processes.folder)

    assert (done.exit_code, done.orphans, done.stuck) == (0, 1, ())
    assert not processes.living()
    assert (processes.folder / "count").stat().st_size < 600


def test_a_command_that_closed_its_output_is_waited_for_all_the_same(processes: Processes) -> None:
    done = stream(
        f": {processes.folder}; echo before; exec >&- 2>&-; sleep 1; touch after; exit 4", processes.folder
    )

    assert (done.exit_code, done.tail, done.orphans) == (4, "before", 0)
    assert (processes.folder / "after").exists()


def test_the_other_end_of_a_pipe_that_is_about_to_end_is_no_orphan(processes: Processes) -> None:
    done = stream("sleep 0.05 & exit 3", processes.folder)

    assert (done.exit_code, done.orphans) == (3, 0)


def test_a_command_that_a_signal_ended_is_told_by_it(processes: Processes) -> None:
    assert stream("kill -SEGV $$", processes.folder).exit_code == -11


def test_the_kernel_takes_the_command_before_us_when_memory_is_short(processes: Processes) -> None:
    done = stream("cat /proc/self/oom_score_adj /proc/$PPID/oom_score_adj", processes.folder)

    command, supervisor = map(int, done.tail.split())
    assert command == 500
    assert supervisor < command


def test_no_process_of_others_is_ever_signalled(processes: Processes) -> None:
    """A neighbour in our session, one in its own, and one below the first."""
    ours = subprocess.Popen([*processes.sleep.split()])
    apart = subprocess.Popen(
        ["bash", "-c", f"trap 'touch {processes.folder}/hit' TERM INT HUP CONT; sleep 600 & wait; wait; :"],
        start_new_session=True,
    )
    try:
        stream(f"kill -9 $PPID; {processes.sleep}", processes.folder)
        stream(f"{processes.sleep} & exit 1", processes.folder)
        RUN.capture(["bash", "-c", f"setsid {processes.sleep} & exit 0"], env=PATH)

        assert ours.poll() is None
        assert apart.poll() is None
        assert not (processes.folder / "hit").exists()
        assert set(processes.living()) == {ours.pid, apart.pid}
    finally:
        ours.kill()
        ours.wait()
        os.killpg(apart.pid, signal.SIGKILL)
        apart.wait()


def test_a_listener_that_fails_ends_the_command_and_is_heard(processes: Processes) -> None:
    def listen(line: str) -> None:
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="first"):
        RUN.stream(
            ["bash", "-c", f"echo first; while :; do echo more; done; {processes.sleep}"],
            cwd=processes.folder,
            env=PATH,
            timeout_s=600,
            log=processes.folder / "log",
            on_line=listen,
        )

    assert not processes.living()
