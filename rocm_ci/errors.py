"""Every error a user can meet. Each class has its own exit code; each instance says what to do next."""

from __future__ import annotations

import errno


class RocmCiError(Exception):
    """Base of all expected errors: `str(error)` says what happened and where, `hint` what to do next."""

    exit_code = 70

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(RocmCiError):
    """The command line asks for something that cannot be."""

    exit_code = 2


class ConfigError(RocmCiError):
    """The configuration file or an input is wrong."""

    exit_code = 2


class EventError(RocmCiError):
    """The event that triggered the run cannot be understood."""

    exit_code = 2


class GitError(RocmCiError):
    """Git cannot answer: not a repository, unknown commit, history too shallow."""

    exit_code = 2


class ReportError(RocmCiError):
    """A report file is not one, is of another version, or breaks its bounds."""

    exit_code = 2


class MachineError(RocmCiError):
    """The runner cannot do what is asked: a tool, a GPU, disk space or a permission is missing."""

    exit_code = 3


class GitHubError(RocmCiError):
    """GitHub refused or could not be reached."""

    exit_code = 4


class InterruptedRunError(RocmCiError):
    """The user or the runner stopped us (SIGINT, SIGTERM).

    A stage that was stopped leaves in `partial` the result of what it had finished.
    """

    exit_code = 130
    partial: object = None


_FULL = "free some: `df -h` shows which disk is full, `df -i` where only names ran out"
_WANTS = {
    errno.ENOSPC: ("no space is left on a disk", _FULL),
    errno.EDQUOT: ("the quota of a disk is used up", _FULL),
    errno.EROFS: ("a disk can only be read", "look at `dmesg`: after errors the kernel mounts it so"),
    errno.EIO: ("a disk cannot be read or written", "look at `dmesg` for errors of that disk"),
    errno.EMFILE: ("too many files are open", "raise the limit: `ulimit -n`"),
    errno.ENFILE: ("too many files are open", "look for programs that were left running: `lsof | wc -l`"),
    errno.ENOMEM: ("memory ran out", "look for programs that were left running: `ps aux --sort -rss`"),
    errno.EAGAIN: (
        "no further process or thread can be started",
        "look for what was left running (`ps -eLf | wc -l`), or raise `ulimit -u` or the container's limit",
    ),
}


def of_machine(error: BaseException) -> MachineError | None:
    """What the machine lacks where Python met it in the middle of our work; None for a defect of ours."""
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, MemoryError):
        number = errno.ENOMEM
    elif isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        number = errno.EAGAIN
    if number not in _WANTS:
        return None
    said, hint = _WANTS[number]
    where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
    return MachineError(f"{said}{where}", hint=hint)
