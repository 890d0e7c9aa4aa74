"""A command below a supervisor of its own (see `supervisor`), as its caller sees it."""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.tools import tree
from rocm_ci.tools.tree import GRACE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocm_ci.tools.step_group import StepGroup

# What is ours comes last: nothing that lies beside this package is taken for a module of Python's own.
_PROGRAM = (
    "import os, sys; sys.path.append(sys.argv[1]); "
    "from rocm_ci.tools.supervisor import main; main(int(sys.argv[2])); os._exit(0)"
)
_HOME = Path(__file__).resolve().parents[2]
_FAILED = re.compile(r"failed (\d{1,5})\n?")
_EXITED = re.compile(r"exited (\d{1,10})\n")
_ENDED = re.compile(r"ended (\d{1,10}) (\d{1,10}) (\d{1,10})((?: \d{1,10})*)\n")
# What a command is told to have died of whose end nobody saw: it was we who ended it then.
_UNSEEN = -int(signal.SIGKILL)
# Beyond the time that ending takes: on a busy host a supervisor may have to wait for a processor.
_ANSWER_S = 10.0
_MAX_TOLD = 100_000
_LOOK_S = 0.1


@dataclass(frozen=True, kw_only=True)
class End:
    """How it ended. `killed` counts processes that somebody else ended by SIGKILL, itself included.

    `error` is why it could not be started. `lost` says that its supervisor was killed.
    """

    exit_code: int
    orphans: int = 0
    killed: int = 0
    stuck: tuple[int, ...] = ()
    error: str = ""
    lost: bool = False


class Supervised:
    """Started at once; raises OSError when not even the supervisor can be.

    `output` is the end of a pipe to read what it writes. `close` it at last.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None,
        env: Mapping[str, str],
        group: StepGroup,
        tag: str,
        libraries: str = "",
        core_bytes: int = -1,
    ) -> None:
        self._before = tree.children()
        self._group = group
        self._tag = tag
        self._told = b""
        self._end: End | None = None
        self._began = time.monotonic()
        self._exited: float | None = None
        self._code = _UNSEEN
        # Not pipes: whoever may look at our open files could open such a one below /proc, and speak for it.
        ours, theirs = (one.detach() for one in socket.socketpair())
        self._line = ours
        self.output, output = os.pipe()
        try:
            self._process = tree.start(lambda: _supervisor(theirs, output, libraries), tag)
        except OSError:
            self._close_pipes()
            raise
        finally:
            for pipe in (theirs, output):
                os.close(pipe)
        folder = str(cwd) if cwd is not None else ""
        words = {"argv": list(argv), "folder": folder, "environment": dict(env), "grace_s": GRACE_S}
        frame = marshal.dumps(words | {"groups": list(group.folders), "core_bytes": core_bytes})
        self._send(len(frame).to_bytes(8, "little") + frame)

    @property
    def duration_s(self) -> float:
        """How long the command itself ran, or runs."""
        return (self._exited or time.monotonic()) - self._began

    def exited(self, within_s: float) -> bool:
        """Whether the command has ended, waiting that long at most. What it left may live on."""
        return self._told_within(within_s, lambda: self._exited is not None)

    def end(self) -> End:
        """How it ended; what still lives is ended first. Twice is no fault."""
        if self._end is None:
            self._send(b"e")
            if not self._told_within(2 * GRACE_S + _ANSWER_S, lambda: self._end is not None):
                self._process.kill()
                self._told_within(GRACE_S, lambda: self._end is not None)
        if self._end is None or self._end.lost or not self._is_over():
            self._end = self._bereft()
        return self._end

    def _is_over(self) -> bool:
        """Whether the supervisor ended by itself, as it does when nothing is left. It may be others' word."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(GRACE_S) == 0
        self._process.kill()
        return False

    def _told_within(self, within_s: float, is_enough: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + max(within_s, 0.0)
        while not is_enough():
            left_s = max(0.0, deadline - time.monotonic())
            if _readable(self._line, min(left_s, _LOOK_S) * 1000):
                self._read()
                continue
            self._wake()
            if left_s <= _LOOK_S:
                return False
        return True

    def _wake(self) -> None:
        """A test may stop the supervisor; that is not for ever."""
        with contextlib.suppress(OSError):
            if os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOHANG):
                os.kill(self._process.pid, signal.SIGCONT)

    def _send(self, data: bytes) -> None:
        # A supervisor that is gone is noticed by its report's end.
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self._line, data) :]

    def _read(self) -> None:
        piece = b""
        with contextlib.suppress(OSError):  # it ended without having read all that we said
            piece = os.read(self._line, 65_536) if len(self._told) < _MAX_TOLD else b""
        self._told += piece
        text = self._told.decode("ascii", "replace")
        failed, exited, ended = _FAILED.search(text), _EXITED.search(text), _ENDED.search(text)
        if exited and self._exited is None:
            self._exited, self._code = time.monotonic(), _code(int(exited[1]))
        if failed:
            self._end = End(exit_code=127, error=os.strerror(int(failed[1])))
        elif ended:
            code = _code(int(ended[1]))
            stuck = tuple(int(pid) for pid in ended[4].split())
            killed = int(ended[3]) + (code == -signal.SIGKILL)
            self._end = End(exit_code=code, orphans=int(ended[2]), killed=killed, stuck=stuck)
        elif not piece:
            unstarted = "" if text.startswith("ready\n") else "the program that watches over it did not start"
            self._end = End(exit_code=self._code, error=unstarted, lost=True)
        if self._end is not None and self._exited is None:
            self._exited = time.monotonic()

    def _bereft(self) -> End:
        """Something killed the supervisor: what it had is ours now."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        had_ended = self._code != _UNSEEN
        first = self._left()
        tree.ended(self._left, signal.SIGTERM, GRACE_S)
        self._group.kill()
        stuck = tree.ended(self._left, signal.SIGKILL, GRACE_S)
        error = self._end.error if self._end else ""
        return End(
            exit_code=self._code,
            orphans=len(first) if had_ended else 0,
            stuck=stuck,
            error=error,
            lost=True,
        )

    def _left(self) -> frozenset[int]:
        found = tree.orphans(self._tag, self._before) | self._group.members()
        return frozenset(pid for pid in found if tree.lives(pid))

    def close(self) -> None:
        """Let go of the pipes, when nobody reads them any more. Twice is no fault."""
        if self._line < 0:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        if self._process.poll() is None:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_S)
        tree.over(self._process)
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._line, self.output):
            with contextlib.suppress(OSError):
                os.close(pipe)
        self._line = -1


def _supervisor(line: int, output: int, libraries: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _PROGRAM, str(_HOME), str(line)],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        # What the command's environment may hold (LD_PRELOAD) is not for the supervisor; but it is the same
        # Python as we are, and may need what we were given to find its own library.
        env={"LC_ALL": "C"} | ({"LD_LIBRARY_PATH": libraries} if libraries else {}),
        pass_fds=(line,),
        start_new_session=True,
    )


def _code(status: int) -> int:
    """A status of waitpid as an exit code, negative for a signal."""
    try:
        return os.waitstatus_to_exitcode(status)
    except ValueError:
        return 1


def _readable(pipe: int, within_ms: float) -> bool:
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(within_ms))
