"""What `rocm-ci scan` is to look at: the lines of a diff, of the index, of a branch, or a whole tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rocm_ci import changes as diff
from rocm_ci.cli import wiring
from rocm_ci.cli.checkout import changed
from rocm_ci.errors import GitError, UsageError
from rocm_ci.model.changes import Changes
from rocm_ci.scan.files import FileSource, Folder
from rocm_ci.scan.staged import Staged
from rocm_ci.tools.beside import Beside

if TYPE_CHECKING:
    from rocm_ci.tools.git import Git

_DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asked for: at most one of the last four, the merge base without any."""

    paths: tuple[Path, ...] = ()
    base: str | None = None
    diff_file: Path | None = None
    staged: bool = False
    everything: bool = False

    def check(self) -> None:
        """Raise `UsageError` for wishes that exclude each other."""
        if sum((self.base is not None, self.diff_file is not None, self.staged, self.everything)) > 1:
            message = "--base, --diff, --staged and --all exclude each other"
            raise UsageError(message, hint="give one of them")

    @property
    def start(self) -> Path:
        """The folder from which the checkout is looked for."""
        if not self.paths:
            return Path.cwd()
        first = self.paths[0]
        if not first.exists() and not first.is_symlink():
            message = f"there is no {first}"
            raise UsageError(message, hint="name files and folders that exist")
        return first if first.is_dir() else first.absolute().parent


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The changes to scan, where their files are read, and the commit that they are compared with."""

    changes: Changes
    source: FileSource
    base: str | None = None


def select(request: Request, git: Git, folder: Folder) -> Selection:
    """Find the changes that a request speaks of, in the checkout of `git`."""
    whole = _whole(request, git, folder)
    return replace(whole, changes=_limited(whole.changes, request.paths, git.root))


def root_of(git: Git) -> Path:
    """The top of the checkout, or the folder itself where there is none."""
    try:
        return git.top()
    except GitError:
        return git.root


def _whole(request: Request, git: Git, folder: Folder) -> Selection:
    if request.diff_file is not None:
        text = wiring.read_bytes(request.diff_file, "the diff").decode("utf-8", "surrogateescape")
        return Selection(changes=diff.parse_diff(text), source=folder)
    if request.staged:
        return Selection(changes=changed(git, "", None, staged=True), source=Staged(git, folder))
    if request.base is not None:
        return _since(git, request.base, folder)
    if not request.everything:
        branch = next((b for b in _DEFAULT_BRANCHES if git.has(b)), None)
        if branch is not None:
            return _since(git, branch, folder)
    try:
        return Selection(changes=diff.whole_tree(git.files()), source=folder)
    except GitError:
        return Selection(changes=diff.whole_tree(tuple(folder.walk())), source=folder)


def _since(git: Git, ref: str, folder: Folder) -> Selection:
    """The working tree against the merge base: committed, uncommitted and new files."""
    with Beside(git.untracked) as untracked:
        merge_base = git.fork_point(ref)
        tracked = changed(git, merge_base, None)
        new = diff.whole_tree(untracked.result())
    return Selection(changes=Changes(files=(*tracked.files, *new.files)), source=folder, base=merge_base)


def _limited(changes: Changes, paths: tuple[Path, ...], root: Path) -> Changes:
    if not paths:
        return changes
    top = root.resolve()
    wanted = []
    for path in paths:
        # A link is meant itself, not what it leads to.
        full = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
        if not full.is_relative_to(top):
            message = f"{path} is outside {root}"
            raise UsageError(message, hint="scan one project at a time")
        wanted.append(full.relative_to(top).as_posix())
    if "." in wanted:
        return changes
    kept = tuple(f for f in changes.files if _is_below(f.path, frozenset(wanted)))
    return msgspec.structs.replace(changes, files=kept)


def _is_below(path: str, wanted: frozenset[str]) -> bool:
    """Whether a path or a folder around it was named; quick for the many files of a pre-commit run."""
    while path:
        if path in wanted:
            return True
        path = path.rpartition("/")[0]
    return False
