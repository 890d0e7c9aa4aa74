"""Cython: what a module takes from C headers, and which functions of them it calls.

Cython is no Python, so it is read as tokens. Lines that name functions of C are handed out as
device source, for the rules of C know those names. `# distutils:` lines are options of the build.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import python_tokens as tokens
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.source import Source

_EXTERN = re.compile(
    r"[ \t]*cdef[ \t]+extern[ \t]+from[ \t]+(?P<quote>['\"])(?P<header><?[\w./+-]+>?)(?P=quote)"
)
_INCLUDE = '#include "'
_FOREIGN = re.compile(
    r"(?<![\w.\"'])(?:cuda|cu|nvml|nccl|nvrtc|nvtx|cublas|cublasLt|cudnn|cufft|curand|cusparse|cusolver|cutensor)"
    r"[A-Z]\w*(?=[ \t]*\()"
)
# How the module is compiled, in the comments that Cython reads.
_OPTION = re.compile(
    r"[ \t]*#[ \t]*distutils:[ \t]*(?P<name>libraries|extra_link_args|library_dirs|include_dirs)"
    r"[ \t]*=(?P<of>.*)"
)
_STRING = re.compile(r"\"{3}.*?\"{3}|'{3}.*?'{3}|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)


def regions(source: Source, outer: Guard) -> tuple[Region, ...]:
    """All regions of a `.pyx`, `.pxd` or `.pxi` file."""
    found = list(tokens.regions(source, outer))
    guards = tokens.guards(source.lines, outer)
    for number, line in enumerate(source.lines, 1):
        extern = _EXTERN.match(line)
        if extern is not None:
            found.append(_header(extern, number, guards[number - 1]))
        option = _OPTION.match(line)
        if option is not None:
            found += _options(option, number, outer)
    for number, line in enumerate(_without_text(source.text).split("\n"), 1):
        found += _calls(line, number, guards[number - 1])
    return tuple(found)


def _header(extern: re.Match[str], number: int, guard: Guard) -> Region:
    header = extern["header"].strip("<>")
    shift = 1 if extern["header"] != header else 0
    column = extern.start("header") + shift + 1 - len(_INCLUDE)
    return Region(RegionKind.KERNEL, f'{_INCLUDE}{header}"', number, max(column, 1), guard)


def _options(option: re.Match[str], number: int, guard: Guard) -> Iterator[Region]:
    for word in re.finditer(r"[^\s,\[\]'\"]+", option["of"]):
        column = option.start("of") + word.start() + 1
        yield Region(RegionKind.VALUE, word.group(), number, column, guard, (f"kw:{option['name']}",))


def _calls(line: str, number: int, guard: Guard) -> Iterator[Region]:
    for name in _FOREIGN.finditer(line):
        yield Region(RegionKind.KERNEL, f"{name.group()}()", number, name.start() + 1, guard)


def _without_text(text: str) -> str:
    """The file with the contents of strings and comments blank, every line at its place."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found.group())

    return re.sub(r"#[^\n]*", blank, _STRING.sub(blank, text))
