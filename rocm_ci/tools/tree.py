"""A process and all that descends from it: found, ended, counted. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from pathlib import Path
from typing import Protocol

GRACE_S = 5.0
_PR_SET_CHILD_SUBREAPER = 36


class Child(Protocol):
    """A process we started and wait for; `subprocess.Popen` is one."""

    @property
    def pid(self) -> int:
        """Its number, which is its group's too."""
        ...

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        ...


class Tree:
    """The child of one command. `others` are our children that are none of its business.

    Its descendants are the child's process group, every process that inherited our tag, and every
    orphan that came to us because we adopt them. So a daemon is found that started a session of
    its own or threw its environment away. Nothing else is ever signalled.
    """

    def __init__(self, child: Child, tag: str, others: frozenset[int] | None) -> None:
        self.child = child
        self._tag = tag
        self._others = others

    def end(self) -> int:
        """Stop, wait, kill. Returns how many processes outlived a child that had ended by itself."""
        outlived = 0 if self.child.poll() is None else len(self._descendants())
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE_S
        while time.monotonic() < deadline and self._lives():
            time.sleep(0.02)
        deadline = time.monotonic() + GRACE_S
        while time.monotonic() < deadline and self._lives():
            self._signal(signal.SIGKILL)
            time.sleep(0.02)
        return outlived

    def _lives(self) -> bool:
        return self.child.poll() is None or bool(self._descendants())

    def _signal(self, number: signal.Signals) -> None:
        if self.child.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child.pid, number)
        for pid in self._descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def _descendants(self) -> list[int]:
        """Living ones, without the child itself."""
        found = _tagged(self._tag)
        if self._others is not None:
            found |= self._adopted(self._others)
        return sorted(found - {self.child.pid})

    def _adopted(self, others: frozenset[int]) -> set[int]:
        living = set()
        for pid in children() - others - {self.child.pid}:
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    living.add(pid)
        return living


def adopt() -> None:
    """From now on orphans among our descendants become our children, where the kernel allows it."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> frozenset[int]:
    """Our own children, those that have ended but were not waited for included."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found |= {int(pid) for pid in (task / "children").read_text().split()}
    return frozenset(found)


def _tagged(tag: str) -> set[int]:
    """Living processes whose environment carries the tag (zombies have none)."""
    needle = tag.encode()
    found = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if needle in (Path(entry.path) / "environ").read_bytes():
                    found.add(int(entry.name))
    return found
