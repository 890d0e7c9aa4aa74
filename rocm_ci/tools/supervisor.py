"""A program of its own between us and a command: it owns every process that comes of it, and ends them all.

Run as `python -I -S supervisor.py CONTROL REPORT`, the numbers of two open pipes; standard library only.
The command comes through the first one, marshalled: (argv, folder, environment, seconds of grace, files of
control groups to join, whether to leave a core). Whatever comes after that, or its end when we die, means:
end it. Through the second one go lines: `started PID` or `failed ERRNO`, `exited STATUS` as soon as the
command itself has ended, and after cleaning up `ended STATUS ORPHANS KILLED STUCK…`. STATUS is what waitpid
says, KILLED how many others somebody else ended by SIGKILL, STUCK those that no signal ends.

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

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_LOOK_S = 0.02
_FEW = 20
_MOMENT_S = 0.2
# Of two processes that the kernel may end for want of memory it takes the one with more: the command, not us.
_OOM_SCORE = "500"
_IGNORED = (
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT,
    signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE,
)  # fmt: skip
_KILLED_BY_US: set[int] = set()


def main(control: int, report: int) -> None:
    """The whole life of one command."""
    for pipe in (control, report):
        os.set_inheritable(pipe, False)
    # A test that ends its parent politely does not end us; a terminal's Ctrl-C is our caller's to handle.
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # a test of the same user shall not write into our pipes
    argv, folder, environment, grace_s, groups, leaves_core = marshal.loads(_frame(control))  # noqa: S302 - our own
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    child = _started(argv, folder, environment, groups, report, leaves_core=leaves_core)
    if not child:
        return
    _tell(report, f"started {child}")
    status, killed = _awaited(child, control, woken)
    if status is not None:
        _tell(report, f"exited {status}")
    orphans = 0 if status is None else _outlived()
    stuck, late, more = _end(child, grace_s)
    status = late if status is None else status
    counts = (0 if status is None else status, orphans, killed + more, *stuck)
    _tell(report, f"ended {' '.join(map(str, counts))}")


def _frame(control: int) -> bytes:
    """A length in 8 bytes, then as many."""
    size = int.from_bytes(_exactly(control, 8), "little")
    return _exactly(control, size)


def _exactly(pipe: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = os.read(pipe, min(size - len(data), 1 << 20))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def _tell(report: int, line: str) -> None:
    try:
        os.write(report, line.encode() + b"\n")
    except OSError:  # our caller is gone; what had to be ended is ended
        pass


def _started(
    argv: list[str],
    folder: str,
    environment: dict[str, str],
    groups: list[str],
    report: int,
    *,
    leaves_core: bool,
) -> int:
    """The command's process id; 0 when it cannot be started, which is told."""
    failed, fails = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if not child:
        try:
            os.setsid()
            if leaves_core:
                _allow_cores()
            _write("/proc/self/oom_score_adj", _OOM_SCORE)
            for group in groups:
                _write(group, str(os.getpid()))
            for number in range(1, signal.NSIG):
                if number not in (signal.SIGKILL, signal.SIGSTOP):
                    _default(number)
            if folder:
                os.chdir(folder)
            os.execvpe(argv[0], argv, environment)
        except OSError as error:
            os.write(fails, str(error.errno or 0).encode())
        finally:
            os._exit(127)
    os.close(fails)
    told = os.read(failed, 32)
    os.close(failed)
    if told:
        os.waitpid(child, 0)
        _tell(report, f"failed {told.decode()}")
        return 0
    return child


def _default(number: int) -> None:
    try:
        signal.signal(number, signal.SIG_DFL)
    except (OSError, ValueError):  # 32 and 33 belong to the C library
        pass


def _allow_cores() -> None:
    import resource  # noqa: PLC0415 - few want cores, and everybody has to start fast

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def _write(path: str, text: str) -> None:
    """A file of the kernel; without it the command runs all the same."""
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError:
        pass


