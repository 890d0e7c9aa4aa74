"""CMake text → commands with their arguments and places. Comments are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan.shell_lexer import Places

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMAND = re.compile(r"([A-Za-z_]\w*)[ \t]*\(")
_LINE_COMMENT = re.compile(r"#[^\n]*")
_BRACKET = re.compile(r"\[(=*)\[")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"?', re.DOTALL)
_UNQUOTED = re.compile(r"(?:[^\s()#\"\\]|\\.|\"(?:[^\"\\]|\\.)*\"|(?<=\$)\([^)\s]*\))+", re.DOTALL)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument, without its quotes or brackets; 1-based place of its first character."""

    text: str
    line: int
    column: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command invocation. `name` is lower case, as CMake compares it; `written` is as in the file."""

    name: str
    written: str
    arguments: tuple[Argument, ...]
    line: int
    column: int
    end_line: int

    @property
    def words(self) -> list[str]:
        """The texts of the arguments."""
        return [a.text for a in self.arguments]


def commands(text: str) -> Iterator[Command]:
    """Every command of a file, in order. A broken one ends where the file ends."""
    places = Places(text, 1, 1)
    position = 0
    while position < len(text):
        char = text[position]
        if char == "#":
            position = _comment_end(text, position)
        elif char.isalpha() or char == "_":
            found = _COMMAND.match(text, position)
            if found is None:
                word = re.compile(r"\w+").match(text, position)
                position = word.end() if word else position + 1
                continue
            arguments, position = _arguments(text, found.end(), places)
            line, column = places.of(found.start())
            end_line, _ = places.of(max(position - 1, found.start()))
            yield Command(found[1].lower(), found[1], tuple(arguments), line, column, end_line)
        else:
            position += 1


def _comment_end(text: str, position: int) -> int:
    bracket = _BRACKET.match(text, position + 1)
    if bracket:
        stop = text.find(f"]{bracket[1]}]", bracket.end())
        return len(text) if stop < 0 else stop + len(bracket[1]) + 2
    line = _LINE_COMMENT.match(text, position)
    return line.end() if line else len(text)


def _arguments(text: str, position: int, places: Places) -> tuple[list[Argument], int]:
    """Arguments up to the closing parenthesis, and the offset behind it."""
    found: list[Argument] = []
    depth = 1
    while position < len(text):
        char = text[position]
        if space := _SPACE.match(text, position):
            position = space.end()
        elif char == "#":
            position = _comment_end(text, position)
        elif char in "()":
            depth += 1 if char == "(" else -1
            position += 1
            if depth == 0:
                return found, position
            found.append(Argument(char, *places.of(position - 1)))
        elif bracket := _BRACKET.match(text, position):
            stop = text.find(f"]{bracket[1]}]", bracket.end())
            stop = len(text) if stop < 0 else stop
            found.append(Argument(text[bracket.end() : stop], *places.of(bracket.end()), quoted=True))
            position = stop + len(bracket[1]) + 2
        elif char == '"':
            quoted = _QUOTED.match(text, position)
            assert quoted is not None  # noqa: S101 - it begins with the quote just seen
            found.append(Argument(quoted[1], *places.of(quoted.start(1)), quoted=True))
            position = quoted.end()
        elif plain := _UNQUOTED.match(text, position):
            found.append(Argument(plain.group(), *places.of(position)))
            position = plain.end()
        else:
            position += 1
    return found, len(text)
