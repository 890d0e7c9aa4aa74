"""The only place that starts processes. Whatever it starts, it ends, with all descendants."""

from __future__ import annotations

import contextlib
import enum
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rocm_ci.tools import cores, step_group, tree
from rocm_ci.tools.capture import Reading
from rocm_ci.tools.children import started, tagged
from rocm_ci.tools.log_file import LogFile
from rocm_ci.tools.pump import Pump
from rocm_ci.tools.step_group import StepGroup
from rocm_ci.tools.supervised import Supervised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rocm_ci.tools.mask import Mask, Sink
    from rocm_ci.tools.supervised import End

NOT_FOUND = 127
NOT_EXECUTABLE = 126
MAX_CAPTURE = 64_000_000
_LOOK_S = 0.1
# What a shell says when SIGKILL ended its command.
_SHELL_KILLED = 128 + int(signal.SIGKILL)
_LOST = "something killed the process that watched over it, so it was ended and its own end is not known"


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A finished short command. `exit_code` is negative for a signal, 127 when it is not there.

    `truncated`: it wrote more than was wanted of it, and the rest is not here.
    """

    argv: tuple[str, ...]
    exit_code: int
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    truncated: bool = False

    @property
    def text(self) -> str:
        """Standard output as text; undecodable bytes become U+FFFD."""
        return self.stdout.decode("utf-8", "replace")

    @property
    def error_text(self) -> str:
        """Standard error as text."""
        return self.stderr.decode("utf-8", "replace")


class Stop(enum.Enum):
    """Why we ended a command that did not end by itself."""

    TIMEOUT = "timeout"
    SILENCE = "silence"
    ASKED = "asked"


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """A finished long command. `tail` holds its last lines; the whole output is in `log`.

    `stopped` is set when we ended it, `why` what `stop` answered. `orphans` processes outlived it and
    were ended; `stuck` are numbers of those that no signal ends (state D). `out_of_memory` counts
    processes that the kernel killed for memory, `cores` are the core dumps it left. `problem` says what
    else is wrong: the log is not whole, or the process that watched over it was killed. `met_full_disk`:
    there was no space for the log.
    """

    argv: tuple[str, ...]
    exit_code: int
    duration_s: float
    timed_out: bool
    log: Path
    tail: str
    orphans: int = 0
    stopped: Stop | None = None
    why: str = ""
    stuck: tuple[int, ...] = ()
    out_of_memory: int = 0
    cores: tuple[Path, ...] = ()
    problem: str = ""
    met_full_disk: bool = False


class Runner(Protocol):
    """How the rest of the program starts other programs."""

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
        limit: int | None = None,
    ) -> Captured:
        """Run to the end and return both streams, apart; it is ended when one has more than `limit` bytes."""
        ...

    def stream(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout_s: float,
        log: Path,
        on_line: Callable[[str], None] | None = None,
        quiet_s: float | None = None,
        stop: Callable[[], str] | None = None,
    ) -> Streamed:
        """Run with both streams joined into the file `log`, telling each line to `on_line`.

        It is ended after `timeout_s`, after `quiet_s` without any output, or as soon as `stop`,
        asked several times a second, answers with a reason.
        """
        ...


class ProcessRunner:
    """The real `Runner`, for any number of threads. Linux only: descendants are found in /proc.

    With a `mask` the logs do not show what it hides; `on_line` and the tail get the lines as they are.
    With `keeps_cores` commands may leave core dumps, which are moved beside their logs.
    """

    def __init__(self, mask: Mask | None = None, *, keeps_cores: bool = False) -> None:
        self._mask = mask
        self._keeps_cores = keeps_cores

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
        limit: int | None = None,
    ) -> Captured:
        """See `Runner.capture`. Without a limit no more than `MAX_CAPTURE` is kept."""
        deadline = time.monotonic() + timeout_s
        with started(argv, cwd, os.environ if env is None else env) as begun:
            if isinstance(begun, str):
                return Captured(argv=tuple(argv), exit_code=NOT_FOUND, stderr=begun.encode())
            child, below = begun
            reading = Reading(child, stdin, MAX_CAPTURE if limit is None else limit)
            in_time = reading.until(deadline, ends_when_over=limit is not None)
            if child.poll() is None:
                below.end()
                reading.until(time.monotonic() + tree.GRACE_S, ends_when_over=limit is not None)
            code = child.poll()
            return Captured(
                argv=tuple(argv),
                # One that no signal ends (state D) is not waited for.
                exit_code=-int(signal.SIGKILL) if code is None else code,
                stdout=reading.of(child.stdout),
                stderr=reading.of(child.stderr),
                timed_out=not in_time,
                truncated=reading.is_over,
            )

    def stream(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout_s: float,
        log: Path,
        on_line: Callable[[str], None] | None = None,
        quiet_s: float | None = None,
        stop: Callable[[], str] | None = None,
    ) -> Streamed:
        """See `Runner.stream`."""
        began, when = time.monotonic(), time.time()
        tag = os.urandom(8).hex()
        kills = step_group.oom_kills()
        with (
            contextlib.closing(LogFile(log)) as plain,
            self._mask.over(plain) if self._mask else contextlib.nullcontext(plain) as sink,
            _group(f"rocm-ci-{tag}") as group,
        ):
            try:
                child = Supervised(
                    argv,
                    cwd=cwd,
                    env=tagged(env, tag),
                    group=group,
                    tag=tag,
                    libraries=os.environ.get("LD_LIBRARY_PATH", ""),
                    core_bytes=cores.MAX_BYTES if self._keeps_cores else -1,
                )
            except OSError as error:
                return _unstarted(argv, plain, sink, str(error.strerror or error))
            pump = Pump(child.output, sink, on_line)
            pump.start()
            stopped, why = None, ""
            try:
                stopped, why = _awaited(child, pump, began + timeout_s, quiet_s, stop)
            finally:
                # Also when we are interrupted: nothing may close the pipe under a thread that reads it.
                end = child.end()
                pump.finish()
                child.close()
            if pump.error is not None:
                raise pump.error
            if end.error:
                return _unstarted(argv, plain, sink, end.error)
            memory = (
                group.oom_kills() if group.counts_memory else _suspected(end, kills, ours=stopped is not None)
            )
        found = cores.found(log, cwd, when, moves=self._keeps_cores) if end.exit_code else ()
        return Streamed(
            argv=tuple(argv),
            exit_code=end.exit_code,
            duration_s=child.duration_s,
            timed_out=stopped is Stop.TIMEOUT,
            log=log,
            tail="\n".join(pump.tail),
            orphans=0 if stopped else end.orphans,
            stopped=stopped,
            why=why,
            stuck=end.stuck,
            out_of_memory=memory,
            cores=found,
            problem="; ".join(filter(None, (_LOST if end.lost else "", plain.problem))),
            met_full_disk=plain.met_full_disk,
        )


def _awaited(
    child: Supervised,
    pump: Pump,
    deadline: float,
    quiet_s: float | None,
    stop: Callable[[], str] | None,
) -> tuple[Stop | None, str]:
    """Until the child ends, or why it must be ended."""
    while not child.exited(min(_LOOK_S, deadline - time.monotonic())) and pump.error is None:
        now = time.monotonic()
        if now >= deadline:
            return Stop.TIMEOUT, ""
        if quiet_s is not None and now - pump.heard > quiet_s:
            return Stop.SILENCE, ""
        asked = stop() if stop is not None else ""
        if asked:
            return Stop.ASKED, asked
    return None, ""


def _suspected(end: End, before: int, *, ours: bool) -> int:
    """Where only a counter that others share tells of deaths for memory: those of it that can be its own."""
    killed = end.killed or int(end.exit_code == _SHELL_KILLED)
    return 0 if ours else min(killed, max(0, step_group.oom_kills() - before))


def _unstarted(argv: Sequence[str], log: LogFile, sink: Sink, reason: str) -> Streamed:
    told = f"cannot start {argv[0]}: {reason}"
    sink.write(told.encode() + b"\n")
    return Streamed(
        argv=tuple(argv),
        exit_code=NOT_FOUND,
        duration_s=0.0,
        timed_out=False,
        log=log.path,
        tail=told,
        problem=log.problem,
        met_full_disk=log.met_full_disk,
    )


@contextlib.contextmanager
def _group(name: str) -> Iterator[StepGroup]:
    group = StepGroup.make(name)
    try:
        yield group
    finally:
        group.remove()