def _awaited(child: int, control: int, woken: int) -> tuple[int | None, int]:
    """How the command ended by itself, None when it is to be ended; and how many others died of SIGKILL."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(woken, select.POLLIN)
    killed = 0
    while True:
        status, dead = _reaped(child)
        killed += dead
        if status is not None:
            return status, killed
        for pipe, _ in poll.poll():
            if pipe == control:
                return None, killed
            os.read(woken, 4096)


def _reaped(child: int) -> tuple[int | None, int]:
    """Take in what has ended. The child's own end; how many others SIGKILL ended without us."""
    own, killed = None, 0
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return own, killed
        if not pid:
            return own, killed
        if pid == child:
            own = status
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and pid not in _KILLED_BY_US:
            killed += pid != child


def _end(child: int, grace_s: float) -> tuple[list[int], int | None, int]:
    """Ask, wait, kill. What is left then, the child's end if it came only now, others killed by others."""
    own, killed = None, 0

    def living(within_s: float, *, kills: bool) -> list[int]:
        nonlocal own, killed
        deadline, most = time.monotonic() + within_s, 2 * len(first) + _FEW
        while True:
            status, dead = _reaped(child)
            own = status if status is not None else own
            killed += dead
            left = _descendants()
            # Something that multiplies when it is asked to end is not given the time to.
            is_over = time.monotonic() > deadline or (not kills and len(left) > most)
            if (not left and not _has_children()) or is_over:
                return left
            if kills:
                _kill(left)
            time.sleep(_LOOK_S)

    first = _descendants() if _has_children() else []
    for pid in first:
        _signal(pid, signal.SIGTERM)
        _signal(pid, signal.SIGCONT)  # one that is stopped hears nothing else
    left = living(grace_s, kills=False)
    left = living(grace_s, kills=True) if left or _has_children() else []
    status, dead = _reaped(child)
    return left, status if status is not None else own, killed + dead


def _outlived() -> int:
    """How many outlive the command; what ends within a moment anyway (a pipe's other end) does not count."""
    deadline = time.monotonic() + _MOMENT_S
    while _has_children():
        _reaped(0)
        left = _descendants()
        if left and time.monotonic() > deadline:
            return len(left)
        time.sleep(_LOOK_S)
    return 0


def _has_children() -> bool:
    """Exact where a look at /proc is not: all that comes of the command, at last, becomes our child."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _kill(pids: list[int]) -> None:
    """All at once: what starts new processes as fast as they die is held first."""
    for _ in range(3):
        for pid in pids:
            _signal(pid, signal.SIGSTOP)
        more = _descendants()
        if set(more) <= set(pids):
            break
        pids = more
    for pid in pids:
        _KILLED_BY_US.add(pid)
        _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    """Only to a descendant: a number that was given to somebody else meanwhile is left alone."""
    try:
        handle = os.pidfd_open(pid)
    except (OSError, AttributeError):
        return
    try:
        if pid in _descendants([pid]):
            signal.pidfd_send_signal(handle, number)
    except OSError:
        pass
    finally:
        os.close(handle)


def _descendants(wanted: list[int] | None = None) -> list[int]:
    """Living processes below us, of `wanted` if given; one that only waits for its parent is none."""
    me = os.getpid()
    parents: dict[int, int] = {}
    dead = set()
    if wanted is None:
        names = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    else:
        names = list(wanted)
    while names:
        pid = names.pop()
        if pid in parents or pid <= 1:
            continue
        state, parent = _stat(pid)
        parents[pid] = parent
        if state in ("Z", "X", ""):
            dead.add(pid)
        if wanted is not None and parent not in (me, 0):
            names.append(parent)
    alive = [pid for pid in (wanted or parents) if pid not in dead and pid != me]
    return [pid for pid in alive if _is_below(pid, me, parents)]


def _is_below(pid: int, top: int, parents: dict[int, int]) -> bool:
    for _ in range(10_000):
        pid = parents.get(pid, 0)
        if pid == top:
            return True
        if pid <= 1:
            return False
    return False


def _stat(pid: int) -> tuple[str, int]:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        # A leader that has ended is shown as Z although its other threads run on (field 20 counts them).
        state = "R" if fields[0] == b"Z" and int(fields[17]) > 1 else fields[0].decode()
        return state, int(fields[1])
    except (OSError, IndexError, ValueError):
        return "", 0


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
