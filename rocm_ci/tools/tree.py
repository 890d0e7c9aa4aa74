"""Processes that descend from us without a supervisor between: found, ended, counted. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from rocm_ci.tools import below

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_S = 5.0
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
# Children that somebody of us waits for, with the tags of what they started: they are nobody's orphans.
_WAITED_FOR: dict[int, str] = {}
_LOCK = threading.Lock()


class Child(Protocol):
    """A process we started and wait for; `subprocess.Popen` is one."""

    @property
    def pid(self) -> int:
        """Its number, which is its group's and its session's too."""
        ...

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        ...


_Child = TypeVar("_Child", bound=Child)


class Tree:
    """A short command's child, its process group, and every process that came of it.

    `before` are the children that we had when it was started.
    """

    def __init__(self, child: Child, tag: str, before: frozenset[int]) -> None:
        self.child = child
        self._tag = tag
        self._before = before
        self._is_ended = False

    def is_over(self) -> bool:
        """Whether it has ended and left nothing behind, or all was done to that end."""
        return self._is_ended or (self.child.poll() is not None and not _strangers(self._before))

    def end(self) -> None:
        """Stop, wait, kill."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            _signal_group(self.child, number)
            if not ended(self._left, number, GRACE_S):
                break
        self._is_ended = True

    def _left(self) -> frozenset[int]:
        own = frozenset({self.child.pid}) if self.child.poll() is None else frozenset()
        return orphans(self._tag, self._before) - {self.child.pid} | own


def _signal_group(child: Child, number: signal.Signals) -> None:
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)


def ended(find: Callable[[], frozenset[int]], number: signal.Signals, within_s: float) -> tuple[int, ...]:
    """Signal what `find` finds until it finds nothing more, or the time is up; what is left then.

    SIGTERM is sent once to each, with a SIGCONT, as one that is stopped hears nothing else.
    """
    deadline = time.monotonic() + within_s
    asked: set[int] = set()
    while left := find():
        if time.monotonic() > deadline:
            return tuple(sorted(left))
        _send(left - asked, find, number)
        if number != signal.SIGKILL:
            asked |= left
        time.sleep(0.02)
    return ()


def _send(pids: frozenset[int], find: Callable[[], frozenset[int]], number: signal.Signals) -> None:
    """To those that are found once more when we hold them: no number can be somebody else's by then."""
    handles: dict[int, int] = {}
    try:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                handles[pid] = _opened(pid)
        for pid in (find() if handles else frozenset()) & handles.keys():
            for one in (number,) if number == signal.SIGKILL else (number, signal.SIGCONT):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if handles[pid] < 0:
                        os.kill(pid, one)
                    else:
                        signal.pidfd_send_signal(handles[pid], one)
    finally:
        for handle in handles.values():
            if handle >= 0:
                os.close(handle)


def _opened(pid: int) -> int:
    """A handle of a process, -1 where there are none; raises ProcessLookupError when it is gone."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        raise
    except (OSError, AttributeError):  # a kernel before 5.3, or a sandbox without it
        return -1


def start(begin: Callable[[], _Child], tag: str) -> _Child:
    """A child of ours that its caller waits for; `over` says when that is done.

    From now on orphans among our descendants become our children, where the kernel allows it, and a process
    of the same user may neither trace us nor take our open files or our environment.
    """
    with contextlib.suppress(OSError, AttributeError):
        prctl = ctypes.CDLL(None).prctl
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    with _LOCK:
        child = begin()
        _WAITED_FOR[child.pid] = tag
    return child


def over(child: Child) -> None:
    """Its caller has waited for it."""
    with _LOCK:
        _WAITED_FOR.pop(child.pid, None)


def orphans(tag: str, before: frozenset[int]) -> frozenset[int]:
    """Living processes that carry the tag, and orphans that came to us since `before`, with all below them.

    An orphan is a child that nobody waits for. Its session tells whose it was, or the tag that it carries;
    one without either is taken by whoever looks first.
    """
    found: set[int] = set()
    with _LOCK:
        others = {other.encode() for other in _WAITED_FOR.values() if other != tag}
        for pid in _strangers(before):
            with contextlib.suppress(ChildProcessError, ProcessLookupError):
                owner = _WAITED_FOR.get(os.getsid(pid), tag)
                if os.waitpid(pid, os.WNOHANG)[0] == 0 and owner == tag:
                    environment = _environment(pid)
                    if tag.encode() in environment or not any(one in environment for one in others):
                        found |= {pid, *_below(pid)}
    return frozenset(pid for pid in found | _tagged(tag) if lives(pid))


def _strangers(before: frozenset[int]) -> frozenset[int]:
    """Children that nobody waits for, new since `before`, ended ones included.

    What the rest of this program starts is of our session; what has left that cannot come back.
    """
    found = set()
    for pid in children() - _WAITED_FOR.keys() - before:
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(pid) != os.getsid(0):
                found.add(pid)
    return frozenset(found)


def lives(pid: int) -> bool:
    """Whether a process runs; one that only waits for its parent does not."""
    return below.stat(pid)[0] not in ("", "Z", "X")


def children() -> frozenset[int]:
    """Our own children, those that have ended but were not waited for included."""
    return _children("self")


def _below(pid: int) -> frozenset[int]:
    found: set[int] = set()
    todo = {pid}
    while todo:
        new = _children(str(todo.pop())) - found
        found |= new
        todo |= new
    return frozenset(found)


def _children(process: str) -> frozenset[int]:
    """Those of all threads of a process."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path("/proc", process, "task").iterdir():
            with contextlib.suppress(OSError, ValueError):
                found |= {int(pid) for pid in (task / "children").read_text().split()}
    return frozenset(found)


def _tagged(tag: str) -> frozenset[int]:
    """Living processes whose environment carries the tag (zombies have none)."""
    needle = tag.encode()
    numbers = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 - names alone
    return frozenset(pid for pid in numbers if pid != os.getpid() and needle in _environment(pid))


def _environment(pid: int) -> bytes:
    try:
        return Path("/proc", str(pid), "environ").read_bytes()
    except OSError:
        return b""
