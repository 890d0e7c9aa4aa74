"""What a shell command starts: enough of bash's grammar to find a program and where its words stand."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    r"(?P<space>[ \t]+|\\\n)|(?P<comment>(?<![^\s;&|()])#[^\n]*)"
    r"|(?P<operator>&&|\|\||[;&|()\n]|\d*[<>]+&?\d*-?)"
    r"|(?P<word>(?:\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|[^\s;&|()<>'\"\\])+)|(?P<odd>.)",
    re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True, slots=True)
class Word:
    """One word without its quotes, and where it ends in the command."""

    text: str
    start: int
    end: int

    @property
    def base(self) -> str:
        """The last part of a path."""
        return PurePosixPath(self.text).name


@dataclass(slots=True)
class Simple:
    """One simple command: its words after the assignments, and the folder a `cd` before it chose."""

    words: list[Word] = field(default_factory=list)
    assignments: list[Word] = field(default_factory=list)
    folder: str = ""

    def find(self, wanted: Callable[[Word], bool]) -> Word | None:
        """The first word that fits."""
        return next((word for word in self.words if wanted(word)), None)

    def option(self, *names: str) -> str | None:
        """The value of `--name=VALUE` or `--name VALUE`; the last one, as most tools see it."""
        value = None
        for index, word in enumerate(self.words):
            for name in names:
                if word.text.startswith(f"{name}="):
                    value = word.text[len(name) + 1 :]
                elif word.text == name and index + 1 < len(self.words):
                    value = self.words[index + 1].text
        return value


def simple_commands(command: str) -> tuple[Simple, ...]:
    """The simple commands in order. What cannot be understood is passed over, never an error."""
    found, current, folder = [], Simple(), ""
    for match in _TOKEN.finditer(command):
        if match.lastgroup == "operator" and not re.search(r"[<>]", match.group()):
            folder = _after(current, folder)
            if current.words:
                found.append(current)
            current = Simple(folder=folder)
        elif match.lastgroup == "word":
            word = Word(_unquoted(match.group()), match.start(), match.end())
            is_first = not current.words
            (current.assignments if is_first and _ASSIGNMENT.match(word.text) else current.words).append(word)
    if current.words:
        found.append(current)
    return tuple(found)


def insert(command: str, word: Word, text: str) -> str:
    """The command with `text` as further words right after `word`."""
    return f"{command[: word.end]} {text}{command[word.end :]}"


def joined(words: list[str]) -> str:
    """Words as one line that can be pasted into a shell."""
    return " ".join(shlex.quote(word) for word in words)


def _after(simple: Simple, folder: str) -> str:
    """The folder after a simple command: only a plain `cd DIR` changes it."""
    if len(simple.words) == 2 and simple.words[0].text == "cd" and "$" not in simple.words[1].text:
        return str(PurePosixPath(folder) / simple.words[1].text)
    return folder


def _unquoted(raw: str) -> str:
    try:
        return "".join(shlex.split(raw)) if re.search(r"[\\'\"]", raw) else raw
    except ValueError:
        return raw
