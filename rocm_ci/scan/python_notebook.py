"""A Jupyter notebook as the Python module that its code cells are, each line where the file has it.

Notebooks are written with one line of source to a line of the file, so the module gets that line at the
same number; `columns` leads from a place in the module back to the file. Cells whose source is one
string lie on one line of the file, and all their regions are told there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rocm_ci.scan.python_magics import as_python

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.source import Region

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\]:,]|\n|[^\s"{}\[\]:,]+')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}
_LANGUAGES = frozenset({"python", "ipython", "python3", "sage", ""})


@dataclass(frozen=True, slots=True)
class Piece:
    """One line of source: its text, and the 1-based column in the file of each character."""

    text: str
    line: int
    columns: tuple[int, ...]


@dataclass(slots=True)
class Cell:
    """One code cell; `pieces` are its lines. `scattered`: every line has a line of the file to itself."""

    pieces: list[Piece]

    @property
    def scattered(self) -> bool:
        """Whether no two lines of the cell share a line of the file."""
        return len({p.line for p in self.pieces}) == len(self.pieces)


@dataclass(slots=True)
class _Object:
    """A JSON object or list that is being read."""

    is_list: bool
    name: str  # the key under which it stands
    key: str = ""
    expects_key: bool = True
    kind: str = ""
    strings: list[tuple[str, int, int]] = field(default_factory=list)  # content, line, column


def cells(text: str) -> tuple[list[Cell], str]:
    """The code cells of a notebook in order, and the language of its kernel. Of broken JSON, its parts."""
    found: list[Cell] = []
    language = ""
    for closed, inside in _objects(text):
        if closed.name in ("kernelspec", "language_info") and closed.kind:
            language = language or closed.kind.lower()
        if inside == "cells" and closed.kind == "code" and closed.strings:
            found.append(Cell(_lines(closed.strings)))
    return found, language


def is_python(language: str) -> bool:
    """Whether the kernel of a notebook speaks Python, as far as it says."""
    return language in _LANGUAGES or language.startswith("python")


def module(found: list[Cell], count: int) -> tuple[str, dict[int, tuple[int, ...]]]:
    """The cells as one text of `count` lines, and the columns of each line."""
    lines = [""] * count
    columns: dict[int, tuple[int, ...]] = {}
    for cell in found:
        for piece, (text, places) in _of(cell):
            lines[piece.line - 1] = text
            columns[piece.line] = places
    return "\n".join(lines), columns


def alone(cell: Cell) -> tuple[str, list[tuple[int, tuple[int, ...]]]]:
    """One cell as a text of its own, and (line of the file, columns) of each of its lines."""
    lines = [(text, piece.line, columns) for piece, (text, columns) in _of(cell)]
    return "\n".join(text for text, _, _ in lines), [(line, columns) for _, line, columns in lines]


def placed(region: Region, line: int, columns: tuple[int, ...]) -> Region:
    """A region of the module at its place in the file."""
    at = columns[min(region.column - 1, len(columns) - 1)] if columns else 1
    return replace(region, line=line, column=at)


def _of(cell: Cell) -> Iterator[tuple[Piece, tuple[str, tuple[int, ...]]]]:
    return zip(cell.pieces, as_python(cell.pieces), strict=True)


def _objects(text: str) -> Iterator[tuple[_Object, str]]:
    """Every JSON object once it is closed, with the key of the list that holds it."""
    stack: list[_Object] = []
    line, start = 1, 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        top = stack[-1] if stack else None
        if word == "\n":
            line, start = line + 1, token.end()
        elif word in "{[":
            name = top.key if top is not None and not top.is_list else ""
            stack.append(_Object(word == "[", name))
        elif word in "}]" and top is not None:
            stack.pop()
            outer = stack[-1] if stack else None
            if outer is not None and top.is_list and top.name == "source" and not outer.is_list:
                outer.strings = top.strings
            elif not top.is_list:
                yield top, outer.name if outer is not None and outer.is_list else ""
        elif top is not None and word == ":":
            top.expects_key = False
        elif top is not None and word == ",":
            top.expects_key = True
        elif top is not None and word[0] == '"':
            _string(top, word[1:-1], line, token.start() - start + 2)


def _string(top: _Object, content: str, line: int, column: int) -> None:
    if top.is_list:
        if top.name == "source":
            top.strings.append((content, line, column))
    elif top.expects_key:
        top.key = content
    elif top.key == "source":
        top.strings = [(content, line, column)]
    elif top.key == "cell_type" or (
        top.key == ("language" if top.name == "kernelspec" else "name") and top.name
    ):
        top.kind = content


def _lines(strings: list[tuple[str, int, int]]) -> list[Piece]:
    """The lines of source in some JSON strings, escapes resolved."""
    pieces: list[Piece] = []
    for content, line, column in strings:
        characters: list[str] = []
        places: list[int] = []
        at = 0
        for escape in _ESCAPE.finditer(content):
            characters += content[at : escape.start()]
            places += range(column + at, column + escape.start())
            value = _unescaped(escape.group())
            characters += value
            places += [column + escape.start()] * len(value)
            at = escape.end()
        characters += content[at:]
        places += range(column + at, column + len(content))
        pieces += _split("".join(characters), places, line)
    return pieces


def _split(text: str, places: list[int], line: int) -> Iterator[Piece]:
    at = 0
    parts = text.split("\n")
    for number, part in enumerate(parts):
        if part or number < len(parts) - 1:
            yield Piece(part, line, tuple(places[at : at + len(part)]))
        at += len(part) + 1


def _unescaped(escape: str) -> str:
    if escape[1] == "u":
        code = int(escape.removeprefix("\\u"), base=16)
        return "?" if 0xD800 <= code <= 0xDFFF else chr(code)
    return _PLAIN.get(escape[1], escape[1])
