"""Trees that are carried from other projects: left out, but never without a word."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from rocm_ci.model.scan_note import NoteKind, ScanNote
from rocm_ci.scan import attributes
from rocm_ci.scan.files import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocm_ci.model.changes import Changes
    from rocm_ci.scan.files import FileSource

# Carried from other projects: their authors do not read our pull request.
VENDORED = frozenset({
    "third_party", "third-party", "thirdparty", "3rdparty", "3rd_party", "3rd-party", "external",
    "externals", "extern", "vendor", "vendored", "_vendor", "deps", "submodules", "composable_kernel",
    "cutlass", "cccl", "_cccl", "libcudacxx", "cub", "thrust", "node_modules", "bower_components",
    "site-packages",
})  # fmt: skip
# Names of libraries: a project may also call the folder so in which its own sources for one of them lie.
_LIBRARIES = frozenset({"composable_kernel", "cutlass", "cccl", "_cccl", "libcudacxx", "cub", "thrust"})
_LICENSES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING", "README.md")
_BUILDS = ("CMakeLists.txt", "setup.py", "pyproject.toml", "meson.build")
_BY_NAME = "its name says that it is carried from another project"
_BY_MODULE = "a submodule, by .gitmodules"
_BY_MARK = {
    "vendored": "carried from another project, by .gitattributes (linguist-vendored)",
    "generated": "generated, by .gitattributes (linguist-generated)",
}


def is_vendored(path: str) -> bool:
    """Whether the name of a folder says that a path is carried from another project."""
    return bool(_named(path))


def _named(path: str, is_own: Callable[[str], bool] | None = None) -> str:
    """The outermost folder of such a name that is not one's own, with a slash; empty without one."""
    parts = path.split("/")
    for depth, part in enumerate(parts[:-1], 1):
        if part.lower() in VENDORED:
            folder = "/".join(parts[:depth])
            if is_own is None or not is_own(folder):
                return f"{folder}/"
    return ""


class OwnFolders:
    """Which folders that are called like a library are a project's own: its build names their sources."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self.holds = cache(self._holds)

    def _holds(self, folder: str) -> bool:
        if folder.rpartition("/")[2].lower() not in _LIBRARIES:
            return False
        if any(self._read(f"{folder}/{name}") is not None for name in _LICENSES):
            return False
        above = folder
        while above:
            above = above.rpartition("/")[0]
            inner = re.escape(folder[len(above) + 1 if above else 0 :].encode("utf-8", "surrogateescape"))
            named = re.compile(rb"(?<![\w/])" + inner + rb"/[\w./-]+\.(?:cu|cpp|cc|cxx|c|hip)\b")
            for name in _BUILDS:
                data = self._read(f"{above}/{name}" if above else name)
                if data is not None and named.search(data):
                    return True
        return False


class Trees:
    """Whose a path is, by folder names, `.gitmodules` and `.gitattributes`.

    What the scanned change itself adds to those two files is not heard: a change cannot declare its own
    files to be somebody else's.
    """

    def __init__(self, source: FileSource, changes: Changes) -> None:
        self._read = source.read
        self._own = OwnFolders(source.read)
        self._changes = {} if changes.whole_tree else {change.path: change for change in changes.files}
        self._marks = cache(self._marks_of_folder)
        self._modules: tuple[str, ...] | None = None
        self._left_out: Counter[tuple[str, str]] = Counter()

    def leaves_out(self, path: str, is_source: Callable[[str], bool]) -> bool:
        """Whether a file is not ours. A source is counted for the note about its tree."""
        found = self._of_mark(path)
        if found is None:
            named = _named(path, self._own.holds)
            found = (named, _BY_NAME) if named else self._of_module(path)
        if found is None or not found[0]:
            return False
        self._left_out[found] += is_source(path)
        return True

    def left_out(self, path: str, why: str) -> None:
        """Count a path that is known not to be ours, such as the link of a submodule."""
        self._left_out[f"{path}/", why] += 1

    def notes(self) -> Iterator[ScanNote]:
        """One per tree."""
        for (tree, why), count in sorted((+self._left_out).items()):
            files = f"{count} file{'s' if count != 1 else ''} here not scanned"
            yield ScanNote(kind=NoteKind.VENDORED, path=tree, reason=f"{files}: {why}")

    def _of_mark(self, path: str) -> tuple[str, str] | None:
        """(tree, reason) by .gitattributes; an empty tree when it says that the file is ours."""
        said: dict[str, attributes.Mark | None] = {}
        folder = ""
        for part in ("", *path.split("/")[:-1]):
            folder = f"{folder}{part}/" if part else ""
            for mark in self._marks(folder):
                if mark.pattern.fullmatch(path[len(folder) :]):
                    said[mark.mark] = mark._replace(tree=folder + mark.tree)
        on = next((mark for mark in said.values() if mark and mark.on), None)
        if on is None:
            return ("", "") if "vendored" in said else None
        own = path.rpartition("/")[0]
        return on.tree or (f"{own}/" if own else "./"), _BY_MARK[on.mark]

    def _marks_of_folder(self, folder: str) -> list[attributes.Mark]:
        text, unheard = self._heard(f"{folder}.gitattributes")
        return attributes.marks(text, unheard)

    def _of_module(self, path: str) -> tuple[str, str] | None:
        if self._modules is None:
            self._modules = attributes.submodules(*self._heard(".gitmodules"))
        tree = next((one for one in self._modules if path.startswith(one)), "")
        return (tree, _BY_MODULE) if tree else None

    def _heard(self, path: str) -> tuple[str, frozenset[int]]:
        """The text of a file and its lines that the change adds."""
        data = self._read(path)
        if data is None:
            return "", frozenset()
        text, lines = decode(data)
        change = self._changes.get(path)
        if change is None:
            return text, frozenset()
        if not change.added:
            return ("", frozenset()) if change.kind.value == "added" else (text, frozenset())
        last = len(lines)
        return text, frozenset(n for first, end in change.added for n in range(first, min(end, last) + 1))
