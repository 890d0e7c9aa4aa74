"""Which changed files are worth opening, and what is said about the others."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from rocm_ci.model.changes import ChangeKind
from rocm_ci.scan.language_registry import language_of
from rocm_ci.scan.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.model.changes import Changes, FileChange
    from rocm_ci.model.scan_note import ScanNote
    from rocm_ci.scan.files import FileSource

# Prose, data and assets: not worth opening unless a language claims the very name.
_NO_SOURCE = frozenset({
    ".md", ".rst", ".adoc", ".html", ".htm", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".css", ".scss",
    ".map", ".vue", ".json", ".jsonl", ".ipynb", ".csv", ".tsv", ".parquet", ".lock", ".svg", ".png",
    ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".pdf", ".woff", ".woff2", ".ttf", ".mp4", ".wav", ".mp3",
    ".npy", ".npz", ".pt", ".pth", ".safetensors", ".gguf", ".onnx", ".gz", ".xz", ".zst", ".zip",
    ".tar", ".whl", ".so", ".a", ".o", ".pyc", ".po", ".patch", ".diff",
})  # fmt: skip


class Scope:
    """The files of a change that are read. What is left out for being another project's is counted."""

    def __init__(self, options: ScanOptions, source: FileSource, changes: Changes) -> None:
        self._trees = Trees(source, changes)
        self._excluded = None
        if options.exclude:
            # 45 ms to import, and most projects exclude nothing.
            import pathspec  # noqa: PLC0415

            self._excluded = pathspec.GitIgnoreSpec.from_lines(options.exclude)

    def includes(self, change: FileChange) -> bool:
        """Whether a file is scanned at all."""
        path = change.path
        if change.kind is ChangeKind.DELETED or change.is_symlink:
            return False
        if self._excluded is not None and self._excluded.match_file(path):
            return False
        if change.is_submodule:
            self._trees.left_out(path, "another commit of a submodule")
            return False
        if posixpath.splitext(path)[1].lower() in _NO_SOURCE and language_of(path, "") is None:
            return False
        return not self._trees.leaves_out(path)

    def notes(self) -> Iterable[ScanNote]:
        """What was left out, once per tree."""
        return self._trees.notes()
