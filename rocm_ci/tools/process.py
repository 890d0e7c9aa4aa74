"""The only place that starts processes. Whatever it starts, it ends, with all descendants."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

NOT_FOUND = 127
NOT_EXECUTABLE = 126
GRACE_S = 5.0
TAIL_LINES = 200
MAX_LINE = 16_384
MAX_CAPTURE = 64_000_000
TAG = "ROCM_CI_STEP"
_KILL_TRIES = 20


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


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """A finished long command. `tail` holds its last lines; the whole output is in `log`."""

    argv: tuple[str, ...]
    exit_code: int
    duration_s: float
    timed_out: bool
    log: Path
    tail: str
    orphans: int = 0


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
    ) -> Streamed:
        """Run with both streams joined into the file `log`, telling each line to `on_line`."""
        ...


class ProcessRunner:
    """The real `Runner`. Linux only: descendants are found in /proc."""

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
        with _started(argv, cwd, env, stderr=subprocess.PIPE, stdin=subprocess.PIPE) as (child, tag):
            if child is None:
                return Captured(argv=tuple(argv), exit_code=NOT_FOUND, stderr=tag.encode())
            try:
                out, err = child.communicate(stdin, timeout=timeout_s)
            except subprocess.TimeoutExpired:
                _end(child, tag)
                out, err = child.communicate()
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
    ) -> Streamed:
        """See `Runner.stream`."""
        log.parent.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        with (
            log.open("wb") as sink,
            _started(argv, cwd, env, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL) as (child, tag),
        ):
            if child is None or child.stdout is None:
                sink.write(tag.encode() + b"\n")
                return Streamed(
                    argv=tuple(argv), exit_code=NOT_FOUND, duration_s=0.0, timed_out=False, log=log, tail=tag
                )
            pump = _Pump(child.stdout, sink, on_line)
            pump.start()
            try:
                child.wait(timeout_s)
                timed_out = False
            except subprocess.TimeoutExpired:
                timed_out = True
            orphans = _end(child, tag)
            # A grandchild that left /proc's tree may still hold the pipe: never wait for it forever.
            pump.join(GRACE_S)
        return Streamed(
            argv=tuple(argv),
            exit_code=child.returncode,
            duration_s=time.monotonic() - began,
            timed_out=timed_out,
            log=log,
            tail="\n".join(pump.tail),
            orphans=0 if timed_out else orphans,
        )


class _Pump(threading.Thread):
    """Copies a child's output to a file, keeps the tail, tells each line to a listener."""

    def __init__(self, source: IO[bytes], sink: BinaryIO, on_line: Callable[[str], None] | None) -> None:
        super().__init__(daemon=True)
        self._source = source
        self._sink = sink
        self._on_line = on_line
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)

    def run(self) -> None:
        """Until the pipe closes. A line longer than `MAX_LINE` is told in pieces."""
        with contextlib.suppress(ValueError, OSError):
            for raw in iter(lambda: self._source.readline(MAX_LINE), b""):
                self._sink.write(raw)
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                self.tail.append(line)
                if self._on_line is not None:
                    self._on_line(line)


@contextlib.contextmanager
def _started(
    argv: Sequence[str],
    cwd: Path | None,
    env: Mapping[str, str] | None,
    *,
    stderr: int,
    stdin: int,
) -> Iterator[tuple[subprocess.Popen[bytes] | None, str]]:
    """The child and its tag; on the way out, however that happens, the whole tree is ended.

    When the program cannot be started the child is None and the tag says why.
    """
    tag = secrets.token_hex(8)
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
        yield None, f"cannot start {argv[0]}: {error.strerror or error}"
        return
    try:
        yield child, tag
    finally:
        if child.poll() is None:
            _end(child, tag)
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _end(child: subprocess.Popen[bytes], tag: str) -> int:
    """Stop, wait, kill: the child and every descendant. Returns how many outlived the child.

    Descendants are the child's process group and every process that inherited our tag, so that
    a daemon which started its own session is found too. Nothing else is ever signalled.
    """
    outlived = [pid for pid in _tagged(tag) if pid != child.pid]
    if child.poll() is None:
        outlived = []
    _signal(child, tag, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline and (child.poll() is None or _tagged(tag)):
        time.sleep(0.02)
    for _ in range(_KILL_TRIES):
        if child.poll() is not None and not _tagged(tag):
            break
        _signal(child, tag, signal.SIGKILL)
        time.sleep(0.02)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE_S)
    return len(outlived)


def _signal(child: subprocess.Popen[bytes], tag: str, number: signal.Signals) -> None:
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
    for pid in _tagged(tag):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _tagged(tag: str) -> list[int]:
    """Living processes whose environment carries the tag (zombies have none)."""
    needle = tag.encode()
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if needle in (Path(entry.path) / "environ").read_bytes():
                    found.append(int(entry.name))
    return found
