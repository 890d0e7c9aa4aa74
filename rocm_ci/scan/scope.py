"""Which changed files are worth opening, and what is said about the others."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.changes import ChangeKind
from rocm_ci.scan.copies import Copies
from rocm_ci.scan.language_registry import is_source
from rocm_ci.scan.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.model.changes import Changes, FileChange
    from rocm_ci.model.scan_note import ScanNote
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.language import Language

# Never text of ours, whatever the rest of the name is.
_BINARY = frozenset({
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".pdf", ".woff", ".woff2", ".ttf", ".mp4", ".wav",
    ".mp3", ".npy", ".npz", ".pt", ".pth", ".safetensors", ".gguf", ".onnx", ".gz", ".xz", ".zst", ".zip",
    ".tar", ".whl", ".so", ".a", ".o", ".pyc", ".parquet",
})  # fmt: skip
# Prose, data and assets: not worth opening unless a language claims the very name.
_NO_SOURCE = frozenset({
    ".md", ".rst", ".adoc", ".html", ".htm", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".css", ".scss", ".map",
    ".vue", ".json", ".jsonl", ".ipynb", ".csv", ".tsv", ".lock", ".svg", ".po", ".patch", ".diff",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files that are scanned. `whole`: each with every line, as parts of a tree with `copies` in it."""

    files: tuple[FileChange, ...]
    whole: bool = False
    copies: Copies | None = None


class Scope:
    """The files of a change that are read. What is left out for being another project's is counted."""

    def __init__(self, options: ScanOptions, source: FileSource, changes: Changes) -> None:
        self._source = source
        self._trees = Trees(source, changes)
        self._excluded = None
        if options.exclude:
            # 45 ms to import, and most projects exclude nothing.
            import pathspec  # noqa: PLC0415

            self._excluded = pathspec.GitIgnoreSpec.from_lines(options.exclude)

    def chosen(self, changes: Changes) -> Chosen:
        """The files of a change that are scanned."""
        files = tuple(change for change in changes.files if self.includes(change))
        copies = Copies(self._source, (f.path for f in files)) if changes.whole_tree else None
        return Chosen(files, changes.whole_tree, copies)

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
        suffix = posixpath.splitext(path)[1].lower()
        if suffix in _BINARY or (suffix in _NO_SOURCE and not is_source(path)):
            return False
        # A file of no language is not missed.
        return not self._trees.leaves_out(path, is_source)

    def notes(self) -> tuple[ScanNote, ...]:
        """What was left out, once per tree."""
        return tuple(self._trees.notes())


class Lines:
    """Membership in sorted, inclusive line ranges."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = tuple(ranges)

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and any(first <= line <= last for first, last in self._ranges)


@dataclass(frozen=True, slots=True)
class Look:
    """Which lines of a file count (`added`) and which are looked at (`reach`); None for all of them."""

    language: Language
    lines: Sequence[str]
    added: Container[int] | None
    reach: Container[int] | None

    def within(self, language: Language) -> Look:
        """The same for a piece of the file in another language."""
        return Look(language, self.lines, self.added, self.reach)
