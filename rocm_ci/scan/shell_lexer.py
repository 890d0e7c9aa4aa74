"""Shell text → tokens with their places. Comments and here-documents are left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANK = re.compile(r"(?:[ \t\r]|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_REDIRECTION = re.compile(r"\d*(?:<<<|<<-?|<>|>>|>\||>&|<&|&>>|&>|<|>)")
_OPERATOR = re.compile(r";;&|;;|;&|&&|\|\||\|&|[;&|()\n]")
_PLAIN = re.compile(r"[^\s;&|()<>\\'\"`$]+")
_SINGLE = re.compile(r"'[^']*'?")
_ENDS_WORD = frozenset(" \t\r\n;&|()<>")
_MOST_NESTING = 40


@dataclass(frozen=True, slots=True)
class Token:
    """A word, an operator (also the newline) or a redirection; `start` and `end` are offsets in the text.

    `inner` are the (start, end) of the command substitutions inside a word.
    """

    kind: str  # "word", "op", "redirect"
    text: str
    start: int
    end: int
    inner: tuple[tuple[int, int], ...] = ()


class Places:
    """Offsets of a text → lines and columns of the file that it is a part of."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self._line = line
        self._column = column
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def of(self, offset: int) -> tuple[int, int]:
        """1-based (line, column)."""
        row = bisect_right(self._starts, offset) - 1
        column = offset - self._starts[row] + (self._column if row == 0 else 1)
        return self._line + row, column


def unquoted(word: str) -> str:
    """A word without its quotes: enough to compare it with a name."""
    return word.replace('"', "").replace("'", "")


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of a stretch of shell text. Unclosed quotes end at its end."""
    end = len(text) if end is None else end
    position = start
    here_documents: list[tuple[str, bool]] = []
    wanted: list[bool] = []  # a `<<` waits for its delimiter
    while position < end:
        if blank := _BLANK.match(text, position, end):
            position = blank.end()
        elif text[position] == "#":
            comment = _COMMENT.match(text, position, end)
            position = comment.end() if comment else end
        elif redirection := _REDIRECTION.match(text, position, end):
            position = redirection.end()
            if redirection.group().lstrip("0123456789") in ("<<", "<<-"):
                wanted.append(redirection.group().endswith("-"))
            yield Token("redirect", redirection.group(), redirection.start(), position)
        elif operator := _OPERATOR.match(text, position, end):
            position = operator.end()
            yield Token("op", operator.group(), operator.start(), position)
            if operator.group() == "\n" and here_documents:
                position = _after_documents(text, position, end, here_documents)
                here_documents = []
        else:
            word = _Word(text, end)
            stop = word.read(position)
            token = Token("word", text[position:stop], position, stop, tuple(word.inner))
            position = stop
            if wanted:
                here_documents.append((unquoted(token.text).replace("\\", ""), wanted.pop()))
            yield token


def _after_documents(text: str, position: int, end: int, documents: list[tuple[str, bool]]) -> int:
    for delimiter, _ in documents:
        while position < end:
            stop = text.find("\n", position, end)
            stop = end if stop < 0 else stop
            line = text[position:stop]
            position = min(stop + 1, end)
            if line.strip() == delimiter:
                break
    return position


class _Word:
    """Finds the end of one word, and the command substitutions in it."""

    def __init__(self, text: str, end: int) -> None:
        self.inner: list[tuple[int, int]] = []
        self._text = text
        self._end = end
        self._depth = 0

    def read(self, first: int) -> int:
        """The offset behind the word that begins at `first`."""
        position = first
        while position < self._end:
            char = self._text[position]
            if char == "(" and position > first and self._text[position - 1] in "=@?*+!":
                position = self._closing(position + 1, "()")  # an array, an extended glob
            elif char in _ENDS_WORD:
                break
            else:
                position = self._part(position)
        return max(position, first + 1)

    def _part(self, position: int) -> int:
        """The end of one quoted or plain part."""
        text, end = self._text, self._end
        if plain := _PLAIN.match(text, position, end):
            return plain.end()
        char = text[position]
        if char == "\\":
            return min(position + 2, end)
        if char == "'":
            single = _SINGLE.match(text, position, end)
            return single.end() if single else end
        if char == '"':
            return self._double(position + 1)
        if char == "`":
            stop = text.find("`", position + 1, end)
            stop = end if stop < 0 else stop
            self.inner.append((position + 1, stop))
            return min(stop + 1, end)
        return self._dollar(position)

    def _dollar(self, position: int) -> int:
        text = self._text
        if self._depth > _MOST_NESTING:
            return self._end
        self._depth += 1
        if text.startswith("$((", position):
            stop = self._closing(position + 2, "()")
        elif text.startswith("$(", position):
            # What stands inside is read on its own later, with its own substitutions.
            found = len(self.inner)
            stop = self._closing(position + 2, "()")
            self.inner[found:] = [(position + 2, max(stop - 1, position + 2))]
        elif text.startswith("${", position):
            stop = self._closing(position + 2, "{}")
        else:
            stop = position + 1
        self._depth -= 1
        return stop

    def _double(self, position: int) -> int:
        while position < self._end:
            char = self._text[position]
            if char == '"':
                return position + 1
            if char == "\\":
                position += 2
            elif char in "$`":
                position = self._part(position)
            else:
                position += 1
        return self._end

    def _closing(self, position: int, brackets: str) -> int:
        """The end of a bracket whose inside begins at `position`."""
        text, end = self._text, self._end
        level = 1
        while position < end:
            char = text[position]
            if char in brackets:
                level += 1 if char == brackets[0] else -1
                position += 1
                if level == 0:
                    return position
            elif char in "\\'\"`$":
                position = self._part(position)
            elif char == "#" and brackets == "()" and text[position - 1] in " \t\n":
                comment = _COMMENT.match(text, position, end)
                position = comment.end() if comment else end
            else:
                position += 1
        return end
