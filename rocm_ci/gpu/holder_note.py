"""Who holds a lock, for people: a small file beside it. It decides nothing, and nothing in it is believed.

Every user writes a note of its own: in a folder like /tmp nobody can replace another's file.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocm_ci.log import printable
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER = "owners"
# How the notes of `rocm_ci.launch.shared` begin.
CONTAINER = "run."
_MAX_BYTES = 4_096
_MAX_NOTES = 64
_MAX_TEXT = 120


@dataclass(frozen=True, kw_only=True)
class Note:
    """A run and its step, since when by the wall clock; process number and start of the host."""

    owner: str
    step: str
    since: str
    pid: int
    boot: str = ""

    @property
    def shown(self) -> str:
        """For a person."""
        step = f", step {self.step}" if self.step else ""
        return f"{self.owner or 'a run that did not say its name'}{step}, since {self.since or '?'}"


def write(folder: Path, name: str, note: Note) -> None:
    """Keep it beside the lock. A note that cannot be written is none."""
    content = {
        "owner": note.owner,
        "step": note.step,
        "since": note.since,
        "pid": note.pid,
        "boot": note.boot,
    }
    with contextlib.suppress(OSError):
        notes = folder / _FOLDER
        if not notes.exists():
            notes.mkdir()
            notes.chmod(folder.stat().st_mode & 0o7777)
        path = notes / f"{name}.{os.getuid()}"
        file.write(path, json.dumps(content).encode() + b"\n")
        path.chmod(0o644)


def remove(folder: Path, name: str) -> None:
    """Ours away."""
    with contextlib.suppress(OSError):
        (folder / _FOLDER / f"{name}.{os.getuid()}").unlink()


def read(folder: Path, name: str) -> Note | None:
    """The newest note; None when there is none that can be read. Only of interest while the lock is held.

    From within a container nobody can write one: without any, it is the note of a container that runs here,
    as its launcher wrote it.
    """
    return _newest(folder, f"{name}.") or _newest(folder, CONTAINER)


def _newest(folder: Path, prefix: str) -> Note | None:
    found = []
    with contextlib.suppress(OSError):
        paths = [path for path in (folder / _FOLDER).iterdir() if path.name.startswith(prefix)]
        for path in paths[:_MAX_NOTES]:
            note = _read(path)
            if note is not None:
                found.append((path.stat(follow_symlinks=False).st_mtime, note))
    if not found:
        return None
    newest = max(found, key=lambda item: item[0])[1]
    # Which of several it is only they know.
    several = prefix == CONTAINER and len(found) > 1
    return (
        replace(newest, owner=f"one of {len(found)} containers, the newest of {newest.owner}")
        if several
        else newest
    )


def _read(path: Path) -> Note | None:
    opened = file.read(path)
    if opened is None:
        return None
    with opened:
        raw = opened.read(_MAX_BYTES)
    try:
        said = json.loads(raw)
        texts = {key: printable(str(said[key]))[:_MAX_TEXT] for key in ("owner", "step", "since", "boot")}
        return Note(pid=int(said["pid"]), **texts)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
