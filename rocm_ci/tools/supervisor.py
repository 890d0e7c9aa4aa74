"""A program of its own between us and a command: it owns every process that comes of it, and ends them all.

Only what starts fast is imported here. `main` gets the number of an open socket. An order comes through it,
marshalled: `argv`, `folder`, `environment`, `grace_s`, `groups` (folders of control groups to
join) and `core_bytes` (the most of a core dump; -1 leaves that limit alone). Whatever comes after that, or
its end when we die, means: end it. The other way go lines: `ready` before anything is started,
`failed ERRNO` or `exited STATUS` as soon as the command itself has ended, and after cleaning up `ended STATUS
ORPHANS KILLED STUCK…`. STATUS is what waitpid says, KILLED how many others somebody else ended by SIGKILL,
STUCK those that no signal ends.

Linux gives orphans to their nearest ancestor that asked for them, so whatever the command starts stays below
this process: a session, a folder or an environment of its own changes nothing. Nothing else is signalled.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import select
import signal
import sys
import time

from rocm_ci.tools import below

TYPE_CHECKING = False  # the module `typing` takes longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_LOOK_S = 0.02
_FEW = 20
_ROUNDS = 500
_MOMENT_S = 0.2
# Of two processes that the kernel may end for want of memory it takes the one with more: the command, not us.
_OOM_SCORE = "500"
_IGNORED = (
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT,
    signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE,
)  # fmt: skip


class Command:
    """A command, as soon as it was started, and all that comes of it."""

    def __init__(self, child: int, groups: list[str]) -> None:
        self.child = child
        self.status: int | None = None
        self.killed = 0
        self._groups = groups
        self._reaped = 0
        self._is_killed_by_us = False

    def reap(self) -> bool:
        """Take in what has ended; whether there may be more. Not for ever, where more end as fast as that."""
        for _ in range(_ROUNDS):
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return False
            self._reaped += 1
            if pid == self.child and self.status is None:  # its number may be given again
                self.status = status
            elif os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
                self.killed += not self._is_killed_by_us
        return True

    def outlived(self) -> int:
        """How many outlive it; what ends within a moment anyway (a pipe's other end) does not count."""
        deadline = time.monotonic() + _MOMENT_S
        while below.has_children():
            if time.monotonic() > deadline:
                return max(1, len(below.descendants()))
            time.sleep(_LOOK_S)
            self.reap()
        return 0

    def end(self, grace_s: float) -> list[int]:
        """Ask, wait, kill. What is left then."""
        first = below.descendants() if below.has_children() else []
        for pid in first:
            below.send(pid, signal.SIGTERM)
            below.send(pid, signal.SIGCONT)  # one that is stopped hears nothing else
        # Something that multiplies when it is asked to end is not given the time to.
        most = 2 * len(first) + _FEW
        reaped = self._reaped + 10 * most
        deadline = time.monotonic() + grace_s
        while self._lives() and time.monotonic() < deadline:
            if self._reaped > reaped or len(below.descendants()) > most:
                break
            time.sleep(_LOOK_S)
        deadline = time.monotonic() + grace_s
        while self._lives() and time.monotonic() < deadline:
            self._kill()
            time.sleep(_LOOK_S)
        return below.descendants() if self._lives() else []

    def _lives(self) -> bool:
        self.reap()
        return below.has_children()

    def _kill(self) -> None:
        """All at once: what starts new processes as fast as they die is held first."""
        self._is_killed_by_us = True
        for folder in self._groups:
            _write(f"{folder}/cgroup.kill", "1")
        # No fork escapes a signal to its process group; and a group has members of one session only, all of
        # which come of the command. Those that wait to be reaped keep its number from being given away.
        newest = below.children()[-_ROUNDS:]
        for group in {below.group(pid) for pid in (*newest, *below.descendants())} - {0, 1, os.getpgrp()}:
            below.kill(-group)
        held: set[int] = set()
        for _ in range(_FEW):
            new = set(below.descendants()) - held
            for pid in new:
                below.send(pid, signal.SIGSTOP)
            held |= new
            if not new:
                break
        for pid in held:
            below.send(pid, signal.SIGKILL)
        # One that is replaced by its child before it can be looked at twice: that child is ours at once.
        # The number of a child of ours is nobody else's before it is reaped.
        for _ in range(_ROUNDS):
            children = below.children()
            for pid in children:
                below.kill(pid)
            self.reap()
            if not children:
                break


def main(caller: int) -> None:
    """The whole life of one command."""
    os.set_inheritable(caller, False)
    # A test that ends its parent politely does not end us; a terminal's Ctrl-C is our caller's to handle.
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # a test of the same user shall not take our open files
    order = marshal.loads(_frame(caller))  # noqa: S302 - our own
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _tell(caller, "ready")
    child = _started(order, caller, lambda: prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0))
    if not child:
        return
    command = Command(child, order["groups"])
    _wait(command, caller, woken)
    orphans = 0
    if command.status is not None:
        _tell(caller, f"exited {command.status}")
        orphans = command.outlived()
    stuck = command.end(order["grace_s"])
    counts = (command.status or 0, orphans, command.killed, *stuck)
    if not _tell(caller, f"ended {' '.join(map(str, counts))}"):
        for group in order["groups"]:  # nobody is left to do it
            _remove(group)


