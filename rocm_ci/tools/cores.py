"""Core dumps that a command left, as the kernel names them; those that go to a program are not found."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATTERN = Path("/proc/sys/kernel/core_pattern")
MOST = 5
MAX_BYTES = 8_000_000_000
_MAX_FOLDERS = 2_000
_MAX_FILES = 50_000
# File systems keep times less exactly than the clock.
_SLACK_S = 2.0
_PASSED_OVER = (".git", ".venv", "node_modules")


def found(log: Path, cwd: Path, since: float, *, moves: bool, pattern: Path = _PATTERN) -> tuple[Path, ...]:
    """New ones since that time (seconds since the epoch), at most `MOST`.

    With `moves` each is taken to `LOG.core-N` beside the log; a huge one stays where it is.
    """
    taken: list[Path] = []
    for core in _new(cwd, since, pattern):
        if len(taken) >= MOST:
            break
        to = log.with_name(f"{log.stem}.core-{len(taken) + 1}")
        try:
            if moves and core.lstat().st_size <= MAX_BYTES:
                core.rename(to)
                core = to  # noqa: PLW2901 - it is there now
        except FileNotFoundError:
            continue  # another step's: two may run in one folder
        except OSError:
            pass
        taken.append(core)
    return tuple(taken)


def _new(cwd: Path, since: float, pattern: Path) -> Iterator[Path]:
    try:
        text = pattern.read_text().strip()
        uses_pid = (pattern.parent / "core_uses_pid").read_text().strip() not in ("", "0")
    except OSError:
        return
    if not text or text.startswith("|"):
        return
    folder, _, name = text.rpartition("/")
    more = "" if "%p" in name or not uses_pid else r"\.\d+"
    wanted = re.compile("".join(_word(part) for part in re.findall(r"%.|[^%]+|%", name)) + more)
    for place in [Path(folder)] if folder.startswith("/") else _folders(cwd):
        for entry in _entries(place):
            if wanted.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    seen = entry.stat(follow_symlinks=False)
                    is_ours = stat.S_ISREG(seen.st_mode) and seen.st_uid == os.geteuid()
                    if is_ours and seen.st_mtime >= since - _SLACK_S and _is_core(Path(entry.path)):
                        yield Path(entry.path)


def _is_core(path: Path) -> bool:
    """By its head, as a project may well have a file of such a name: ELF of the type ET_CORE."""
    opened = file.read(path)
    if opened is None:
        return False
    with opened:
        head = opened.read(18)
    return head[:4] == b"\x7fELF" and head[16:18] in (b"\x04\x00", b"\x00\x04")


def _word(part: str) -> str:
    if part in ("%p", "%P", "%i", "%I", "%u", "%g", "%s", "%t", "%d"):
        return r"\d+"
    return ".*" if part.startswith("%") and part != "%%" else re.escape(part.replace("%%", "%"))


def _folders(cwd: Path) -> Iterator[Path]:
    """The folder of a command and those below, without what git or an environment keeps."""
    todo, count = [cwd], 0
    while todo and count < _MAX_FOLDERS:
        here = todo.pop(0)
        count += 1
        yield here
        for entry in _entries(here):
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False) and entry.name not in _PASSED_OVER:
                    todo.append(Path(entry.path))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return [entry for _, entry in zip(range(_MAX_FILES), entries, strict=False)]
    return []
