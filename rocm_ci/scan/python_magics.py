"""The lines of a notebook that are no Python (`!cmd`, `%pip install …`, `%%bash`) as the calls they mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.requirement_lines import requirement
from rocm_ci.scan.source import Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.scan.python_notebook import Piece

Line = tuple[str, tuple[int, ...]]  # the text, and the column in the file of each of its characters

_SHELL = re.compile(
    r"^(?P<before>[ \t]*(?:[\w, \t]+=[ \t]*)?)(?:!{1,2}|%(?:sx|system|sc)[ \t])[ \t]*(?P<command>.*)$"
)
_INSTALL = re.compile(r"^(?P<before>[ \t]*)%(?P<command>(?:pip|conda|mamba|uv)[ \t].*)$")
_ENVIRONMENT = re.compile(r"^(?P<before>[ \t]*)%(?:set_)?env[ \t]+(?P<name>\w+)[ \t=]+(?P<value>.+)$")
_MAGIC = re.compile(r"^(?P<before>[ \t]*)%(?!%)|^[ \t]*\?|\?[ \t]*$")
_CELL = re.compile(r"^[ \t]*%%(?P<name>[\w!]+)")
_SHELLS = frozenset({"bash", "sh", "shell", "script", "!", "system", "sx"})
_DEVICE = frozenset({"cu", "cuda", "cuda_group_save", "gpu", "nvcc", "hip"})
_PYTHON = frozenset(
    {"time", "timeit", "capture", "prun", "memit", "mprun", "python", "python3", "memray_flamegraph"}
)
_INSTALLS = re.compile(r"(?:sudo )?(?:python3? -m )?(?:uv )?(?:pip3?|conda|mamba) install\b")
_WORD = re.compile(r"[^\s&|;]+")
_WITH_VALUE = frozenset(
    {"-r", "-c", "-i", "-f", "-t", "-n", "--index-url", "--extra-index-url", "--find-links"}
)
_FLOW = re.compile(r"^\s*(if|for|while|case|until|function)\b|\(\)\s*\{|command -v|\bwhich\b|&&|\|\|")


def as_python(pieces: Sequence[Piece]) -> Iterator[Line]:
    """One line of Python for each line of a cell."""
    first = next((p for p in pieces if p.text.strip()), None)
    magic = _CELL.match(first.text) if first is not None else None
    if magic is None or magic["name"] in _PYTHON:
        continued = False
        for piece in pieces:
            plain = piece is first and magic is not None
            yield ("", ()) if plain else (piece.text, piece.columns) if continued else _line(piece)
            continued = piece.text.rstrip().endswith(("\\", "(", ","))
        return
    if magic["name"] in _SHELLS and not any(_FLOW.search(p.text) for p in pieces):
        for piece in pieces:
            skipped = piece is first or not piece.text.strip() or piece.text.lstrip().startswith("#")
            yield ("", ()) if skipped else _called(piece, "", piece.text, 0)
        return
    if magic["name"] in _DEVICE:
        yield from _device(pieces, first)
        return
    for _ in pieces:
        yield "", ()


def requirements(region: Region) -> Iterator[Region]:
    """What a `pip install` or `conda install` among the commands of a notebook asks for."""
    install = _INSTALLS.match(region.text)
    if region.kind is not RegionKind.STRING or install is None or "call:os.system" not in region.context:
        return
    skip = False
    for word in _WORD.finditer(region.text, install.end()):
        text = word.group().strip("'\"")
        if skip or text.startswith("-"):
            skip = not skip and text in _WITH_VALUE
            continue
        column = region.column + word.start() + (1 if text != word.group() else 0)
        yield requirement(text, region.line, column, region.guard, ())


def _line(piece: Piece) -> Line:
    text = piece.text
    shell = _SHELL.match(text) or _INSTALL.match(text)
    if shell is not None:
        return _called(piece, shell["before"], shell["command"], shell.start("command"))
    setting = _ENVIRONMENT.match(text)
    if setting is not None and "'" not in text:
        new = f"{setting['before']}import os; os.environ['{setting['name']}'] = r'{setting['value'].strip()}'"
        return new, _spread(piece, new, setting["value"], setting.start("value"))
    magic = _MAGIC.search(text)
    if magic is not None and not text.lstrip().startswith("#"):
        indent = text[: len(text) - len(text.lstrip())]
        return f"{indent}pass", ()
    return text, piece.columns


def _called(piece: Piece, before: str, command: str, start: int) -> Line:
    """`os.system` of a command, at the indentation and with the assignment of the line."""
    quote = next((q for q in ("'''", '"""') if q not in command and not command.endswith(q[0])), None)
    if quote is None or command.endswith("\\"):
        return f"{before}None", ()
    new = f"{before}os.system(r{quote}{command}{quote})"
    return new, _spread(piece, new, command, start)


def _spread(piece: Piece, new: str, part: str, start: int) -> tuple[int, ...]:
    """The columns of a new line in which `part` of the old one, from `start` on, stands again."""
    at = new.index(part)
    columns = piece.columns[start : start + len(part)]
    first = piece.columns[0] if piece.columns else 1
    return (first,) * at + columns + (columns[-1] if columns else first,) * (len(new) - at - len(part))


def _device(pieces: Sequence[Piece], first: Piece | None) -> Iterator[Line]:
    """A cell of device source, as one string over the same lines."""
    last = pieces[-1]
    for piece in pieces:
        text = "" if "'''" in piece.text else piece.text
        if piece is first:
            text = "DEVICE = r'''"
        yield (text + "'''" if piece is last else text), piece.columns
