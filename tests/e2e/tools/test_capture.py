"""Short commands: bounded in what they print, in how long they take, and in what they leave behind."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools.process import ProcessRunner

if TYPE_CHECKING:
    from tests.e2e.tools.processes import Processes

RUN = ProcessRunner()
ROOT = Path(__file__).parents[3]
PATH = {"PATH": os.environ["PATH"]}
PRINTS_100_MB = [sys.executable, "-I", "-S", "-c", "for _ in range(1600): print('x' * 65535)"]


def test_a_command_that_prints_too_much_is_cut_and_told() -> None:
    done = RUN.capture(PRINTS_100_MB, env=PATH, limit=1_000_000)

    assert (done.truncated, done.timed_out, len(done.stdout)) == (True, False, 1_000_000)


def test_one_that_prints_for_ever_is_ended(processes: Processes) -> None:
    done = RUN.capture(
        ["bash", "-c", f"yes & exec yes {processes.folder} >&2"], env=PATH, timeout_s=600, limit=100_000
    )

    assert (done.truncated, done.timed_out) == (True, False)
    assert max(len(done.stdout), len(done.stderr)) == 100_000
    assert not processes.living()


def test_a_limit_that_is_just_met_cuts_nothing() -> None:
    done = RUN.capture(["bash", "-c", "printf 12345; printf 123 >&2"], env=PATH, limit=5)

    assert (done.truncated, done.text, done.error_text, done.exit_code) == (False, "12345", "123", 0)


def test_without_a_limit_a_command_may_go_on_and_its_end_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.tools.process.MAX_CAPTURE", 1_000_000)

    done = RUN.capture([*PRINTS_100_MB[:-1], f"{PRINTS_100_MB[-1]}\nraise SystemExit(9)"], env=PATH)

    assert (done.exit_code, done.truncated, len(done.stdout)) == (9, True, 1_000_000)


def test_what_is_beyond_the_limit_takes_no_memory() -> None:
    """In a process of its own, as the peak is one of a whole process."""
    program = (
        "import resource; from rocm_ci.tools.process import ProcessRunner\n"
        f"ProcessRunner().capture({PRINTS_100_MB!r}, env={{}}, limit=1_000_000)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    # The peak that the kernel tells begins with that of the parent: a shell stands between.
    measured = ["sh", "-c", '"$0" -c "$1"; exit $?', sys.executable, program]
    done = RUN.capture(measured, env={**PATH, "PYTHONPATH": str(ROOT)})

    assert int(done.text) * 1024 < 80_000_000, "kilobytes, on Linux"


def test_a_grandchild_that_holds_the_pipe_is_not_waited_for(processes: Processes) -> None:
    done = RUN.capture(
        ["bash", "-c", f"echo out; echo err >&2; {processes.sleep} & exit 3"], env=PATH, timeout_s=600
    )

    assert (done.exit_code, done.text, done.error_text, done.timed_out) == (3, "out\n", "err\n", False)
    assert not processes.living()


def test_a_grandchild_that_goes_on_printing_is_not_waited_for(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocm_ci.tools.capture._MOST_REST_S", 0.5)
    chatter = f"while :; do echo more; sleep 0.05; done; : {processes.folder}"

    done = RUN.capture(["bash", "-c", f"bash -c '{chatter}' & echo first; exit 3"], env=PATH, timeout_s=600)

    assert (done.exit_code, done.timed_out) == (3, False)
    assert "first\n" in done.text
    assert not processes.living()


def test_a_timeout_counts_when_the_output_is_closed_too(processes: Processes) -> None:
    done = RUN.capture(["bash", "-c", f"exec {processes.sleep} >&- 2>&-"], env=PATH, timeout_s=0.3)

    assert (done.timed_out, done.exit_code) == (True, -15)
    assert not processes.living()


@pytest.mark.usefixtures("short_grace")
def test_a_timeout_ends_what_ignores_it_and_what_left_its_group(processes: Processes) -> None:
    command = f"trap '' TERM; env -i setsid {processes.sleep} & setsid {processes.sleep} & {processes.sleep}"

    done = RUN.capture(["bash", "-c", command], env=PATH, timeout_s=0.5)

    assert (done.timed_out, done.exit_code) == (True, -9)
    assert not processes.living()


def test_a_daemon_of_a_command_that_ended_well_is_ended(processes: Processes) -> None:
    done = RUN.capture(
        ["bash", "-c", f"env -i setsid {processes.sleep} </dev/null >/dev/null 2>&1 & echo done"], env=PATH
    )

    assert (done.exit_code, done.text) == (0, "done\n")
    assert not processes.living()


def test_what_it_gets_to_read_is_written_whole_and_need_not_be_read() -> None:
    text = b"line\n" * 200_000

    assert RUN.capture(["cat"], env=PATH, stdin=text).stdout == text
    assert RUN.capture(["true"], env=PATH, stdin=text).exit_code == 0
    assert RUN.capture(["bash", "-c", "exec <&-; echo closed"], env=PATH, stdin=text).text == "closed\n"


def test_a_program_that_is_none_is_told_with_its_reason(processes: Processes) -> None:
    plain = processes.folder / "plain"
    plain.write_text("")

    assert "Permission denied" in RUN.capture([str(plain)], env=PATH).error_text
    assert "null byte" in RUN.capture(["echo", "a\0b"], env=PATH).error_text


def test_many_at_once_get_their_own_output_each() -> None:
    def ask(number: int) -> tuple[str, str, int]:
        done = RUN.capture(
            ["bash", "-c", f"cat; echo {number} >&2; exit {number}"], env=PATH, stdin=b"%d" % number
        )
        return done.text, done.error_text, done.exit_code

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(80))) == [(str(n), f"{n}\n", n) for n in range(80)]
