"""One line of a tool → what it says. Compilers, linkers, make, ninja, pip and the shell. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.build.draft import Place
from rocm_ci.model.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

_KINDS = {
    "fatal error": Severity.ERROR,
    "internal compiler error": Severity.ERROR,
    "sorry, unimplemented": Severity.ERROR,
    "catastrophic error": Severity.ERROR,
    "fatal": Severity.ERROR,
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "note": Severity.NOTE,
    "remark": Severity.NOTE,
}
_KIND = r"(?P<kind>fatal error|error|warning|note|remark|internal compiler error|sorry, unimplemented)"
# clang and gcc: `path:line:column: error: …`, column optional. pip indents all of it.
_GNU = re.compile(
    rf"^\s*(?P<path>[^\s:][^:]{{0,500}}):(?P<line>\d+):(?:(?P<column>\d+):)? {_KIND}: (?P<text>.+)$"
)
# nvcc and EDG: `path(line): error: …`, with an optional number.
_EDG = re.compile(
    r"^\s*(?P<path>[^\s()][^()]{0,500})\((?P<line>\d+)(?:,\d+)?\): "
    r"(?P<kind>catastrophic error|fatal error|error|warning|note)(?: #[\w-]+)?: (?P<text>.+)$"
)
_NVCC = re.compile(r"^\s*nvcc (?P<kind>fatal|error|warning)\s*: (?P<text>.+)$")
# Programs that speak for themselves: `clang: error: …`, `ld.lld: error: …`, `collect2: fatal error: …`.
_DRIVER = re.compile(
    r"^\s*(?:\S*/)?(?P<tool>(?:amd)?clang(?:\+\+)?(?:-\d+)?|(?:\w+-)*(?:gcc|g\+\+|c\+\+|cc|ld)(?:-\d+)?|"
    r"cc1plus|cc1|hipcc|collect2|lto1|ld\.\w+|lld|as|ar|ccache|llvm-\w+|clang-[a-z-]+): "
    rf"{_KIND}: (?P<text>.+)$"
)
# GNU ld: `prog.cpp:12: undefined reference to `f'` with debug information, `prog.cpp:(.text+0x7): …` without.
_LD_PLACE = re.compile(
    r"^\s*(?:\S*\bld(?:\.\w+)?: )?(?P<path>[^\s:][^:]{0,500}):(?:(?P<line>\d+)|\([^)]{1,200}\)): "
    r"(?P<text>(?:undefined reference to|multiple definition of|relocation|undefined symbol) .+)$"
)
_LD = re.compile(
    r"^\s*(?:\S*/)?(?:\w+-)*ld(?:\.\w+)?: "
    r"(?P<text>(?:cannot find |cannot open |unrecognized |final link failed|"
    r".* file not recognized|.*can not be used when making|.*DSO missing from command line|"
    r".*undefined reference to|.*multiple definition of|.*truncated to fit).*)$"
)
_MAKE = re.compile(r"^\s*(?:g|re)?make(?:\[\d+\])?: \*\*\* (?:\[(?P<where>[^\]]{1,500})\] ?)?(?P<text>.+)$")
_MAKE_PLACE = re.compile(r"^(?P<path>[^:]+):(?P<line>\d+): ")
_NINJA = re.compile(r"^\s*ninja: (?P<kind>error|fatal|warning): (?P<text>.+)$")
_NINJA_STOP = re.compile(r"^\s*(?:ninja: build stopped: .+|FAILED: .+)$")
_SHELL = re.compile(r"^(?:\S*/)?(?:ba|da|z)?sh: (?:line )?\d+: (?P<text>.+)$")
_PIP = re.compile(r"^\s*(?P<tool>ERROR|error): (?P<text>.+)$")
_GIT = re.compile(r"^\s*fatal: (?P<text>.+)$")

# What is said when something failed before; the reason stands elsewhere in the log.
_CONSEQUENCE = re.compile(
    r"linker command failed|link command failed|frontend command failed|ld returned \d+ exit status|"
    r"^Error \d+|recipe for target|subcommand failed|^command .* failed with exit (?:code|status)|"
    r"^subprocess-exited-with-error|^metadata-generation-failed|^failed-wheel-build-for-install|"
    r"^Failed (?:building wheel|to build)|Could not build wheels|^Error compiling objects|"
    r"^Command errored out|^too many errors emitted|command failed due to signal|^Waiting for unfinished jobs"
)


@dataclass(frozen=True, slots=True)
class Said:
    """One message; `consequence` as in `Draft`."""

    tool: str
    severity: Severity
    text: str
    place: Place | None = None
    consequence: bool = False


def said(line: str) -> Said | None:
    """What the line says, or None when it is no message. `line` is plain (see `line.plain`)."""
    for pattern, reader in _READERS:
        found = pattern.match(line)
        if found is not None:
            return reader(found)
    return None


def _placed(found: re.Match[str], tool: str) -> Said:
    words = found.groupdict()
    column = words.get("column")
    place = Place(found["path"].strip(), int(found["line"][:9]), int(column[:9]) if column else None)
    return _message(tool, words["kind"], found["text"], place)


def _gnu(found: re.Match[str]) -> Said:
    # Only gcc quotes with ‘…’; the rest of the line looks the same.
    return _placed(found, "gcc" if "‘" in found["text"] else "clang")


def _edg(found: re.Match[str]) -> Said:
    return _placed(found, "nvcc")


def _nvcc(found: re.Match[str]) -> Said:
    return _message("nvcc", found["kind"], found["text"], None)


def _driver(found: re.Match[str]) -> Said:
    return _message(found["tool"], found["kind"], found["text"], None)


def _ld(found: re.Match[str]) -> Said:
    words = found.groupdict()
    place = None
    if words.get("path"):
        place = Place(found["path"], int(found["line"][:9]) if found["line"] else None)
    return _message("ld", "error", found["text"], place)


def _make(found: re.Match[str]) -> Said:
    # `[Makefile:12: all] Error 1` names the recipe; `Makefile:3: *** missing separator` has no brackets.
    where = _MAKE_PLACE.match(found["where"] or "")
    place = Place(where["path"], int(where["line"][:9])) if where else None
    return _message("make", "error", found["text"], place)


def _ninja(found: re.Match[str]) -> Said:
    return _message("ninja", found["kind"], found["text"], None)


def _ninja_stop(found: re.Match[str]) -> Said:
    return Said("ninja", Severity.ERROR, found.group().strip(), consequence=True)


def _shell(found: re.Match[str]) -> Said | None:
    text = found["text"]
    if not re.search(
        r"command not found|not found$|No such file|Permission denied|syntax error|cannot execute", text
    ):
        return None
    return Said("sh", Severity.ERROR, text)


def _pip(found: re.Match[str]) -> Said:
    return _message("pip" if found["tool"] == "ERROR" else "setuptools", "error", found["text"], None)


def _git(found: re.Match[str]) -> Said:
    return _message("git", "error", found["text"], None)


def _message(tool: str, kind: str, text: str, place: Place | None) -> Said:
    return Said(tool, _KINDS[kind], text.strip(), place, bool(_CONSEQUENCE.search(text)))


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Said | None]], ...] = (
    (_GNU, _gnu),
    (_NVCC, _nvcc),
    (_EDG, _edg),
    (_DRIVER, _driver),
    (_LD_PLACE, _ld),
    (_LD, _ld),
    (_MAKE, _make),
    (_NINJA, _ninja),
    (_NINJA_STOP, _ninja_stop),
    (_SHELL, _shell),
    (_PIP, _pip),
    (_GIT, _git),
)
