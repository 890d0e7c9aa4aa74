"""The import statements of the Python modules of a tree, read once, and which modules they mean."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.inventory import Inventory

# Who imports a module there says nothing about where it is needed.
_ASIDE = frozenset({
    "test", "tests", "testing", "doc", "docs", "benchmark", "benchmarks", "bench", "example", "examples",
    "tutorials", "samples",
})  # fmt: skip
_IMPORT = re.compile(rb"import")
_RELATIVE = re.compile(rb"from\s+\.")
_WORD = re.compile(rb"\w+")
_ASIDE_OF_NAMES = re.compile(rb"#[^\n]*|\bas\s+\w+")
_TEST = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")
_MOST_FILES = 20_000
_MOST_BYTES = 150_000_000
_LONGEST = 4_000  # bytes of one statement
_LONGEST_FILE = 2_000_000


class Importer(NamedTuple):
    """A place that imports a module."""

    path: str
    line: int
    indented: bool


def is_aside(path: str) -> bool:
    """Whether a file is a test, an example, a benchmark or documentation."""
    parts = path.lower().split("/")
    return not _ASIDE.isdisjoint(parts[:-1]) or _TEST.fullmatch(parts[-1]) is not None


class ImportIndex:
    """Read when first asked. `is_complete` tells whether all modules of the tree were."""

    def __init__(self, source: FileSource, inventory: Inventory) -> None:
        self._read = source.read
        self._inventory = inventory
        self._by_module: dict[bytes, list[_Statement]] | None = None
        self._paths: list[str] = []
        self.is_complete = False
        self.head = cache(self._head)

    def is_package(self, folder: str) -> bool:
        """Whether a folder is a Python package."""
        return "__init__.py" in self._inventory.names(folder)

    def modules(self, folder: str) -> int:
        """How many modules a folder holds."""
        return sum(name.endswith(".py") for name in self._inventory.names(folder))

    def says(self, texts: Sequence[bytes]) -> bool:
        """Whether some module holds one of these texts."""
        import ahocorasick_rs  # noqa: PLC0415 - see below

        self._all()
        searcher = ahocorasick_rs.BytesAhoCorasick(list(texts))
        return any(searcher.find_matches_as_indexes(self._read(path) or b"") for path in self._paths)

    def importers(self, path: str) -> Iterator[Importer]:
        """Where a module is imported, one after the other: few callers need all.

        A package is imported by every import of what lies in it, from outside.
        """
        folder, _, name = path.rpartition("/")
        if name == "__init__.py":
            found = self._of_package(folder)
        else:
            found = self._of_module(path.removesuffix(".py").split("/"))
        for one in found:
            if one.path != path and not (name == "__init__.py" and one.path.startswith(f"{folder}/")):
                yield Importer(one.path, one.line, one.indented)

    def _of_module(self, parts: list[str]) -> Iterator[_Statement]:
        stem = parts[-1].encode("utf-8", "surrogateescape")
        for dotted in self._dotted(parts):
            yield from self._all().get(dotted, ())
            above = dotted[: -len(stem) - 1]
            for one in self._all().get(above, ()) if above else ():
                if (
                    one.names
                    and stem in one.names
                    and stem in _WORD.findall(_ASIDE_OF_NAMES.sub(b"", one.names))
                ):
                    yield one

    def _of_package(self, folder: str) -> Iterator[_Statement]:
        for dotted in self._dotted(folder.split("/")):
            below = dotted + b"."
            for module, statements in self._all().items():
                if module == dotted or module.startswith(below):
                    yield from statements
        yield from self._of_module(folder.split("/"))

    def _dotted(self, parts: list[str]) -> Iterator[bytes]:
        """What imports may call a module of these path parts: a source folder above it is no part of that."""
        for start in range(len(parts)):
            above = "/".join(parts[:start])
            if not above or not self.is_package(above):
                yield ".".join(parts[start:]).encode("utf-8", "surrogateescape")

    def _head(self, path: str) -> str:
        """The imports at the left margin of a module, each from its first line."""
        data = self._read(path) or b""
        cut = (text for _, text in _cut(data, [m.start() for m in _IMPORT.finditer(data)]))
        return b"\n".join(text for text in cut if text[:1] not in (b" ", b"\t")).decode("utf-8", "replace")

    def _all(self) -> dict[bytes, list[_Statement]]:
        if self._by_module is None:
            self._by_module = {}
            self._by_module = self._collected()
        return self._by_module

    def _collected(self) -> dict[bytes, list[_Statement]]:
        import ahocorasick_rs  # noqa: PLC0415 - the scan has it loaded, a reader of this module need not

        searcher = ahocorasick_rs.BytesAhoCorasick([b"import"])
        found: dict[bytes, list[_Statement]] = {}
        ours, absolute = self._tops(), dict[bytes, tuple[tuple[bytes, bytes], ...]]()
        left = _MOST_BYTES
        for path in self._inventory.paths:
            if not path.endswith(".py") or is_aside(path):
                continue
            data = self._read(path)
            if data is None or len(data) > _LONGEST_FILE:
                continue
            left -= len(data)
            if len(self._paths) >= _MOST_FILES or left < 0:
                return {}
            self._paths.append(path)
            hits = [at for _, at, _ in searcher.find_matches_as_indexes(data)]
            folder = path.split("/")[:-1]
            line, counted = 1, 0
            for start, text in _cut(data, hits):
                indented = text[:1] in (b" ", b"\t")
                # Most are of other projects, and most of the rest are written in many files.
                plain = text.strip()
                meant = absolute.get(plain)
                if meant is None:
                    meant = tuple(m for m in _modules(text, folder) if m[0].partition(b".")[0] in ours)
                    if _RELATIVE.match(plain) is None:
                        absolute[plain] = meant
                if not meant:
                    continue
                line += data.count(b"\n", counted, start)
                counted = start
                for module, names in meant:
                    found.setdefault(module, []).append(_Statement(path, line, indented, names))
        self.is_complete = self._inventory.is_complete
        return found

    def _tops(self) -> frozenset[bytes]:
        """What the dotted names of the project's modules begin with."""
        modules = [path[: -len(".py")] for path in self._inventory.paths if path.endswith(".py")]
        folders = {path.rpartition("/")[0] for path in modules}
        for folder in tuple(folders):
            folders.update(above[:-1] for above in accumulate(f"{part}/" for part in folder.split("/")))
        loose = {folder for folder in folders if not folder or not self.is_package(folder)} | {""}
        tops = {path.rpartition("/")[2] for path in (*modules, *folders) if path.rpartition("/")[0] in loose}
        return frozenset(top.encode("utf-8", "surrogateescape") for top in tops)


