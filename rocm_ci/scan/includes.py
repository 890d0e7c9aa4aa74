"""What one C-family file says to others: what it includes, and which CUDA-looking names it defines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SUFFIXES = frozenset({
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".hip", ".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".hiph",
    ".inl", ".ipp", ".tpp", ".tcc", ".inc",
})  # fmt: skip
# From the newline before it: the engine finds a literal at the start of a pattern very quickly.
_INCLUDE = re.compile(rb'\n[ \t]*#[ \t]*include(?:_next)?[ \t]*(["<])([^">\n]+)[">]')
# A Cython module takes what a header declares, in the order of these lines.
_EXTERN = re.compile(rb"""^[ \t]*cdef[ \t]+extern[ \t]+from[ \t]+(["'])(<?)([^"'>\n]+)>?\1""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Include:
    """One include directive; `line` is 1-based."""

    header: str
    in_quotes: bool
    line: int


@dataclass(frozen=True)
class Facts:
    """What was read off a file. Lines are 1-based; whether they are reached is `guard_of`'s to say."""

    includes: tuple[Include, ...] = ()
    aliases: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


NOTHING = Facts()


def includes_of(data: bytes) -> tuple[Include, ...]:
    """The include directives of a file of these bytes, which are UTF-8."""
    from rocm_ci.scan.declared import Places  # noqa: PLC0415 - see `facts`

    places = Places(data)
    found: list[Include] = []
    if b"include" in data:
        for m in _INCLUDE.finditer(b"\n" + data):
            line = places.line(m.start(2) - 1)  # the newline in front counts for one
            found.append(Include(_text(m[2]), m[1] == b'"', line))
    if b"cdef extern" in data:
        found += (Include(_text(m[3]), not m[2], places.line(m.start(3))) for m in _EXTERN.finditer(data))
    return tuple(found)


def facts(data: bytes) -> Facts:
    """The facts of a file of these bytes, which are UTF-8."""
    # Its expressions take 5 ms to compile, which a scan without C-family files need not pay.
    from rocm_ci.scan.declared import declared  # noqa: PLC0415

    aliases = declared(data)
    includes = includes_of(data)
    return Facts(includes, aliases) if includes or aliases else NOTHING


def _text(header: bytes) -> str:
    return header.decode("utf-8", "surrogateescape").strip()
