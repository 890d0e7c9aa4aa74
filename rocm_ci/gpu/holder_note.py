"""Who holds a lock, for people: a small file beside it. It decides nothing, and nothing in it is believed.

Every user writes a note of its own: in a folder like /tmp nobody can replace another's file.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.log import printable
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = "owners"
# How the notes of `rocm_ci.launch.shared` begin.
CONTAINER = "run."
_MAX_BYTES = 4_096
_MAX_NOTES = 64
_MAX_FILES = 10_000
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


def ours(owner: str, step: str, since: str, host: Path) -> Note:
    """Of this process, on the host whose files lie there."""
    try:
        boot = (host / "proc/sys/kernel/random/boot_id").read_text(encoding="ascii", errors="replace")
    except OSError:
        boot = ""
    # Of this start of the host; the same in its containers.
    return Note(owner=owner, step=step, since=since, pid=os.getpid(), boot=boot.strip())


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
        with _opened(notes) as there:
            path = there / f"{name}.{os.getuid()}"
            file.write(path, json.dumps(content).encode() + b"\n")
            path.chmod(0o644)


def remove(folder: Path, name: str) -> None:
    """Ours away."""
    with contextlib.suppress(OSError), _opened(folder / _FOLDER) as there:
        (there / f"{name}.{os.getuid()}").unlink()


@contextlib.contextmanager
def _opened(notes: Path) -> Iterator[Path]:
    """The folder of notes, whatever is put in its place meanwhile: any user of the host may have made it.

    Raises OSError for a link, which would lead us to a folder that is not theirs to write into.
    """
    descriptor = os.open(notes, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def read(folder: Path, name: str) -> Note | None:
    """The newest note; None when there is none that can be read. Only of interest while the lock is held.

    From within a container nobody can write one: without any, it is the note of a container that runs here,
    as its launcher wrote it.
    """
    return _newest(folder, f"{name}.") or _newest(folder, CONTAINER)


def _newest(folder: Path, prefix: str) -> Note | None:
    found = []
    with contextlib.suppress(OSError), _opened(folder / _FOLDER) as there:
        every = itertools.islice(there.iterdir(), _MAX_FILES)
        paths = [path for path in every if path.name.startswith(prefix)]
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
