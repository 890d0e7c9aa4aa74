"""The checkout's `.git` before and after a container had it: what makes git start programs is put back.

The change can write its checkout, and with it `.git/config`. Later steps (the end of actions/checkout runs
`git submodule foreach`, the next job `git clean`) would read that on the host, and `core.fsmonitor` or a
hook is a program: the way out of the container. The index counts, for it says what is a submodule.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rocm_ci.launch.machine import tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What holds commits and where branches stand: no program is started for it, and the run may fetch.
_DATA = ("objects", "refs", "logs", "worktrees", "lfs")
_DATA_FILES = ("HEAD", "ORIG_HEAD", "FETCH_HEAD", "packed-refs", "shallow")
_WORKTREE = re.compile(rb"^\s*worktree\s*=\s*(.+?)\s*$", re.MULTILINE)


class Kept(NamedTuple):
    """A `.git` folder as it was: of each path that is no data what `_content` says, and of its submodules."""

    git: Path
    files: Mapping[str, Any]
    submodules: Mapping[str, Any]


def keep(checkout: Path) -> Kept | None:
    """Remember the `.git` of a checkout; None where there is no such folder."""
    git = checkout / ".git"
    if git.is_symlink() or not git.is_dir():
        return None
    files = {os.path.relpath(path, str(git)): _content(path) for path in _paths(git)}
    links = [str(git / name) for name in files if name.endswith("/config")]
    return Kept(git, files, {link: _content(link) for path in links for link in _submodule(path)})


def put_back(kept: Kept | None) -> None:
    """Make it so again. Where that cannot be done the folder goes: better no repository than a trap."""
    if kept is None:
        return
    try:
        if not all(_is_still(link, was) for link, was in kept.submodules.items()):
            _remove(kept.git)
            tell("warning", "the run has changed a submodule's .git: the checkout is a repository no more")
        elif _restore(kept):
            tell("warning", "the run has changed what git does in the checkout: that was undone")
    except OSError as error:
        tell("error", f"the checkout's .git cannot be put back ({error.strerror}): it is taken away")
        _remove(kept.git)


def _restore(kept: Kept) -> bool:
    """Whether somebody had changed more than the index, which git itself writes when it looks at files."""
    if kept.git.is_symlink() or not kept.git.is_dir():
        _remove(kept.git)
        return True
    there, changed = set(), set()
    for path in list(_paths(kept.git)):
        name = os.path.relpath(path, str(kept.git))
        if name in kept.files and _is_still(path, kept.files[name]):
            there.add(name)
        else:
            _remove(Path(path))
            changed.add(name)
    for name, (kind, mode, content) in kept.files.items():
        if name not in there and kind == "file":
            target = kept.git / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(content)
            target.chmod(mode)
            changed.add(name)
    return bool(changed - {"index"})


def _is_still(path: str, was: tuple[str, int, Any]) -> bool:
    # Only what is as long is read: there may be terabytes without a byte on the disk.
    status = os.lstat(path) if os.path.lexists(path) else None
    is_long = status is not None and stat.S_ISREG(status.st_mode) and status.st_size != len(was[2])
    return not is_long and _content(path) == was


def _content(path: str) -> tuple[str, int, Any]:
    """Kind, rights and content of a path; a link's content is where it leads."""
    if os.path.realpath(os.path.dirname(path)) != os.path.dirname(path):  # noqa: PTH120 - strings
        return "elsewhere", 0, b""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return "nothing", 0, b""
    if stat.S_ISLNK(status.st_mode):
        return "link", 0, os.readlink(path)  # noqa: PTH115 - strings
    if not stat.S_ISREG(status.st_mode):
        return "other", 0, b""
    return "file", stat.S_IMODE(status.st_mode), Path(path).read_bytes()


def _paths(git: Path) -> Iterator[str]:
    """All but the data, never through a link; a link to a folder counts as a file. Raises `OSError`."""
    for folder, folders, files in os.walk(str(git), onerror=_raise):
        is_git = folder == str(git) or "HEAD" in files  # so are those of submodules
        for name in [*folders, *files]:
            path = os.path.join(folder, name)  # noqa: PTH118 - os.walk speaks strings
            is_link = os.path.islink(path)  # noqa: PTH114 - the same
            if is_link or (name in files and not (is_git and name in _DATA_FILES)):
                yield path
        folders[:] = [name for name in folders if not (is_git and name in _DATA)]


def _submodule(config: str) -> Iterator[str]:
    """Where the submodule of this configuration has its `.git`."""
    found = _WORKTREE.search(Path(config).read_bytes())
    if found:
        folder = os.path.join(os.path.dirname(config), os.fsdecode(found[1]), ".git")  # noqa: PTH118, PTH120
        yield os.path.normpath(folder)


def _raise(error: OSError) -> None:
    raise error


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        # A folder without rights would otherwise stay.
        path.chmod(0o700)
        for folder, _, _ in os.walk(str(path)):
            os.chmod(folder, 0o700)  # noqa: PTH101 - os.walk speaks strings
        shutil.rmtree(str(path))
    elif os.path.lexists(str(path)):
        path.unlink()
