"""The only place that starts processes. Whatever it starts, it ends, with all descendants."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Protocol

from rocm_ci.tools import file
from rocm_ci.tools.tree import GRACE_S, Tree, adopt, children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rocm_ci.tools.mask import Mask, Sink

NOT_FOUND = 127
NOT_EXECUTABLE = 126
TAIL_LINES = 200
MAX_LINE = 16_384
MAX_CAPTURE = 64_000_000
# A command that never stops talking must not fill the runner's disk.
MAX_LOG = 500_000_000
TAG = "ROCM_CI_STEP"
_CHUNK = 65_536
_LOOK_MS = 100


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
            pump = _Pump(child.stdout, sink, on_line)
            pump.start()
            try:
                child.wait(timeout_s)
                timed_out = False
            except subprocess.TimeoutExpired:
                timed_out = True
            finally:
                # Also when we are interrupted: nothing may close the pipe under a thread that reads it.
                orphans = tree.end()
                pump.finish()
        return Streamed(
            argv=tuple(argv),
            exit_code=child.returncode,
            duration_s=time.monotonic() - began,
            timed_out=timed_out,
            log=log,
            tail="\n".join(pump.tail),
            orphans=0 if timed_out else orphans,
        )


def _rest(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What an ended child had written; what cannot be had because somebody holds the pipe is let go."""
    try:
        return child.communicate(timeout=GRACE_S)
    except subprocess.TimeoutExpired as error:
        return error.output or b"", error.stderr or b""


class _Pump(threading.Thread):
    """Copies a child's output to a file, keeps the tail, tells each line to a listener."""

    def __init__(self, source: IO[bytes] | None, sink: Sink, on_line: Callable[[str], None] | None) -> None:
        super().__init__(daemon=True)
        self._source = -1 if source is None else source.fileno()
        self._sink = sink
        self._written = 0
        self._on_line = on_line
        self._until = float("inf")
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)

    def finish(self) -> None:
        """Take what is still in the pipe, then stop, even if somebody keeps the pipe open."""
        self._until = time.monotonic() + GRACE_S
        self.join()

    def run(self) -> None:
        """Until the pipe closes. A line longer than `MAX_LINE` is told in pieces."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        rest = b""
        with contextlib.suppress(ValueError, OSError):
            while time.monotonic() < self._until:
                if not poll.poll(_LOOK_MS):
                    if self._until < float("inf"):
                        break
                    continue
                chunk = os.read(self._source, _CHUNK)
                if not chunk:
                    break
                self._keep(chunk)
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    self._tell(line)
                if len(rest) > MAX_LINE:
                    self._tell(rest)
                    rest = b""
            if rest:
                self._tell(rest)

    def _keep(self, chunk: bytes) -> None:
        room = MAX_LOG - self._written
        self._written += len(chunk)
        if room > 0:
            self._sink.write(chunk[:room])
        if 0 <= room < len(chunk):
            self._sink.write(f"\n[the log ends here: over {MAX_LOG} bytes]\n".encode())

    def _tell(self, raw: bytes) -> None:
        for at in range(0, len(raw) or 1, MAX_LINE):
            line = raw[at : at + MAX_LINE].decode("utf-8", "replace").rstrip("\r")
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
