"""A control group for one command, where this host lets us make one: its members, and who died of memory.

Version 2 also ends all its members at once. Inside most containers the folders are read-only; then the tree
of processes has to do, and deaths are read from the counters of the group that we are in ourselves.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_OOM = re.compile(r"^oom_kill (\d{1,18})$", re.MULTILINE)
_REMOVE_S = 2.0


class StepGroup:
    """Folders of one command: of version 2 at most one, of version 1 the one that counts memory."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders

    @classmethod
    def make(cls, name: str, root: Path = _ROOT, own: Path = _OWN) -> StepGroup:
        """Below our own groups; without any folder where none can be made."""
        made = []
        for parent in parents(root, own):
            folder = parent / name
            with contextlib.suppress(OSError):
                folder.mkdir()
                made.append(folder)
        return cls(tuple(made))

    @property
    def folders(self) -> tuple[str, ...]:
        """Where they are. A process that writes its number into the `cgroup.procs` of one is a member."""
        return tuple(map(str, self._folders))

    @property
    def counts_memory(self) -> bool:
        """Whether `oom_kills` is about the members alone."""
        return any(_counter(folder) is not None for folder in self._folders)

    def oom_kills(self) -> int:
        """Members that the kernel ended for memory."""
        return max((_counter(folder) or 0 for folder in self._folders), default=0)

    def members(self) -> frozenset[int]:
        """Processes in the group, those that left the tree as well."""
        found: set[int] = set()
        for folder in self._folders:
            with contextlib.suppress(OSError, ValueError):
                found |= {int(pid) for pid in (folder / "cgroup.procs").read_text().split()}
        return frozenset(found - {0})

    def kill(self) -> None:
        """End all members at once, where the kernel can."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.kill").write_text("1")

    def remove(self) -> None:
        """Away with the folders. What has just ended is counted for a moment still."""
        deadline = time.monotonic() + _REMOVE_S
        for folder in self._folders:
            while not _removed(folder) and time.monotonic() < deadline:
                time.sleep(0.01)


def _removed(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def oom_kills(root: Path = _ROOT, own: Path = _OWN) -> int:
    """How often the kernel ended something for memory in the groups that we are in; 0 where none counts."""
    return max((_counter(folder) or 0 for folder in parents(root, own)), default=0)


def _counter(folder: Path) -> int | None:
    for name in ("memory.events", "memory.oom_control"):
        with contextlib.suppress(OSError):
            found = _OOM.search((folder / name).read_text())
            if found:
                return int(found[1])
    return None


def parents(root: Path = _ROOT, own: Path = _OWN) -> list[Path]:
    """Our own groups: the one of version 2, and of version 1 the one for memory."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines[:64]:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        inner = os.path.normpath(path).lstrip("/")
        if ".." in inner.split("/"):
            continue
        if number == "0" and not controllers:
            found += [base / inner for base in (root, root / "unified") if (base / "cgroup.procs").is_file()][
                :1
            ]
        elif "memory" in controllers.split(","):
            found.append(root / "memory" / inner)
    return [folder for folder in found if folder.is_dir()]
