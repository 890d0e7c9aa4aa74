"""What a language makes of a file: regions that rules may match, each with its guard."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class RegionKind(enum.Enum):
    """What a piece of a file is. Comments and documentation are never handed out."""

    CODE = "code"  # program text: C tokens, Python code, a shell command, a CMake command
    STRING = "string"  # the content of a string literal
    INCLUDE = "include"  # the target of an #include / import, without quotes or brackets
    DIRECTIVE = "directive"  # the condition of an #if, #ifdef, #elif
    ASM = "asm"  # the text of an inline assembly statement
    KERNEL = "kernel"  # device source inside a string (RawKernel, NVRTC)
    REQUIREMENT = "requirement"  # one dependency specifier
    VALUE = "value"  # a scalar of a YAML, TOML, Dockerfile or compose document
    KEY = "key"  # its key


class Guard(enum.Enum):
    """On which build or machine a region is reached, as far as its guards tell."""

    NONE = "none"  # everywhere, so also on AMD
    AMD = "amd"  # only on AMD
    NVIDIA = "nvidia"  # only on NVIDIA: not our business
    EITHER = "either"  # a probe with a fallback: reached on AMD, but failing there is handled


@dataclass(frozen=True, slots=True)
class Region:
    """One piece of a file. `line` and `column` are 1-based positions of its first character.

    A region never spans a newline unless `kind` is ASM, KERNEL or STRING; rules that match in such
    text compute lines by counting. `context` names what surrounds it, innermost last, e.g.
    `("call:ctypes.CDLL", "arg:0")` in Python, `("command:find_package", "if:USE_HIP")` in CMake,
    `("service", "runtime")` in YAML: rules may ask for it.
    """

    kind: RegionKind
    text: str
    line: int
    column: int
    guard: Guard = Guard.NONE
    context: tuple[str, ...] = ()


def _alone(_: str) -> bool:
    return False


def _nothing(_: str) -> bytes | None:
    return None


@dataclass(frozen=True, slots=True)
class Source:
    """A file to scan. `text` is decoded with surrogateescape; `lines` are its lines without ends.

    `hits` are the sorted lines that hold something a rule needs; None when every line may matter. A
    language may leave out functions without any. `beside` tells whether a file of some name stands in
    the same folder: a `Dockerfile` next to a `Dockerfile.rocm` is the NVIDIA one. `macros` are those that
    the headers of a C file define for one vendor only. `read` gives another file of the tree by its path;
    what a language learns from such files it keeps in `memo`, which all files of one scan share.
    `nvidia` is False when no rule cares for what only NVIDIA reaches: a file that is NVIDIA's as a whole
    then needs no parsing.
    """

    path: str
    text: str
    lines: tuple[str, ...]
    hits: tuple[int, ...] | None = None
    macros: Mapping[str, Guard] = field(default_factory=dict)
    beside: Callable[[str], bool] = field(default=_alone, compare=False, repr=False)
    read: Callable[[str], bytes | None] = field(default=_nothing, compare=False, repr=False)
    memo: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    nvidia: bool = True
