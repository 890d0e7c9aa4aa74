"""Processes of one test: told from all others by the folder in their command lines."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

DEADLINE_S = 60.0


@dataclass(frozen=True)
class Processes:
    """Whatever runs with `folder` in its command line. `sleep` is a program that does, and sleeps."""

    folder: Path

    @property
    def sleep(self) -> str:
        """`sleep 600` as a shell writes it."""
        link = self.folder / "sleeper"
        with contextlib.suppress(FileExistsError):  # several threads may ask at once
            link.symlink_to(shutil.which("sleep") or "/bin/sleep")
        return f"{link} 600"

    def script(self, name: str, text: str) -> str:
        """A Python program of that name, as a shell starts it."""
        (self.folder / name).write_text(text)
        return f"{sys.executable} -I -S {self.folder / name}"

    def living(self) -> list[int]:
        """Their numbers."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                try:
                    line = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if str(self.folder).encode() in line and is_alive(int(entry.name)):
                    found.append(int(entry.name))
        return found

    def kill(self) -> None:
        """What a failed test left."""
        for _ in range(1000):
            left = self.living()
            if not left:
                return
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Whether any thread of it runs: a process whose first thread has ended is shown as a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return False
    return fields[0] not in ("Z", "X") or int(fields[17]) > 1


def until(holds: Callable[[], object], what: str) -> None:
    """Wait for it; the deadline is only a guard."""
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def number_in(file: Path) -> int:
    """What a process wrote there, as soon as it did."""
    until(lambda: file.exists() and file.read_text().strip(), f"{file} was never written")
    return int(file.read_text())
