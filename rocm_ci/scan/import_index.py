"""The import statements of the Python modules of a tree, read once, and which modules they mean."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
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
_TEST = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")
_STATEMENT = re.compile(
    r"(?:from[ \t]+(?P<start>[.\w]+)[ \t]+import[ \t]*\(?(?P<names>[^)#]*)|import[ \t]+(?P<modules>[^#;]+))"
)
_NAME = re.compile(r"([.\w]+)(?:\s+as\s+\w+)?")
_MOST_FILES = 20_000
_MOST_BYTES = 150_000_000
_LONGEST = 4_000  # bytes of one statement
_LONGEST_FILE = 2_000_000


class Statement(NamedTuple):
    """One import: `start` is the module of `from`, else empty."""

    line: int
    indented: bool
    start: str
    names: tuple[str, ...]


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
        self._statements: _Statements | None = None
        self.is_complete = False

    def is_package(self, folder: str) -> bool:
        """Whether a folder is a Python package."""
        return "__init__.py" in self._inventory.names(folder)

    def modules(self, folder: str) -> int:
        """How many modules a folder holds."""
        return sum(name.endswith(".py") for name in self._inventory.names(folder))

    def says(self, texts: Sequence[bytes]) -> bool:
        """Whether some module holds one of these texts."""
        import ahocorasick_rs  # noqa: PLC0415 - see below

        searcher = ahocorasick_rs.BytesAhoCorasick(list(texts))
        paths = self._all().paths
        return any(searcher.find_matches_as_indexes(self._read(path) or b"") for path in paths)

    def head(self, path: str) -> str:
        """The imports at the left margin of a module, one to a line."""
        pieces = map(_statement, self._all().of(path).split(b"\0"))
        return "\n".join(_written(one) for one in pieces if one is not None and not one.indented)

    def importers(self, path: str) -> Iterator[Importer]:
        """Where a module is imported, one after the other: few callers need all.

        A package is imported by every import of what lies in it, from outside.
        """
        folder, _, name = path.rpartition("/")
        package = name == "__init__.py"
        parts = (folder if package else path.removesuffix(".py")).split("/")
        stem = _bytes(parts[-1])
        above = _bytes(parts[-2]) if len(parts) > 1 else b""
        for other, piece in self._holding(stem):
            if (above not in piece and b"from ." not in piece) or other == path:
                continue
            one = _statement(piece) if not (package and other.startswith(f"{folder}/")) else None
            if one is not None and any(
                self._means(full, parts, package=package) for full in _targets(other, one)
            ):
                yield Importer(other, one.line, one.indented)

    def _holding(self, word: bytes) -> Iterator[tuple[str, bytes]]:
        """(module, statement) of the statements that hold some bytes."""
        text, at = self._all().text, -1
        while (at := text.find(word, at + 1)) >= 0:
            start = text.rfind(b"\0", 0, at) + 1
            end = text.find(b"\0", at)
            yield self._all().path_at(start), text[start:end]
            at = end

    def _means(self, full: tuple[str, ...], parts: list[str], *, package: bool) -> bool:
        """Whether a dotted name, in parts, is the module of these path parts or (package) lies in it."""
        for start in range(len(parts)):
            mine = tuple(parts[start:])
            if (full[: len(mine)] == mine) if package else (full == mine):
                above = "/".join(parts[:start])
                return not above or not self.is_package(above)
        return False

    def _all(self) -> _Statements:
        if self._statements is None:
            self._statements = _Statements()
            self._statements = self._collected()
        return self._statements

    def _collected(self) -> _Statements:
        import ahocorasick_rs  # noqa: PLC0415 - the scan has it loaded, a reader of this module need not

        searcher = ahocorasick_rs.BytesAhoCorasick([b"import"])
        paths: list[str] = []
        pieces: list[bytes] = []
        left = _MOST_BYTES
        for path in self._inventory.paths:
            if not path.endswith(".py") or is_aside(path):
                continue
            data = self._read(path)
            if data is None or len(data) > _LONGEST_FILE:
                continue
            left -= len(data)
            if len(paths) >= _MOST_FILES or left < 0:
                return _Statements()
            paths.append(path)
            pieces.append(b"".join(_cut(data, [at for _, at, _ in searcher.find_matches_as_indexes(data)])))
        self.is_complete = self._inventory.is_complete
        return _Statements(paths, pieces)


class _Statements:
    """The statements of all modules, one text: a search in it is quicker than one in thousands."""

    def __init__(self, paths: Sequence[str] = (), pieces: Sequence[bytes] = ()) -> None:
        self.paths = paths
        self.text = b"".join(pieces)
        self._starts = [0, *accumulate(map(len, pieces))]
        self._at = {path: number for number, path in enumerate(paths)}

    def of(self, path: str) -> bytes:
        """The statements of one module."""
        number = self._at.get(path)
        return b"" if number is None else self.text[self._starts[number] : self._starts[number + 1]]

    def path_at(self, offset: int) -> str:
        """The module that the statement at an offset stands in."""
        return self.paths[bisect_right(self._starts, offset) - 1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _cut(data: bytes, hits: list[int]) -> Iterator[bytes]:
    """Every import statement, its line number before it: `12:    from x import (y, z)`, then a NUL."""
    done, line, counted = -1, 1, 0
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
            done = close if close >= 0 else done
        elif data[at:done].rstrip().endswith(b"\\"):
            more = data.find(b"\n", done + 1)
            done = more if more >= 0 else done
        line += data.count(b"\n", counted, start)
        counted = start
        yield b"%d:%b\0" % (line, data[start:done])


@lru_cache(maxsize=50_000)
def _statement(piece: bytes) -> Statement | None:
    number, _, written = piece.decode("utf-8", "replace").partition(":")
    plain = re.sub(r"#[^\n]*", "", written).replace("\\\n", " ")
    found = _STATEMENT.match(plain.lstrip())
    if found is None or not number.isdigit():
        return None
    names = _NAME.findall(found["names"] if found["start"] else found["modules"])
    return Statement(int(number), written[:1] in (" ", "\t"), found["start"] or "", tuple(names))


def _written(one: Statement) -> str:
    names = ", ".join(one.names)
    return f"from {one.start} import {names}" if one.start else f"import {names}"


def _targets(path: str, one: Statement) -> Iterator[tuple[str, ...]]:
    """The dotted names, in parts, that a statement may import as modules, seen from a file."""
    if not one.start:
        for name in one.names:
            parts = tuple(name.split("."))
            yield from (parts[:count] for count in range(1, len(parts) + 1))
        return
    dotted = one.start.lstrip(".")
    level = len(one.start) - len(dotted)
    start = tuple(dotted.split(".")) if dotted else ()
    if level:
        folders = path.split("/")[:-1]
        start = (*folders[: len(folders) - (level - 1)], *start)
    yield start
    yield from ((*start, name) for name in one.names)
