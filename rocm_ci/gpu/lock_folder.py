"""Where the locks of a host's GPUs lie: one folder for all runs on it, of whatever user."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "ROCM_CI_LOCKS"
# Not /tmp: a service with PrivateTmp has one of its own. Not the home: that may be shared by hosts.
SHARED = (Path("/run/lock/rocm-ci"), Path("/var/tmp/rocm-ci-locks"))  # noqa: S108 - checked below
# Where a lock is one of the server's, or none at all.
_NETWORK = re.compile(
    r"(?:nfs|cifs|smb|9p|ceph|lustre|gpfs|beegfs|afs|gfs2|ocfs2|fuse\.(?!overlay)|glusterfs)\w*"
)


@dataclass(frozen=True, kw_only=True)
class Folder:
    """`problem` says why only this run itself honours what lies in it; empty when all runs do."""

    path: Path
    problem: str = ""


def find(environment: Mapping[str, str], state: Path, *, host: Path) -> Folder:
    """The first place that serves: ROCM_CI_LOCKS, below ROCM_CI_STATE, then the host's own.

    A machine that only stands in for one (`host` is not `/`) never blocks the GPUs of the real one.
    """
    named = environment.get(VARIABLE)
    if named:
        candidates = [(Path(named), False)]
    elif environment.get("ROCM_CI_STATE") or host != Path("/"):
        candidates = [(state / "locks", False)]
    else:
        # One that is there before one that could be made: which can be differs from user to user.
        candidates = [(path, True) for path in sorted(SHARED, key=lambda path: not path.is_dir())]
    problems = []
    for path, for_all in candidates:
        problem = _problem(path, for_all=for_all)
        if not problem:
            return Folder(path=path)
        problems.append(f"{path}: {problem}")
    own = Path(tempfile.mkdtemp(prefix="rocm-ci-locks-"))
    return Folder(path=own, problem="; ".join(problems))


def _problem(path: Path, *, for_all: bool) -> str:
    """Why a folder does not serve; it is made when it is not there."""
    try:
        path.mkdir(parents=not for_all, exist_ok=False)
    except FileExistsError:
        pass
    except OSError as error:
        return error.strerror or str(error)
    else:
        if for_all:
            path.chmod(0o1777)
    try:
        status = path.lstat() if for_all else path.stat()
        remote = _file_system(path.resolve())
    except OSError as error:
        return error.strerror or str(error)
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    is_open = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
    if for_all and is_open:
        return "everybody may remove the locks of others there (the sticky bit is missing)"
    if _NETWORK.fullmatch(remote):
        return f"it lies on a network file system ({remote}), where a lock is not one of this host"
    if not os.access(path, os.R_OK | os.X_OK):
        return "it cannot be read"
    return ""


def _file_system(path: Path) -> str:
    """The type of the file system that a path lies on; empty when that is not known."""
    try:
        table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    best, kind = "", ""
    for line in table.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split()
        if len(fields) < 5 or not right:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        if len(point) >= len(best) and path.is_relative_to(point):
            best, kind = point, right.split()[0]
    return kind
