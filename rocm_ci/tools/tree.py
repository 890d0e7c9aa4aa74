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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GRACE_S = 5.0
_PR_SET_CHILD_SUBREAPER = 36
# Children that somebody of us waits for: they are nobody's orphans.
_WAITED_FOR: set[int] = set()
_LOCK = threading.Lock()


class Child(Protocol):
    """A process we started and wait for; `subprocess.Popen` is one."""

    @property
    def pid(self) -> int:
        """Its number, which is its group's too."""
        ...

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        ...


_Child = TypeVar("_Child", bound=Child)


class Tree:
    """A short command's child, its process group, and every process that inherited our tag."""

    def __init__(self, child: Child, tag: str) -> None:
        self.child = child
        self._tag = tag

    def end(self) -> None:
        """Stop, wait, kill."""
        _signal_group(self.child, signal.SIGTERM)
        if not ended(lambda: self._others() | self._own(), signal.SIGTERM, GRACE_S):
            return
        _signal_group(self.child, signal.SIGKILL)
        ended(lambda: self._others() | self._own(), signal.SIGKILL, GRACE_S)

    def _own(self) -> frozenset[int]:
        return frozenset() if self.child.poll() is not None else frozenset({self.child.pid})

    def _others(self) -> frozenset[int]:
        """Living ones, without the child itself."""
        return tagged(self._tag) - {self.child.pid}


def _signal_group(child: Child, number: signal.Signals) -> None:
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)


def ended(find: Callable[[], Iterable[int]], number: signal.Signals, within_s: float) -> tuple[int, ...]:
    """Signal what `find` finds until it finds nothing more, or the time is up; what is left then.

    SIGTERM is sent once to each, with a SIGCONT, as one that is stopped hears nothing else.
    """
    deadline = time.monotonic() + within_s
    asked: set[int] = set()
    while left := tuple(find()):
        if time.monotonic() > deadline:
            return left
        for pid in left:
            if number == signal.SIGKILL or pid not in asked:
                asked.add(pid)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
                    if number != signal.SIGKILL:
                        os.kill(pid, signal.SIGCONT)
        time.sleep(0.02)
    return ()


def adopt() -> None:
    """From now on orphans among our descendants become our children, where the kernel allows it."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def start(begin: Callable[[], _Child]) -> _Child:
    """A child of ours that its caller waits for; `over` says when that is done."""
    with _LOCK:
        child = begin()
        _WAITED_FOR.add(child.pid)
    return child


def over(child: Child) -> None:
    """Its caller has waited for it."""
    with _LOCK:
        _WAITED_FOR.discard(child.pid)


def adopted(before: frozenset[int]) -> frozenset[int]:
    """Living orphans that came to us, with all below them: children nobody waits for, new since `before`.

    Whatever a supervisor started has left our session, and cannot have come back.
    """
    living = set()
    with _LOCK:
        for pid in children() - _WAITED_FOR - before:
            with contextlib.suppress(ChildProcessError, ProcessLookupError):
                if os.getsid(pid) != os.getsid(0) and os.waitpid(pid, os.WNOHANG)[0] == 0:
                    living.add(pid)
    return frozenset(living | {below for pid in living for below in _below(pid)})


def lives(pid: int) -> bool:
    """Whether a process runs; one that only waits for its parent does not.

    A process whose first thread has ended looks like that, too, while its other threads run on.
    """
    try:
        fields = Path("/proc", str(pid), "stat").read_bytes().rpartition(b")")[2].split()
        return fields[0] not in (b"Z", b"X") or int(fields[17]) > 1
    except (OSError, IndexError, ValueError):
        return False


def children() -> frozenset[int]:
    """Our own children, those that have ended but were not waited for included."""
    return frozenset(pid for task in _tasks("self") for pid in task)


def _below(pid: int) -> frozenset[int]:
    found: set[int] = set()
    todo = [pid]
    while todo:
        for task in _tasks(str(todo.pop())):
            new = [one for one in task if one not in found]
            found.update(new)
            todo += new
    return frozenset(found)


def _tasks(process: str) -> list[list[int]]:
    """The children of each thread of a process."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path("/proc", process, "task").iterdir():
            with contextlib.suppress(OSError, ValueError):
                found.append([int(pid) for pid in (task / "children").read_text().split()])
    return found


def tagged(tag: str) -> frozenset[int]:
    """Living processes whose environment carries the tag (zombies have none)."""
    needle = tag.encode()
    found = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if needle in (Path(entry.path) / "environ").read_bytes():
                    found.add(int(entry.name))
    return frozenset(found - {os.getpid()})
