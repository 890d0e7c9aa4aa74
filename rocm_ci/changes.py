"""Diff text → the lines a change adds. Pure."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from rocm_ci.errors import GitError, UsageError
from rocm_ci.model.changes import ChangeKind, Changes, FileChange

_KINDS = {
    b"A": ChangeKind.ADDED,
    b"C": ChangeKind.ADDED,
    b"D": ChangeKind.DELETED,
    b"M": ChangeKind.MODIFIED,
    b"T": ChangeKind.MODIFIED,
    b"R": ChangeKind.RENAMED,
}
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LIKE_A_DIFF = re.compile(r"^diff --git ", re.MULTILINE)
_SUBMODULE, _SYMLINK = b"160000", b"120000"
EVERY_LINE = (1, 2**31 - 1)


@dataclass
class _Patch:
    """What one `diff --git` segment says."""

    added: list[tuple[int, int]] = field(default_factory=list)
    is_binary: bool = False


def parse_git(output: bytes, *, is_cut: bool = False) -> Changes:
    """The output of `git diff -z --raw --patch --unified=0`.

    Names come from the NUL-separated raw part, so that quotes, newlines and any byte in a path
    are exact; the patches follow in the same order. Names that are not UTF-8 keep their bytes as
    surrogates, as Python's file functions expect. With `is_cut` the end of the output is missing:
    of a file whose patch is not whole every line counts as added, so that nothing can hide there.
    """
    entries, rest = _raw_entries(output)
    patches = deque(_patches(rest))
    if is_cut and patches:
        patches.pop()
    missing = _Patch(added=[EVERY_LINE] if is_cut else [])
    files = []
    for status, mode, old, new in entries:
        # A changed type (file to symlink) is written as two patches: a deletion and an addition.
        mine = [patches.popleft() for _ in range(2 if status == b"T" else 1) if patches]
        last = mine[-1] if mine else missing
        files.append(
            FileChange(
                path=new.decode("utf-8", "surrogateescape"),
                kind=_KINDS.get(status, ChangeKind.MODIFIED),
                old_path=old.decode("utf-8", "surrogateescape") if old != new else None,
                added=tuple(last.added),
                is_binary=last.is_binary,
                is_submodule=mode == _SUBMODULE,
                is_symlink=mode == _SYMLINK,
            )
        )
    return Changes(files=tuple(files))


def _raw_entries(output: bytes) -> tuple[list[tuple[bytes, bytes, bytes, bytes]], bytes]:
    """(status, new mode, old path, new path) of each entry, and what follows the raw part."""
    entries = []
    at = 0
    while output[at : at + 1] == b":":
        end = output.index(b"\0", at)
        fields = output[at + 1 : end].split(b" ")
        if len(fields) != 5:
            raise GitError("git diff wrote a line we do not understand", hint="update git to 2.20 or newer")
        status = fields[4][:1]
        at = end + 1
        names = []
        for _ in range(2 if status in (b"R", b"C") else 1):
            end = output.index(b"\0", at)
            names.append(output[at:end])
            at = end + 1
        entries.append((status, fields[1], names[0], names[-1]))
    return entries, output[at:].lstrip(b"\0")


def _patches(text: bytes) -> list[_Patch]:
    found: list[_Patch] = []
    at = 0
    while at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        at = end + 1
        hunk = _HUNK.match(line)
        if hunk and found:
            removed = int(hunk[1]) if hunk[1] is not None else 1
            start = int(hunk[2])
            count = int(hunk[3]) if hunk[3] is not None else 1
            if count:
                found[-1].added.append((start, start + count - 1))
            at = _skip_lines(text, at, removed + count)
        elif line.startswith(b"diff --git "):
            found.append(_Patch())
        elif found and line.startswith((b"Binary files ", b"GIT binary patch")):
            found[-1].is_binary = True
    return found


def _skip_lines(text: bytes, at: int, lines: int) -> int:
    """The offset after `lines` hunk lines; «no newline at end of file» marks are not counted."""
    while lines and at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        lines -= text[at : at + 1] != b"\\"
        at = end + 1
    return at


def parse_diff(text: str) -> Changes:
    """A unified diff from a file (`--diff FILE`), with any amount of context."""
    # unidiff costs 17 ms to import and only this path needs it.
    from unidiff.errors import UnidiffParseError  # noqa: PLC0415
    from unidiff.patch import PatchSet  # noqa: PLC0415

    try:
        patch = PatchSet(text)
    except UnidiffParseError as error:
        message = f"the diff cannot be read: {error}"
        raise UsageError(message, hint="make it with `git diff --no-color BASE...HEAD`") from error
    if not len(patch) and text.strip() and not _LIKE_A_DIFF.search(text):
        # Green for a file that holds no diff would be a promise about nothing.
        message = "the file holds no unified diff"
        raise UsageError(message, hint="make it with `git diff --no-color BASE...HEAD`")
    files = []
    for one in patch:
        kind = ChangeKind.MODIFIED
        if one.is_added_file:
            kind = ChangeKind.ADDED
        elif one.is_removed_file:
            kind = ChangeKind.DELETED
        elif one.is_rename:
            kind = ChangeKind.RENAMED
        numbers = [line.target_line_no for hunk in one for line in hunk if line.is_added]
        files.append(
            FileChange(
                path=one.path,
                kind=kind,
                added=_ranges([n for n in numbers if n]),
                is_binary=one.is_binary_file,
            )
        )
    return Changes(files=tuple(files))


def _ranges(numbers: list[int]) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return tuple(ranges)


def whole_tree(paths: tuple[str, ...]) -> Changes:
    """Every line of every file counts as added."""
    return Changes(files=tuple(FileChange(path=p, kind=ChangeKind.ADDED) for p in paths), whole_tree=True)
