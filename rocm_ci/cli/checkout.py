"""Which commits a run is about: joins the event with what the checkout really holds."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci import changes as diff
from rocm_ci.errors import EventError, GitError
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.scan.files import LOOKED_AT, is_binary
from rocm_ci.tools.git import BIG_FILE
from rocm_ci.tools.process import MAX_CAPTURE

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.changes import FileChange
    from rocm_ci.tools.git import Git

_PATHS_A_CALL = 200


@dataclass(frozen=True, kw_only=True)
class Located:
    """The event with its merge base, the lines it adds, and what a reader should know."""

    event: Event
    changes: Changes
    notices: tuple[str, ...] = ()


def locate(git: Git, event: Event, *, deepen: bool = False) -> Located:
    """Find the merge base of a GitHub event and read the diff from the local clone.

    `actions/checkout` checks out the merge of a pull request into its base by default. Then what
    is built and tested is that merge, so its first parent is what we compare with: the diff and
    the base build show exactly what the change adds, and line numbers match the files on disk.
    """
    event = _with_base(git, event)
    checked_out = git.commit("HEAD")
    if checked_out == event.head:
        return _linear(git, event, deepen=deepen)
    parents = git.parents(checked_out)
    if len(parents) > 1 and event.head in parents[1:]:
        if not git.has(parents[0]) and deepen:
            git.deepen()
        if not git.has(parents[0]):
            message = f"the first parent of the merge commit {checked_out[:12]} is not in this shallow clone"
            raise GitError(message, hint="give actions/checkout `fetch-depth: 0`, or set `deepen: true`")
        located = replace(event, merge_base=parents[0])
        return Located(event=located, changes=changed(git, parents[0], checked_out))
    message = f"the checkout is at {checked_out[:12]}, but the event is about {event.head[:12]}"
    raise EventError(message, hint="check out the commit of the event, or run with --local --base REF")


def _with_base(git: Git, event: Event) -> Event:
    """The event with the commit of its base, when only a branch is known (a dispatch's input)."""
    if event.base is not None or event.number is None or not event.base_ref:
        return event
    return replace(event, base=git.commit(f"refs/remotes/origin/{event.base_ref}"))


def _linear(git: Git, event: Event, *, deepen: bool) -> Located:
    if event.base is None:
        return Located(event=event, changes=diff.whole_tree(git.files()))
    if not git.has(event.base) and deepen:
        git.deepen()
    if not git.has(event.base):
        if event.kind is EventKind.PUSH and not git.is_shallow():
            note = f"A forced push: {event.base[:12]}, the head before it, is gone, so the whole tree counts."
            return Located(event=event, changes=diff.whole_tree(git.files()), notices=(note,))
        message = f"the base commit {event.base[:12]} is not in this clone"
        raise GitError(message, hint="give actions/checkout `fetch-depth: 0`, or set `deepen: true`")
    merge_base = git.merge_base(event.base, event.head, deepen=deepen)
    located = replace(event, merge_base=merge_base)
    return Located(event=located, changes=changed(git, merge_base, event.head))


def local(git: Git, base_ref: str | None) -> Located:
    """A run on a laptop: the working tree as it is, against the merge base with `base_ref`."""
    head = git.commit("HEAD")
    if base_ref is None:
        return Located(event=Event(kind=EventKind.LOCAL, head=head), changes=diff.whole_tree(git.files()))
    base = git.commit(base_ref)
    merge_base = git.merge_base(base, head)
    event = Event(
        kind=EventKind.LOCAL,
        head=head,
        base=base,
        merge_base=merge_base,
        base_ref=base_ref,
        head_ref=git.branch(),
    )
    tracked = changed(git, merge_base, None)
    new = diff.whole_tree(git.untracked())
    notices = (
        ("The working tree has changes that are not committed: they were tested too.",) if git.dirty() else ()
    )
    return Located(event=event, changes=Changes(files=(*tracked.files, *new.files)), notices=notices)


def changed(git: Git, base: str, head: str | None, *, staged: bool = False) -> Changes:
    """The lines that `head` (which is checked out) adds to `base`; None for the working tree.

    `staged` looks at the index instead, against the last commit when `base` is empty.

    Git calls a file binary when the checkout's own .gitattributes say so (`*.hip -diff`). That is
    for showing; here it would be a place to hide in, so such files are compared as the text they are.
    """
    output = git.diff(base, head, staged=staged)
    found = diff.parse_git(output, is_cut=len(output) >= MAX_CAPTURE)
    hidden = [f.path for f in found.files if f.is_binary and _is_text(git.root / f.path)]
    shown: dict[str, FileChange] = {}
    for at in range(0, len(hidden), _PATHS_A_CALL):
        output = git.diff(base, head, as_text=hidden[at : at + _PATHS_A_CALL], staged=staged)
        again = diff.parse_git(output, is_cut=len(output) >= MAX_CAPTURE)
        shown |= {one.path: one for one in again.files}
    if not shown:
        return found
    files = tuple(
        replace(one, added=shown[one.path].added, is_binary=False) if one.path in shown else one
        for one in found.files
    )
    return replace(found, files=files)


def _is_text(path: Path) -> bool:
    """Whether a file is what the scanner calls text, a stray NUL or not."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > BIG_FILE:
            return False
        with path.open("rb") as file:
            return not is_binary(file.read(LOOKED_AT))
    except (OSError, ValueError):
        return False
