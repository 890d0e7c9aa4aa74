"""Reading the files of a hostile tree safely, and their bytes as text with right positions."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 5_000_000
LOOKED_AT = 8_000  # bytes that tell whether a file is text, as many as git looks at
MAX_LINE = 10_000  # characters; longer lines are minified or data and are passed over
_NEVER = frozenset({".git", ".hg", ".svn", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache"})
_UTF8 = "utf-8"
_LONGEST_FOLDER = 1_000  # characters of a path that is followed folder by folder
# The longest first: a UTF-32 mark starts with a UTF-16 one.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class FileSource(Protocol):
    """Where file contents come from."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the tree; None when it is absent, too large or not a plain file."""
        ...


@runtime_checkable
class Explains(Protocol):
    """A `FileSource` that can say why it gave nothing."""

    def refusal(self, path: str) -> str:
        """Why `read` gives None; empty where nothing is lost by that."""
        ...


@runtime_checkable
class Lists(Protocol):
    """A `FileSource` that can list its folders."""

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder of the tree, sorted, those of folders with a slash at the end."""
        ...


ABSENT = "it is not in the checkout"


class Folder:
    """A tree on disk. Symbolic links are never followed, neither files nor folders."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._folder_is_inside = lru_cache(maxsize=None)(self._inside)

    def read(self, path: str) -> bytes | None:
        """See `FileSource`. A path that leaves the tree counts as absent."""
        full = self._full(path)
        if full is None:
            return None
        try:
            handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                return None
            data = os.read(handle, min(status.st_size, MAX_BYTES) + 1)
            if len(data) != status.st_size:  # it changed meanwhile, or its file system does not tell
                os.lseek(handle, 0, os.SEEK_SET)
                with os.fdopen(handle, "rb", closefd=False) as file:
                    data = file.read(MAX_BYTES + 1)
            return data if len(data) <= MAX_BYTES else None
        except OSError:
            return None
        finally:
            os.close(handle)

    def refusal(self, path: str) -> str:
        """See `Explains`. A link into the tree loses nothing: what it leads to is scanned by its own name."""
        full = self._full(path)
        if full is None:
            return "it lies outside the project"
        try:
            status = os.lstat(full)
            if stat.S_ISLNK(status.st_mode):
                return self._of_link(full)
            if stat.S_ISDIR(status.st_mode):
                return "a folder, perhaps a submodule"
            if not stat.S_ISREG(status.st_mode):
                return "not a plain file"
            if status.st_size > MAX_BYTES:
                return f"larger than {MAX_BYTES // 1_000_000} MB"
            with open(full, "rb"):  # noqa: PTH123 - the bytes of a name that is no UTF-8
                return "it could not be read"
        except OSError as error:
            return ABSENT if error.errno == errno.ENOENT else _told(error)

    def names(self, folder: str) -> tuple[str, ...]:
        """See `Lists`."""
        full = self._full(folder + "/." if folder else ".")
        if full is None:
            return ()
        try:
            with os.scandir(full) as entries:
                return tuple(sorted(e.name + "/" * e.is_dir(follow_symlinks=False) for e in entries))
        except OSError:
            return ()

    def walk(self, below: str = "") -> Iterator[str]:
        """Paths of all plain files, relative to the root, sorted within each folder."""
        start = os.path.join(self._root, below)  # noqa: PTH118
        for folder, names, files in os.walk(start):
            names[:] = sorted(n for n in names if n not in _NEVER)
            for name in sorted(files):
                yield os.path.relpath(os.path.join(folder, name), self._root)  # noqa: PTH118

    def _full(self, path: str) -> str | None:
        full = os.path.join(self._root, path)  # noqa: PTH118 - pathlib would normalise hostile names
        if "\0" in path or not self._folder_is_inside(os.path.dirname(full)):  # noqa: PTH120
            return None
        return full

    def _inside(self, folder: str) -> bool:
        above, _, name = folder.rpartition("/")
        if (
            len(folder) < _LONGEST_FOLDER
            and name not in ("", ".", "..")
            and above.startswith(self._root)
            and self._folder_is_inside(above)
            and not os.path.islink(folder)  # noqa: PTH114
        ):
            return True  # one look instead of one for each folder above
        real = os.path.realpath(folder)
        return real == self._root or real.startswith(self._root + os.sep)

    def _of_link(self, full: str) -> str:
        try:
            os.stat(full)  # noqa: PTH116
        except OSError as error:
            return f"a symbolic link that leads nowhere ({_told(error)})"
        return "" if self._inside(os.path.realpath(full)) else "a symbolic link that leaves the project"


def _told(error: OSError) -> str:
    return (error.strerror or "it could not be read").lower()


def refusal(source: FileSource, path: str) -> str:
    """Why a source gave nothing for a path."""
    return source.refusal(path) if isinstance(source, Explains) else "it is not in the checkout"


def is_binary(data: bytes) -> bool:
    """Whether the bytes are no text: many NULs among the first `LOOKED_AT`, and no mark of UTF-16 or -32.

    A stray one, which makes a file binary for git, does not keep a compiler from reading it.
    """
    if encoding_of(data) != _UTF8:
        return False
    head = data[:LOOKED_AT]
    return head.count(b"\0") > max(3, len(head) // 100)


def encoding_of(data: bytes) -> str:
    """The codec of a file by its byte order mark. Its decoder leaves the mark as the first character."""
    return next((encoding for mark, encoding in _WIDE if data.startswith(mark)), _UTF8)


def utf8(data: bytes) -> bytes:
    """UTF-16 and UTF-32 with their byte order mark as UTF-8; any other bytes as they are."""
    encoding = encoding_of(data)
    return data if encoding == _UTF8 else data.decode(encoding, "replace").encode("utf-8", "replace")


class Decoded(NamedTuple):
    """The text of a file. `overlong` are the 1-based lines that were emptied."""

    text: str
    lines: tuple[str, ...]
    overlong: tuple[int, ...]


def decoded(data: bytes) -> Decoded:
    """The text with LF line ends. Over-long lines are emptied, so that positions of all others hold.

    A byte that is no UTF-8 (Latin-1, say) becomes one character, so the columns after it are right.
    """
    text = utf8(data).decode("utf-8", "surrogateescape")
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", " ")
    lines = text.split("\n")
    overlong = tuple(n for n, line in enumerate(lines, 1) if len(line) > MAX_LINE)
    if overlong:
        for number in overlong:
            lines[number - 1] = ""
        text = "\n".join(lines)
    return Decoded(text, tuple(lines), overlong)


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """(text, lines) of `decoded`."""
    found = decoded(data)
    return found.text, found.lines
