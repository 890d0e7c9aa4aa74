"""Which files are scanned, and reading them safely from a hostile tree."""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from rocm_ci.model.changes import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.model.changes import FileChange

MAX_BYTES = 5_000_000
LOOKED_AT = 8_000  # bytes that tell whether a file is text, as many as git looks at
MAX_LINE = 10_000  # characters; longer lines are minified or data and are passed over
# Carried from other projects: their authors do not read our pull request.
VENDORED = frozenset({
    "third_party", "third-party", "thirdparty", "3rdparty", "3rd_party", "3rd-party", "external",
    "externals", "extern", "vendor", "vendored", "_vendor", "deps", "submodules", "composable_kernel",
    "cutlass", "cccl", "_cccl", "libcudacxx", "cub", "thrust", "node_modules", "bower_components",
    "site-packages",
})  # fmt: skip
_NEVER = frozenset({".git", ".hg", ".svn", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache"})
# Prose, data and assets, which no language claims: not worth opening.
_NO_SOURCE = frozenset({
    ".md", ".rst", ".adoc", ".html", ".htm", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".css", ".scss",
    ".map", ".vue", ".json", ".jsonl", ".ipynb", ".csv", ".tsv", ".parquet", ".lock", ".svg", ".png",
    ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".pdf", ".woff", ".woff2", ".ttf", ".mp4", ".wav", ".mp3",
    ".npy", ".npz", ".pt", ".pth", ".safetensors", ".gguf", ".onnx", ".gz", ".xz", ".zst", ".zip",
    ".tar", ".whl", ".so", ".a", ".o", ".pyc", ".po", ".patch", ".diff",
})  # fmt: skip


class FileSource(Protocol):
    """Where file contents come from."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the tree; None when it is absent, too large or not a plain file."""
        ...


class Folder:
    """A tree on disk. Symbolic links are never followed, neither files nor folders."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._folder_is_inside = lru_cache(maxsize=None)(self._inside)

    def read(self, path: str) -> bytes | None:
        """See `FileSource`. A path that leaves the tree counts as absent."""
        full = os.path.join(self._root, path)  # noqa: PTH118 - pathlib would normalise hostile names
        if "\0" in path or not self._folder_is_inside(os.path.dirname(full)):  # noqa: PTH120
            return None
        try:
            handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                return None
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read(MAX_BYTES + 1)
        except OSError:
            return None
        finally:
            os.close(handle)

    def walk(self, below: str = "") -> Iterator[str]:
        """Paths of all plain files, relative to the root, sorted within each folder."""
        start = os.path.join(self._root, below)  # noqa: PTH118
        for folder, names, files in os.walk(start):
            names[:] = sorted(n for n in names if n not in _NEVER)
            for name in sorted(files):
                yield os.path.relpath(os.path.join(folder, name), self._root)  # noqa: PTH118

    def _inside(self, folder: str) -> bool:
        real = os.path.realpath(folder)
        return real == self._root or real.startswith(self._root + os.sep)


class Scope:
    """Which changed files are worth reading, by name alone."""

    def __init__(self, options: ScanOptions) -> None:
        self._excluded = None
        if options.exclude:
            # 45 ms to import, and most projects exclude nothing.
            import pathspec  # noqa: PLC0415

            self._excluded = pathspec.GitIgnoreSpec.from_lines(options.exclude)

    def includes(self, change: FileChange) -> bool:
        """Whether a file is scanned at all."""
        if change.kind is ChangeKind.DELETED or change.is_binary or change.is_submodule or change.is_symlink:
            return False
        if os.path.splitext(change.path)[1].lower() in _NO_SOURCE or is_vendored(change.path):  # noqa: PTH122
            return False
        return self._excluded is None or not self._excluded.match_file(change.path)


def is_vendored(path: str) -> bool:
    """Whether a path lies in a tree that is carried from another project."""
    return any(part.lower() in VENDORED for part in path.split("/")[:-1])


def is_binary(data: bytes) -> bool:
    """Whether the bytes are no text: many NULs among the first `LOOKED_AT`.

    A stray one, which makes a file binary for git, does not keep a compiler from reading it.
    """
    head = data[:LOOKED_AT]
    return head.count(b"\0") > max(3, len(head) // 100)


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """(text, lines). Over-long lines are emptied, so that positions of all others hold."""
    text = data.decode("utf-8", "surrogateescape")
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", " ")
    lines = text.split("\n")
    if any(len(line) > MAX_LINE for line in lines):
        lines = ["" if len(line) > MAX_LINE else line for line in lines]
        text = "\n".join(lines)
    return text, tuple(lines)
