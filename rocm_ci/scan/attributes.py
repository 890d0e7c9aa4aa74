"""What `.gitattributes` and `.gitmodules` say about whose a file is."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_MARKS = {"linguist-vendored": "vendored", "linguist-generated": "generated"}
_SET = re.compile(r"(?P<off>-|!)?(?P<name>linguist-(?:vendored|generated))(?:=(?P<value>\w+))?")
_MODULE_PATH = re.compile(r"\s*path\s*=\s*(.+?)\s*")
_MOST_LINES = 2_000


class Mark(NamedTuple):
    """One line of a .gitattributes: the files it is about, what it says of them, and of which tree."""

    pattern: re.Pattern[str]
    mark: str  # "vendored" or "generated"
    on: bool
    tree: str  # the folder that the pattern names, with a slash; empty when it names none


def marks(text: str, unheard: Collection[int] = ()) -> list[Mark]:
    """The linguist marks of one .gitattributes, in order. Lines (1-based) that are `unheard` say nothing."""
    if "linguist-" not in text:
        return []
    lines = text.splitlines()[:_MOST_LINES]
    return [mark for n, line in enumerate(lines, 1) if n not in unheard for mark in _of_line(line)]


def _of_line(line: str) -> Iterator[Mark]:
    words = line.split()
    if len(words) < 2 or words[0].startswith("#"):
        return
    pattern = words[0].strip('"')
    for word in words[1:]:
        found = _SET.fullmatch(word)
        if found:
            on = not found["off"] and found["value"] not in ("false", "0")
            yield Mark(_compiled(pattern), _MARKS[found["name"]], on, _tree(pattern))


def _tree(pattern: str) -> str:
    """`third/party/**` → `third/party/`."""
    folders = pattern.lstrip("/").split("/")[:-1]
    plain = []
    for folder in folders:
        if set(folder) & set("*?["):
            break
        plain.append(folder)
    return "".join(f"{folder}/" for folder in plain)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of gitattributes(5) over paths relative to its folder: without a slash it is about names."""
    anchored = "/" in pattern.rstrip("/")
    pieces = []
    # One wildcard after another would make a slow regex of a hostile line; they mean the same once.
    for piece in re.findall(r"\*\*/|/\*\*$|\*+|\?|\[!?[^\]/]+\]|[^*?\[/]+|.", pattern.lstrip("/")[:200]):
        if piece == "**/":
            pieces.append("(?:.*/)?")
        elif piece == "/**":
            pieces.append("/.*")
        elif piece[0] == "*":
            pieces.append("[^/]*")
        elif piece == "?":
            pieces.append("[^/]")
        elif piece[0] == "[" and len(piece) > 1:
            pieces.append("[" + piece[1:-1].replace("\\", "\\\\").replace("!", "^", 1) + "]")
        else:
            pieces.append(re.escape(piece))
    try:
        return re.compile(("" if anchored else "(?:.*/)?") + "".join(pieces))
    except re.error:
        return re.compile("(?!)")


def submodules(text: str, unheard: Collection[int] = ()) -> tuple[str, ...]:
    """The folders of the submodules that a .gitmodules lists."""
    found = (
        _MODULE_PATH.fullmatch(line)
        for n, line in enumerate(text.splitlines()[:_MOST_LINES], 1)
        if n not in unheard
    )
    return tuple(f"{one[1].strip('/')}/" for one in found if one and one[1].strip("/."))
