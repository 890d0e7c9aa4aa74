"""The processes below this one, as they are in /proc: found, and signalled if they are still the same."""

from __future__ import annotations

import os
import signal


def has_children() -> bool:
    """Exact where a look at /proc is not: what comes of a child, at last, is our child (`supervisor`)."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def children() -> list[int]:
    """Our own, those that have ended but were not waited for included. For a process with one thread."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:  # a kernel without this file
        return []


def send(pid: int, number: int) -> None:
    """Only to a descendant: a number that was given to somebody else meanwhile is left alone."""
    handle = -1
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (OSError, AttributeError):  # a kernel before 5.3, or a sandbox without it
        pass
    try:
        if pid not in descendants([pid]):
            return
        if handle < 0:
            os.kill(pid, number)
        else:
            signal.pidfd_send_signal(handle, number)
    except OSError:
        pass
    finally:
        if handle >= 0:
            os.close(handle)


def descendants(wanted: list[int] | None = None) -> list[int]:
    """Living processes below us, of `wanted` if given; one that only waits for its parent is none."""
    me = os.getpid()
    parents: dict[int, int] = {}
    dead = set()
    names = [int(name) for name in os.listdir("/proc") if name.isdecimal()] if wanted is None else [*wanted]
    while names:
        pid = names.pop()
        if pid in parents or pid <= 1:
            continue
        state, parent = stat(pid)
        parents[pid] = parent
        if state in ("Z", "X", ""):
            dead.add(pid)
        if wanted is not None and parent not in (me, 0):
            names.append(parent)
    alive = (pid for pid in wanted or parents if pid not in dead and pid != me)
    return [pid for pid in alive if _is_below(pid, me, parents)]


def _is_below(pid: int, top: int, parents: dict[int, int]) -> bool:
    for _ in range(10_000):
        pid = parents.get(pid, 0)
        if pid == top:
            return True
        if pid <= 1:
            return False
    return False


def group(pid: int) -> int:
    """A process's group, also of one that waits to be reaped; 0 when it is gone."""
    return int(_fields(pid)[2])


def kill(number: int) -> None:
    """A child of ours that was not reaped yet, or as a negative number all in a group at once."""
    try:
        os.kill(number, signal.SIGKILL)
    except OSError:
        pass


def stat(pid: int) -> tuple[str, int]:
    """A process's state and parent; no state when it is gone."""
    fields = _fields(pid)
    # A leader that has ended is shown as Z although its other threads run on (field 20 counts them).
    if fields[0] == b"Z" and int(fields[17]) > 1:
        return "R", int(fields[1])
    return fields[0].decode(), int(fields[1])


def _fields(pid: int) -> list[bytes]:
    """What follows its name in its line of the kernel."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        fields = []
    return fields if len(fields) > 17 else [b"", *[b"0"] * 17]