class _Statement(NamedTuple):
    """An import of a module; `names` is what it takes from it, as it is written, empty for all."""

    path: str
    line: int
    indented: bool
    names: bytes


def _cut(data: bytes, hits: list[int]) -> Iterator[tuple[int, bytes]]:
    """(offset of its first line, text) of every import statement. `hits` are the places of the word."""
    done = -1
    for at in hits:
        if at < done:
            continue
        start = data.rfind(b"\n", 0, at) + 1
        text = data[start:at].lstrip()
        if text and not text.startswith(b"from"):
            continue
        done = data.find(b"\n", at)
        done = len(data) if done < 0 else done
        if text and b"(" in data[at:done] and b")" not in data[at:done]:
            close = data.find(b")", at, at + _LONGEST)
            done = close + 1 if close >= 0 else done
        elif data[at:done].rstrip().endswith(b"\\"):
            more = data.find(b"\n", done + 1)
            done = more if more >= 0 else done
        yield start, data[start:done]


def _modules(text: bytes, folder: list[str]) -> Iterator[tuple[bytes, bytes]]:
    """(dotted module, names taken from it) of one statement in a file of a folder."""
    words = text.split(None, 2)
    if words[0] == b"import":
        plain = text.partition(b"#")[0].strip()[len(b"import") :]
        for name in plain.split(b","):
            first = name.split(None, 1)[:1]
            parts = first[0].split(b".") if first else []
            yield from ((b".".join(parts[:count]), b"") for count in range(1, len(parts) + 1))
    elif words[0] == b"from" and len(words) == 3 and words[2].startswith(b"import"):
        module = words[1]
        if module.startswith(b"."):
            plain = module.lstrip(b".")
            above = folder[: len(folder) - (len(module) - len(plain) - 1)]
            start = ".".join(above).encode("utf-8", "surrogateescape")
            module = b".".join(filter(None, (start, plain)))
        yield module, words[2][len(b"import") :]