def _frame(caller: int) -> bytes:
    """A length in 8 bytes, then as many."""
    size = int.from_bytes(_exactly(caller, 8), "little")
    return _exactly(caller, size)


def _exactly(pipe: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = os.read(pipe, min(size - len(data), 1 << 20))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def _tell(caller: int, line: str) -> bool:
    """Whether our caller is still there to hear it."""
    try:
        os.write(caller, line.encode() + b"\n")
    except OSError:
        return False
    return True


def _started(order: Mapping[str, Any], caller: int, be_dumpable: Callable[[], object]) -> int:
    """The command's process id; 0 when it cannot be started, which is told."""
    failed, fails = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if not child:
        try:
            os.setsid()
            if order["core_bytes"] >= 0:
                _allow_cores(order["core_bytes"])
            be_dumpable()  # else the files below /proc/self are root's
            _write("/proc/self/oom_score_adj", _OOM_SCORE)
            for group in order["groups"]:
                _write(f"{group}/cgroup.procs", str(os.getpid()))
            for number in range(1, signal.NSIG):
                if number not in (signal.SIGKILL, signal.SIGSTOP):
                    _default(number)
            if order["folder"]:
                os.chdir(order["folder"])
            os.execvpe(order["argv"][0], order["argv"], order["environment"])
        except OSError as error:
            os.write(fails, str(error.errno or 0).encode())
        finally:
            os._exit(127)
    os.close(fails)
    told = os.read(failed, 32)
    os.close(failed)
    if told:
        os.waitpid(child, 0)
        _tell(caller, f"failed {told.decode()}")
        return 0
    return child


def _default(number: int) -> None:
    try:
        signal.signal(number, signal.SIG_DFL)
    except (OSError, ValueError):  # 32 and 33 belong to the C library
        pass


def _allow_cores(most: int) -> None:
    import resource  # noqa: PLC0415 - few want cores, and everybody has to start fast

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def _write(path: str, text: str) -> None:
    """A file of the kernel; without it the command runs all the same."""
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError:
        pass


def _remove(folder: str) -> None:
    """A control group; what has just ended is counted in it for a moment still."""
    for _ in range(_FEW):
        if _is_removed(folder):
            return
        time.sleep(_LOOK_S)


def _is_removed(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except OSError:
        return not os.path.isdir(folder)
    return True


def _wait(command: Command, caller: int, woken: int) -> None:
    """Until the command has ended by itself, or is to be ended."""
    poll = select.poll()
    poll.register(caller, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while True:
        has_more = command.reap()
        if command.status is not None:
            return
        for pipe, _ in poll.poll(0 if has_more else None):
            if pipe == caller:
                return
            os.read(woken, 4096)
