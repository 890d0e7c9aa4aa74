"""Under which guard a module imports another one, told from the statement around the import alone."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from rocm_ci.scan.files import decode
from rocm_ci.scan.languages.python import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocm_ci.scan.import_index import Importer, ImportIndex

_DEFINITION = re.compile(r"(?:async[ \t]+def|def|class)\b|@")
_FUNCTION = re.compile(r"([ \t]*)(?:async[ \t]+)?def[ \t]+\w")
_STARTS = re.compile(r"(?![#)\]}]|(?:else|elif|except|finally)\b)\S")
_TELLS = re.compile(r"[A-Za-z_]\w*[ \t]*(?::[^=\n]+)?=[^\n]*(?i:cuda|rocm|hip|nvidia|platform)")
_LONGEST = 1_500  # lines of a statement


class ImportPlaces:
    """Answers for the indented imports of the modules of one tree."""

    def __init__(self, read: Callable[[str], bytes | None], index: ImportIndex) -> None:
        self._read = read
        self._index = index
        self._memo: dict[str, object] = {}
        self._lines: dict[str, tuple[str, ...]] = {}
        self._guards: dict[tuple[str, int], Guard] = {}

    def is_inside(self, one: Importer) -> bool:
        """Whether something has to be called before the import is made."""
        lines = self._text(one.path)
        return _DEFINITION.match(lines[_start(lines, one.line) - 1]) is not None

    def guard(self, one: Importer) -> Guard:
        """The guard that the import stands under; `NONE` also where it cannot be told."""
        key = one.path, one.line
        if key not in self._guards:
            self._guards[key] = Guard.NONE
            self._guards[key] = self._parsed(one)
        return self._guards[key]

    def _parsed(self, one: Importer) -> Guard:
        lines = self._text(one.path)
        first = _function(lines, one.line) or _start(lines, one.line)
        last = _end(lines, first, one.line)
        if last - first > _LONGEST:
            return Guard.NONE
        head = [self._index.head(one.path), *(line for line in lines if _TELLS.match(line))]
        before = "\n".join(head).split("\n")
        text = "\n".join([*before, textwrap.dedent("\n".join(lines[first - 1 : last]))])
        source = Source(one.path, text, tuple(text.split("\n")), read=self._read, memo=self._memo)
        wanted = one.line - first + 1 + len(before)
        regions = LANGUAGE.parse(source).regions
        guards = {r.guard for r in regions if r.kind is RegionKind.INCLUDE and r.line == wanted}
        return guards.pop() if len(guards) == 1 else Guard.NONE

    def _text(self, path: str) -> tuple[str, ...]:
        if path not in self._lines:
            self._lines[path] = decode(self._read(path) or b"")[1]
        return self._lines[path]


def _start(lines: Sequence[str], line: int) -> int:
    """The first line of the statement at the left margin that a line is part of."""
    while line > 1 and not _STARTS.match(lines[line - 1]):
        line -= 1
    return line


def _function(lines: Sequence[str], line: int) -> int:
    """The `def` line of the outermost function around a line; 0 outside of any."""
    found, least = 0, len(lines[line - 1]) - len(lines[line - 1].lstrip())
    for number in range(line - 1, max(0, line - _LONGEST), -1):
        text = lines[number - 1]
        indent = len(text) - len(text.lstrip())
        if text.strip() and indent < least and _STARTS.match(text.lstrip()):
            least = indent
            if _FUNCTION.match(text):
                found = number
            if indent == 0:
                break
    return found


def _end(lines: Sequence[str], first: int, line: int) -> int:
    """The last line of a statement, behind a line that is part of it."""
    indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    last = line
    while last < len(lines):
        text = lines[last]
        if text.strip() and len(text) - len(text.lstrip()) <= indent and _STARTS.match(text.lstrip()):
            break
        last += 1
    return last
