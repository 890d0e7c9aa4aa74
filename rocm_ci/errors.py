"""Every error a user can meet. Each class has its own exit code; each instance says what to do next."""

from __future__ import annotations


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
