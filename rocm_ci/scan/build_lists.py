"""Which sources the build files of a project list for NVIDIA only."""

from __future__ import annotations

import posixpath
import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rocm_ci.scan import source_cmake, source_setup, vendor
from rocm_ci.scan.files import utf8
from rocm_ci.scan.source import Guard
from rocm_ci.scan.source_flow import Place, SourceFlow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.inventory import Inventory

_PYTHON = re.compile(
    r"(?:setup|build|_?build_\w+|\w*_builder|\w*_extensions?|_?cpp_ext\w*|\w*_?jit\w*|\w*compile\w*|setup_\w+)\.py"
)
_PYTHON_FOLDER = re.compile(r"\w*builders?|setup_helpers|build_tools|build_helpers|jit\w*")
# What the two above have in common, asked first: a tree has thousands of modules.
_BUILDER = re.compile(r"setup|build|ext|jit|compile")
_NO_BUILD = re.compile(r"test_.*|.*_test\.py|conftest\.py")
_QUOTED_SOURCE = re.compile(rb"\.(?:cu|cpp|cc|cxx|hip)[\"']")
_RUNS = re.compile(
    r"(?:GNUm|[Mm])akefile|.*\.mk|meson\.build|BUILD(?:\.bazel)?|.*\.(?:sh|bzl)|pyproject\.toml|noxfile\.py"
)
_MAY_KNOW_AMD = re.compile(r"(?i)hip|roc|amd|gfx")
_MOST_FILES = 500
_MOST_BYTES = 600_000  # of one file
_MOST_BYTES_ALL = 6_000_000
_CUDA = re.compile(r"cuda|CUDA|THC")
_VENDOR_WORD = re.compile(r"[-_.]?(?:cuda|hip|rocm|amd|nvidia)", re.IGNORECASE)


class BuildLists:
    """Answers for the sources of one tree. Nothing is read before the first question."""

    def __init__(self, source: FileSource, inventory: Inventory) -> None:
        self._read = source.read
        self._inventory = inventory
        self._flow: SourceFlow | None = None
        self._generated: frozenset[str] = frozenset()
        self.only_nvidia = cache(self._only_nvidia)

    def mentions(self, script: str) -> bool:
        """Whether something that builds has the name of a script in it, as a program or as a module."""
        stem = posixpath.basename(script).removesuffix(".py").encode("utf-8", "surrogateescape")
        return any(stem in (self._read(path) or b"") for path in self._runners if path != script)

    @cached_property
    def _runners(self) -> tuple[str, ...]:
        paths = self._inventory.paths
        return tuple(p for p in paths if is_build_file(p) or _RUNS.fullmatch(p.rpartition("/")[2]))

    def _only_nvidia(self, path: str) -> Place | None:
        """Where a source is said to be built for NVIDIA only; None when it may be built for AMD."""
        flow = self._all()
        if not self._inventory.is_complete or self._is_generated(path):
            return None
        twins = [twin for twin in _hipified(path) if not self._inventory.exists(twin)]
        return flow.only_nvidia(path, twins, self._inventory.exists)

    def _is_generated(self, path: str) -> bool:
        """Whether hipify may write the file into a folder for AMD that a build file names."""
        folder = posixpath.dirname(path)
        while folder and self._generated:
            if _plain(folder) in self._generated:
                return True
            folder = posixpath.dirname(folder)
        return False

    def _all(self) -> SourceFlow:
        if self._flow is None:
            self._flow = SourceFlow()  # stays, and knows nothing, when the time for a file runs out below
            self._flow = self._collected()
        return self._flow

    def _collected(self) -> SourceFlow:
        flow = SourceFlow()
        memo: dict[str, object] = {}
        cmake: dict[str, source_cmake.Listing] = {}
        texts = list(self._texts())
        if not any(_MAY_KNOW_AMD.search(text) for _, text in texts):
            return flow
        for path, text in texts:
            if path.endswith(".py"):
                one = source_setup.listing(path, text, self._read, memo)
                self._inventory.is_complete = self._inventory.is_complete and one is not None
                flow.add(one or SourceFlow(), Guard.NONE)
            else:
                cmake[path] = source_cmake.listing(path, text, self._read, memo)
        for lists, guard in source_cmake.together(cmake):
            flow.add(lists, guard)
        self._generated = frozenset(
            _plain(posixpath.dirname(target))
            for listing in cmake.values()
            for target, _, _ in listing.includes
            if target.endswith("/CMakeLists.txt")
            and vendor.of(posixpath.dirname(target)) is Guard.AMD
            and not self._inventory.exists(target)
        )
        return flow

    def _texts(self) -> Iterator[tuple[str, str]]:
        count, left = 0, _MOST_BYTES_ALL
        for path in self._inventory.paths:
            if not is_build_file(path):
                continue
            data = self._read(path)
            if data is None or len(data) > _MOST_BYTES:
                self._inventory.is_complete = self._inventory.is_complete and data is None
                continue
            if path.endswith(".py") and not _QUOTED_SOURCE.search(data):
                continue
            count, left = count + 1, left - len(data)
            if count > _MOST_FILES or left < 0:
                self._inventory.is_complete = False
                return
            yield path, utf8(data).decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", " ")


def is_build_file(path: str) -> bool:
    """Whether a file is one of those whose lists are read."""
    if not path.endswith(".py"):
        return path.endswith(".cmake") or path.rpartition("/")[2] == "CMakeLists.txt"
    if not _BUILDER.search(path):
        return False
    folder, _, name = path.rpartition("/")
    if _NO_BUILD.fullmatch(name):
        return False
    return bool(_PYTHON.fullmatch(name) or _PYTHON_FOLDER.fullmatch(folder.rpartition("/")[2]))


def _hipified(path: str) -> Iterator[str]:
    """What hipify may call the file that it makes of a source (torch.utils.hipify, CMake helpers)."""
    stem, suffix = posixpath.splitext(path)
    renamed = _CUDA.sub(lambda m: {"cuda": "hip", "CUDA": "HIP", "THC": "THH"}[m[0]], stem)
    device = suffix in (".cu", ".cuh")
    if device:
        yield from (f"{stem}.hip", f"{path}.hip", f"{stem}.hip.cpp")
    for name in dict.fromkeys((renamed, f"{stem}_hip")):
        if name != stem:
            yield f"{name}{suffix}"
            yield from (f"{name}.hip", f"{name}.hip.cpp") if device else ()


def _plain(folder: str) -> str:
    return _VENDOR_WORD.sub("", folder)
