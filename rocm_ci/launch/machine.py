"""The host as the launcher needs it, behind one class, so that tests can lay out another one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType


class LaunchError(Exception):
    """The run cannot start. `code` is 2 for a wrong input and 3 for a machine that cannot do it."""

    def __init__(self, message: str, hint: str, code: int = 3) -> None:
        super().__init__(f"{message} → {hint}")
        self.code = code


class Machine:
    """Files below `root`, programs on PATH, and the one long child process."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False
        # What ends the child for sure, when it is told to stop a second time.
        self.last_resort: tuple[str, ...] = ()

    def group(self, path: Path) -> int:
        """The numeric group that owns a device node: names differ between host and image."""
        return path.stat().st_gid

    def user(self) -> str:
        """`uid:gid` of this process."""
        return f"{os.getuid()}:{os.getgid()}"

    def which(self, name: str) -> str | None:
        """A program on PATH."""
        return shutil.which(name)

    def pause(self, seconds: float) -> None:
        """Wait; not when we were told to stop."""
        if not self._stopped:
            time.sleep(seconds)

    def capture(self, *argv: str) -> tuple[int, str]:
        """Ask a short question: exit code and standard output; 127 when the program is not there."""
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        except OSError as error:
            return 127, str(error)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def supervise(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> int:
        """Run to the end in plain sight, handing SIGINT and SIGTERM on.

        A death by signal N is 128 + N; 130 also when we were stopped before it could begin.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._hand_on)
        if self._stopped:
            return 130
        try:
            self._child = subprocess.Popen(list(argv), env=dict(env), cwd=str(cwd))
        except OSError as error:
            say(f"cannot start {argv[0]}: {error}")
            return 127
        code = self._child.wait()
        return code if code >= 0 else 128 - code

    def _hand_on(self, number: int, _frame: FrameType | None) -> None:
        again, self._stopped = self._stopped, True
        if again and self.last_resort:
            # A cancelled job gets seconds between the two, and after them nothing of ours runs any more.
            subprocess.Popen(list(self.last_resort), stdout=subprocess.DEVNULL)
        elif self._child is not None:
            self._child.send_signal(number)


def say(text: str) -> None:
    """One line of progress."""
    print(f"rocm-ci: {text}", flush=True)


def tell(kind: str, text: str) -> None:
    """One line for a person, as an annotation of the workflow; nothing in it can be a command."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{kind} title=rocm-ci::{escaped}", flush=True)
