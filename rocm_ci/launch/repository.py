"""The checkout's `.git` before and after a container had it: what makes git start programs is put back.

The change can write its checkout, and with it `.git/config`. Later steps (the end of actions/checkout runs
`git submodule foreach`, the next job `git clean`) would read that on the host, and `core.fsmonitor` or a
hook is a program: the way out of the container. The index counts, for it says what is a submodule; and a
submodule that is not checked out is an empty folder, in which the change can make any repository.
"""

from __future__ import annotations

import itertools
import os
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


class Kept(NamedTuple):
    """A workspace as it was: what each of its `.git` held, and where there was none.

    Of a folder each path that is no data, of a submodule's file itself: what `_content` says.
    """

    workspace: Path
    folders: Mapping[str, Mapping[str, Any]]
    links: Mapping[str, Any]
    bare: tuple[str, ...]


def keep(workspace: Path) -> Kept:
    """Remember every `.git` below a folder that has no links in its own path."""
    folders, links, bare = {}, {}, []
    for place, names in _places(workspace):
        git = f"{place}/.git"
        if ".git" not in names:
            bare.append(place)
        elif os.path.isdir(git) and not os.path.islink(git):  # noqa: PTH112, PTH114 - strings
            folders[git] = {os.path.relpath(path, git): _content(path) for path in _paths(git)}
        else:
            links[git] = _content(git)
    return Kept(workspace, folders, links, tuple(bare))


def put_back(kept: Kept) -> None:
    """Make it so again. Where that cannot be done the folder goes: better no repository than a trap.

    Raises `OSError` after all else, also when only a `.git` is gone: such a run is no result.
    """
    broken: list[OSError] = []
    lost = [link for link, was in kept.links.items() if not _is_still(link, was)]
    for git, files in kept.folders.items():
        if _is_elsewhere(git):
            continue  # what it leads to is looked at where it is
        try:
            if any(link.startswith(git[: -len(".git")]) for link in lost):
                _take_away(git)
                tell(
                    "warning", "the run has changed a submodule's .git: the checkout is a repository no more"
                )
            elif _restore(Path(git), files):
                tell("warning", "the run has changed what git does in the checkout: that was undone")
        except OSError as error:
            tell("error", f"the checkout's .git cannot be put back ({error.strerror}): it is taken away")
            broken.append(error)
            _take_away(git)
    made = 0
    for git in itertools.chain(lost, _new(kept)):
        if not _is_elsewhere(git) and os.path.lexists(git):
            _remove(Path(git))
            made += 1
    if made:
        tell("warning", "the run has made repositories in the checkout: their .git is taken away")
    if broken:
        raise broken[0]


def _new(kept: Kept) -> Iterator[str]:
    """Where a `.git` may be that was not; first where it counts: a submodule not checked out is a folder."""
    known = {*kept.folders, *kept.links}
    inside = f"{kept.workspace}/"
    # The rest of the tree is the change's: it may be so large that the job ends before we are through.
    for place in kept.bare:
        git = f"{os.path.realpath(place)}/.git"
        if git not in known and git.startswith(inside):
            yield git
    for place, names in _places(kept.workspace):
        git = f"{place}/.git"
        if ".git" in names and git not in known:
            yield git


def _places(workspace: Path) -> Iterator[tuple[str, list[str]]]:
    """Each folder outside of `.git`, with the names in it; never through a link."""
    for place, folders, files in os.walk(str(workspace)):
        yield place, [*folders, *files]
        folders[:] = [name for name in folders if name != ".git"]


def _take_away(git: str) -> None:
    """With nothing in its place git would look around, and a folder can be made to look like a repository."""
    _remove(Path(git))
    Path(git).write_text("gitdir: /dev/null/taken-away-by-rocm-ci\n", encoding="utf-8")


def _is_elsewhere(path: str) -> bool:
    folder = os.path.dirname(path)  # noqa: PTH120 - strings
    return os.path.realpath(folder) != folder


def _restore(git: Path, files: Mapping[str, Any]) -> bool:
    """Whether somebody had changed more than the index, which git itself writes when it looks at files."""
    if git.is_symlink() or not git.is_dir():
        _take_away(str(git))
        return True
    there, changed = set(), set()
    for path in list(_paths(str(git))):
        name = os.path.relpath(path, str(git))
        if name in files and _is_still(path, files[name]):
            there.add(name)
        else:
            _remove(Path(path))
            changed.add(name)
    for name, (kind, mode, content) in files.items():
        if name not in there and kind == "file":
            target = git / name
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
    if _is_elsewhere(path):
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


def _paths(git: str) -> Iterator[str]:
    """All but the data, never through a link; a link to a folder counts as a file. Raises `OSError`."""
    for folder, folders, files in os.walk(git, onerror=_raise):
        is_git = folder == git or "HEAD" in files  # so are those of submodules
        for name in [*folders, *files]:
            path = os.path.join(folder, name)  # noqa: PTH118 - os.walk speaks strings
            is_link = os.path.islink(path)  # noqa: PTH114 - the same
            if is_link or (name in files and not (is_git and name in _DATA_FILES)):
                yield path
        folders[:] = [name for name in folders if not (is_git and name in _DATA)]


def _raise(error: OSError) -> None:
    raise error


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        # Folders without rights would otherwise stay.
        path.chmod(0o700)
        for folder, folders, _ in os.walk(str(path)):
            for name in folders:
                inner = Path(folder, name)
                if not inner.is_symlink():
                    inner.chmod(0o700)  # before the walk goes into it
        shutil.rmtree(str(path))
    elif os.path.lexists(str(path)):
        path.unlink()
