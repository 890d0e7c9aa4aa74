"""Real processes: whatever a command leaves behind is ended, and what it said is kept."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from rocm_ci.tools.process import NOT_FOUND, ProcessRunner

RUN = ProcessRunner()
PATH = {"PATH": os.environ["PATH"]}
# Ignores SIGTERM, in a session of its own: what a stubborn test leaves behind.
STUBBORN = (
    f"{sys.executable} -c 'import os,signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setsid();"
    ' open("{pid}","w").write(str(os.getpid())); time.sleep(600)\''
)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(file: Path) -> int:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if file.exists() and file.read_text():
            return int(file.read_text())
        time.sleep(0.02)
    raise AssertionError(f"{file} was never written")


def test_both_streams_are_captured_apart() -> None:
    done = RUN.capture(["bash", "-c", "echo out; echo err >&2; exit 3"], env=PATH)

    assert (done.exit_code, done.text, done.error_text) == (3, "out\n", "err\n")


def test_a_missing_program_is_127_and_says_so() -> None:
    done = RUN.capture(["no-such-program-anywhere"], env=PATH)

    assert done.exit_code == NOT_FOUND
    assert "no-such-program-anywhere" in done.error_text


def test_a_missing_folder_is_told_too(tmp_path: Path) -> None:
    done = RUN.stream(["true"], cwd=tmp_path / "gone", env=PATH, timeout_s=5, log=tmp_path / "l.log")

    assert done.exit_code == NOT_FOUND
    assert "cannot start" in done.tail


def test_undecodable_output_is_kept_in_the_log_and_readable_in_the_tail(tmp_path: Path) -> None:
    lines: list[str] = []
    done = RUN.stream(
        ["bash", "-c", r"printf 'a\377b\nlast\n'"],
        cwd=tmp_path,
        env=PATH,
        timeout_s=20,
        log=tmp_path / "x.log",
        on_line=lines.append,
    )

    assert (tmp_path / "x.log").read_bytes() == b"a\xffb\nlast\n"
    assert lines == ["a\ufffdb", "last"]
    assert done.tail.endswith("last")


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    lines: list[str] = []
    RUN.stream(
        ["bash", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"],
        cwd=tmp_path,
        env=PATH,
        timeout_s=20,
        log=tmp_path / "x",
        on_line=lines.append,
    )

    assert max(map(len, lines)) <= 16_384
    assert sum(map(len, lines)) == 1_000_000


def test_a_timeout_ends_the_whole_tree_even_a_stubborn_daemon(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = f"{STUBBORN.replace('{pid}', str(pid))} & sleep 600"

    done = RUN.stream(["bash", "-c", command], cwd=tmp_path, env=PATH, timeout_s=1.5, log=tmp_path / "x.log")

    assert done.timed_out
    assert not is_alive(until(pid))


def test_what_a_finished_command_left_running_is_ended_and_counted(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = (
        f"{STUBBORN.replace('{pid}', str(pid))} >/dev/null 2>&1 & while [ ! -s {pid} ]; do sleep 0.02; done"
    )

    done = RUN.stream(["bash", "-c", command], cwd=tmp_path, env=PATH, timeout_s=60, log=tmp_path / "x.log")

    assert (done.exit_code, done.timed_out) == (0, False)
    assert done.orphans == 1
    assert not is_alive(until(pid))


def test_an_exception_in_the_caller_leaves_nothing_behind(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    def listen(_line: str) -> None:
        return

    class StopNowError(Exception):
        pass

    def interrupt(*_args: object) -> None:
        raise StopNowError

    import signal

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        with pytest.raises(StopNowError):
            RUN.stream(
                ["bash", "-c", f"echo $$ > {pid}; sleep 600"],
                cwd=tmp_path,
                env=PATH,
                timeout_s=60,
                log=tmp_path / "x",
                on_line=listen,
            )
    finally:
        signal.signal(signal.SIGALRM, before)

    assert not is_alive(until(pid))


def test_another_program_is_never_touched(tmp_path: Path) -> None:
    import subprocess

    neighbour = subprocess.Popen(["sleep", "600"])
    try:
        RUN.stream(["sleep", "600"], cwd=tmp_path, env=PATH, timeout_s=0.3, log=tmp_path / "x")

        assert neighbour.poll() is None
    finally:
        neighbour.kill()
        neighbour.wait()


def test_a_capture_that_takes_too_long_is_ended() -> None:
    done = RUN.capture(["bash", "-c", "echo early; sleep 600"], env=PATH, timeout_s=0.5)

    assert done.timed_out
    assert done.text == "early\n"


def test_nested_runs_keep_their_own_tags(tmp_path: Path) -> None:
    """A run inside a run must end its own children only: the outer one goes on."""
    inner = (
        f"import os; from pathlib import Path; from rocm_ci.tools.process import ProcessRunner as R; "
        f"R().stream(['sleep','600'], cwd=Path('{tmp_path}'), env=dict(os.environ), timeout_s=0.3, log=Path('{tmp_path}/i')); print('outer goes on')"
    )
    done = RUN.stream(
        [sys.executable, "-c", inner], cwd=Path.cwd(), env=PATH, timeout_s=60, log=tmp_path / "o"
    )

    assert done.exit_code == 0
    assert "outer goes on" in done.tail


def test_a_daemon_without_our_environment_that_holds_the_pipe_is_ended_too(tmp_path: Path) -> None:
    command = "env -i setsid sh -c 'echo $$ > pid; sleep 600' & while [ ! -s pid ]; do sleep 0.01; done"
    done = ProcessRunner().stream(
        ["bash", "-c", command], cwd=tmp_path, env=dict(os.environ), timeout_s=60, log=tmp_path / "log"
    )

    assert (done.exit_code, done.timed_out) == (0, False)
    assert done.orphans >= 1
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_a_log_that_the_command_made_a_link_or_a_pipe_is_neither_followed_nor_waited_for(
    tmp_path: Path,
) -> None:
    outside = tmp_path / "outside"
    (tmp_path / "logs").mkdir()
    for name, make in (("link", lambda p: p.symlink_to(outside)), ("pipe", os.mkfifo)):
        log = tmp_path / "logs" / name
        make(log)
        ProcessRunner().stream(["echo", "hi"], cwd=tmp_path, env=dict(os.environ), timeout_s=60, log=log)
        assert log.is_file()
        assert log.read_text() == "hi\n"
    assert not outside.exists()


def test_a_log_has_a_bound_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.tools.pump.MAX_LOG", 100_000)
    log = tmp_path / "log"
    done = ProcessRunner().stream(
        ["bash", "-c", "yes | head -c 300000; echo last"],
        cwd=tmp_path,
        env=dict(os.environ),
        timeout_s=60,
        log=log,
    )

    assert log.stat().st_size < 100_100
    assert b"the log ends here" in log.read_bytes()
    assert done.tail.endswith("last")
