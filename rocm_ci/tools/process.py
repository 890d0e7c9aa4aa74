"""The only place that starts processes. Whatever it starts, it ends, with all descendants."""

from __future__ import annotations

import contextlib
import enum
import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rocm_ci.tools import file
from rocm_ci.tools.pump import Pump
from rocm_ci.tools.tree import GRACE_S, Tree, adopt, children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rocm_ci.tools.mask import Mask

NOT_FOUND = 127
NOT_EXECUTABLE = 126
MAX_CAPTURE = 64_000_000
TAG = "ROCM_CI_STEP"
_LOOK_S = 0.1


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A finished short command. `exit_code` is negative for a signal, 127 when it is not there."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False

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
    processes that the kernel killed for memory, `cores` are the core dumps it left.
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
    ) -> Captured:
        """Run to the end and return both streams, apart."""
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
    """The real `Runner`. Linux only: descendants are found in /proc.

    With a `mask` the logs do not show what it hides; `on_line` and the tail get the lines as they are.
    """

    def __init__(self, mask: Mask | None = None) -> None:
        self._mask = mask

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
    ) -> Captured:
        """See `Runner.capture`."""
        with _started(argv, cwd, env, stderr=subprocess.PIPE, stdin=subprocess.PIPE) as started:
            if isinstance(started, str):
                return Captured(argv=tuple(argv), exit_code=NOT_FOUND, stderr=started.encode())
            child, tree = started
            try:
                out, err = child.communicate(stdin, timeout=timeout_s)
            except subprocess.TimeoutExpired:
                tree.end()
                out, err = _rest(child)
                return Captured(
                    argv=tuple(argv),
                    exit_code=child.returncode,
                    stdout=out[:MAX_CAPTURE],
                    stderr=err,
                    timed_out=True,
                )
        return Captured(argv=tuple(argv), exit_code=child.returncode, stdout=out[:MAX_CAPTURE], stderr=err)

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
        began = time.monotonic()
        adopt()
        others = children()
        with (
            file.create(log) as plain,
            self._mask.over(plain) if self._mask else contextlib.nullcontext(plain) as sink,
            _started(
                argv, cwd, env, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, others=others
            ) as started,
        ):
            if isinstance(started, str):
                sink.write(started.encode() + b"\n")
                return Streamed(
                    argv=tuple(argv),
                    exit_code=NOT_FOUND,
                    duration_s=0.0,
                    timed_out=False,
                    log=log,
                    tail=started,
                )
            child, tree = started
            pump = Pump(child.stdout, sink, on_line)
            pump.start()
            try:
                stopped, why = _awaited(child, pump, began + timeout_s, quiet_s, stop)
            finally:
                # Also when we are interrupted: nothing may close the pipe under a thread that reads it.
                orphans = tree.end()
                pump.finish()
        return Streamed(
            argv=tuple(argv),
            exit_code=child.returncode,
            duration_s=time.monotonic() - began,
            timed_out=stopped is Stop.TIMEOUT,
            log=log,
            tail="\n".join(pump.tail),
            orphans=0 if stopped else orphans,
            stopped=stopped,
            why=why,
        )


def _awaited(
    child: subprocess.Popen[bytes],
    pump: Pump,
    deadline: float,
    quiet_s: float | None,
    stop: Callable[[], str] | None,
) -> tuple[Stop | None, str]:
    """Until the child ends, or why it must be ended."""
    while not _ended(child, min(_LOOK_S, deadline - time.monotonic())):
        now = time.monotonic()
        if now >= deadline:
            return Stop.TIMEOUT, ""
        if quiet_s is not None and now - pump.heard > quiet_s:
            return Stop.SILENCE, ""
        asked = stop() if stop is not None else ""
        if asked:
            return Stop.ASKED, asked
    return None, ""


def _ended(child: subprocess.Popen[bytes], within_s: float) -> bool:
    try:
        child.wait(max(0.0, within_s))
    except subprocess.TimeoutExpired:
        return False
    return True


def _rest(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What an ended child had written; what cannot be had because somebody holds the pipe is let go."""
    try:
        return child.communicate(timeout=GRACE_S)
    except subprocess.TimeoutExpired as error:
        return error.output or b"", error.stderr or b""


@contextlib.contextmanager
def _started(
    argv: Sequence[str],
    cwd: Path | None,
    env: Mapping[str, str] | None,
    *,
    stderr: int,
    stdin: int,
    others: frozenset[int] | None = None,
) -> Iterator[tuple[subprocess.Popen[bytes], Tree] | str]:
    """The child with its tree; on the way out, however that happens, the whole tree is ended.

    When the program cannot be started it is the reason instead. With `others`, our children so
    far, orphans count as part of the tree.
    """
    tag = os.urandom(8).hex()
    environment = dict(os.environ if env is None else env)
    environment[TAG] = f"{environment.get(TAG, '')}/{tag}"
    try:
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    except OSError as error:
        yield f"cannot start {argv[0]}: {error.strerror or error}"
        return
    tree = Tree(child, tag, others)
    try:
        yield child, tree
    finally:
        if child.poll() is None:
            tree.end()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
