"""Which lines matter because they name what was given a value that matters, wherever it is then used.

`self.cc = torch.cuda.get_device_capability()` in one function makes `self.cc >= (8, 9)` in another one a
place to look at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.literal_search import lines_naming, lines_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TARGETS = re.compile(r"[ \t]*\(?([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)\)?[ \t]*(?::[^=\n]+)?=(?!=)")
_NAMED = re.compile(r"(\w+)[ \t]*:=")
_OPEN_END = re.compile(r"(?:[(\[{,=\\]|\b(?:and|or|not|if|else))[ \t]*(?:#.*)?\Z")
# Modules whose names stand for a value that is followed, under whatever name they are imported.
_IMPORTED = re.compile(
    r"^[ \t]*from[ \t]+(?:torch\.(?:version|cuda|utils\.cpp_extension)|triton\.language\.extra|jax"
    r"|tensorflow\.sysconfig)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#]*))",
    re.MULTILINE,
)
_MODULES = (
    "torch.version",
    "torch.cuda",
    "cpp_extension",
    "language.extra",
    "from jax ",
    "tensorflow.sysconfig",
)
_LAST_WORD = re.compile(r"(\w+)[ \t]*(?:#[^\n]*)?(?:,|$)", re.MULTILINE)
_MOST = 40  # names that carry a value
_MOST_LINES = 8  # of one statement that are looked back for its beginning


def with_carriers(
    text: str, lines: Sequence[str], hits: Sequence[int], sign: re.Pattern[str]
) -> tuple[int, ...] | None:
    """The sorted lines `hits` and those that name a carrier of what `sign` matches; None for too many."""
    names: set[str] = set()
    where: Iterable[int] = lines_with(sign, text)
    found = {*hits, *where}
    for _ in range(2):  # what is given to one name may be given on to another
        fresh = {name for line in where for name in _given(lines, line)} - names
        if not fresh:
            break
        names |= fresh
        if len(names) > _MOST:
            return None
        where = lines_naming(fresh, text)
        found |= set(where)
    return tuple(sorted(found))


def with_imported(text: str, hits: Sequence[int]) -> tuple[int, ...]:
    """The sorted lines `hits` and those that name what is imported from a module of such values."""
    if not any(module in text for module in _MODULES):
        return tuple(hits)
    names = {
        name for found in _IMPORTED.finditer(text) for name in _LAST_WORD.findall(found[1] or found[2] or "")
    }
    return tuple(sorted({*hits, *lines_naming(names, text)})) if names else tuple(hits)


def _given(lines: Sequence[str], line: int) -> Iterable[str]:
    """The last parts of the names to which the statement on a line (1-based) gives a value."""
    yield from _NAMED.findall(lines[line - 1])
    for number in range(line, max(0, line - _MOST_LINES), -1):
        targets = _TARGETS.match(lines[number - 1])
        if targets:
            yield from (part.rpartition(".")[2] for part in re.split(r"[ \t]*,[ \t]*", targets[1]))
        if number == 1 or not _OPEN_END.search(lines[number - 2]):
            return
