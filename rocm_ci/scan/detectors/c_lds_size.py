"""Shared memory that no block of a target has: `__shared__` arrays, launch parameters and attributes."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.c_constants import size_of
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

# LDS that one workgroup may have, in bytes (AMD's CDNA3 and CDNA4 instruction set documents; rocminfo).
_SIZES = {"gfx950": 160 * 1024}
_USUAL = 64 * 1024
_TARGET = re.compile(r"\b__(gfx\w+?)__\b")
_SHARED = re.compile(
    r"__shared__(?<!extern __shared__)(?<!\w__shared__)\b(?P<type>[^;={}\[]*?)\b(?P<name>\w+)\s*"
    r"(?P<bounds>(?:\[[^\[\];]*\]\s*)+)(?P<more>[^;]*);"
)
_MORE = re.compile(r",\s*(?P<name>\w+)\s*(?P<bounds>(?:\[[^\[\];]*\]\s*)+)")
_BOUND = re.compile(r"\[([^\[\]]*)\]")
_QUALIFIERS = re.compile(
    r"\b(?:const|volatile|static|inline|alignas|__align__|__attribute__)\b\s*(?:\((?:[^()]|\([^()]*\))*\))?"
)
_ATTRIBUTE = re.compile(r"\b(?:cuda|hip|gpu|cu)FuncSetAttribute\s*\(")
_DYNAMIC = re.compile(
    r"(?:MaxDynamicSharedMemorySize|MAX_DYNAMIC_SHARED_SIZE_BYTES|MAX_DYNAMIC_SHARED_MEMORY_SIZE)\b"
)
_CHEVRONS = re.compile(r"<<<(?P<given>[^;{}]*?)>>>")
_LAUNCH = re.compile(
    r"\b(?:hipLaunchKernelGGL|hipLaunchKernel|cudaLaunchKernel|hipLaunchCooperativeKernel|cudaLaunchCooperativeKernel)\s*\("
)
_ASKS = re.compile(r"sharedMemPer|SharedMemoryPerBlock|shared_memory_per_block|MaxSharedMemory")
_ASKED_WITHIN = 400  # characters before a launch in which a limit of the device may be tested


@dataclass(frozen=True, slots=True)
class _Limit:
    arch: str
    size: int


class LdsSize:
    """Static arrays of one function added up, and requests of one launch, against the smallest target."""

    name = "lds-size"
    needles = (
        "__shared__",
        "SharedMemorySize",
        "DYNAMIC_SHARED",
        "<<<",
        "LaunchKernel",
        "LaunchCooperativeKernel",
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        limit = _smallest(_named_targets(file) or surroundings.archs)
        yield from _static(file, limit)
        yield from _requested(file, limit)


def _named_targets(file: CFile) -> tuple[str, ...]:
    """The targets that the conditions of a file ask for, when they are all ones of another size."""
    named = {name for one in file.directives for name in _TARGET.findall(one.text)}
    return tuple(sorted(named)) if named and all(_size_of(arch) != _USUAL for arch in named) else ()


def _size_of(arch: str) -> int:
    return next((s for g, s in _SIZES.items() if fnmatch.fnmatch(arch.split(":", maxsplit=1)[0], g)), _USUAL)


def _smallest(archs: tuple[str, ...]) -> _Limit:
    limits = [_Limit(arch, _size_of(arch)) for arch in archs]
    return min(limits, key=lambda one: one.size, default=_Limit("gfx9", _USUAL))


def _static(file: CFile, limit: _Limit) -> Iterator[Match]:
    """Arrays whose sizes the file tells; those of one function share its memory."""
    used: dict[int, int] = {}
    for found, _, _ in file.search(_SHARED, guards=(Guard.NONE, Guard.AMD)):
        size = size_of(" ".join(_QUALIFIERS.sub(" ", found["type"]).split()))
        function = file.functions.at(found.start())
        if size is None or function is None:
            continue
        declared = [(found.start("name"), found["name"], found["bounds"])]
        declared += [
            (found.start("more") + m.start("name"), m["name"], m["bounds"])
            for m in _MORE.finditer(found["more"])
        ]
        for start, name, bounds in declared:
            size_in_bytes = size
            for bound in _BOUND.findall(bounds):
                size_in_bytes *= file.constants.fold(bound).value or 0
            before = used.get(function.start, 0)
            used[function.start] = before + max(0, size_in_bytes)
            if before <= limit.size < used[function.start] or size_in_bytes > limit.size:
                line, column = file.lexed.place(start)
                alone = size_in_bytes > limit.size
                what = "`{match}` takes" if alone else "the shared arrays up to `{match}` take"
                message = _message(what, size_in_bytes if alone else used[function.start], limit)
                yield Match(line, column, column + len(name), name, message=message)


def _requested(file: CFile, limit: _Limit) -> Iterator[Match]:
    for pattern in (_ATTRIBUTE, _LAUNCH):
        for found, _, _ in file.search(pattern, guards=(Guard.NONE, Guard.AMD)):
            given = arguments(file.code, found.end())
            if pattern is _ATTRIBUTE:
                wanted = given[2] if len(given) > 2 and _DYNAMIC.search(given[1]) else None
            else:
                place = 4 if "KernelGGL" not in found[0] else 3
                wanted = given[place] if len(given) > place else None
            yield from _told(file, found.end(), wanted, limit)
    for found, _, _ in file.search(_CHEVRONS, guards=(Guard.NONE, Guard.AMD)):
        given = arguments(found["given"] + ")", 0)
        yield from _told(file, found.start("given"), given[2] if len(given) > 2 else None, limit)


def _told(file: CFile, start: int, wanted: str | None, limit: _Limit) -> Iterator[Match]:
    size = file.constants.fold(wanted).value if wanted else None
    if size is None or size <= limit.size or wanted is None:
        return
    if _ASKS.search(file.code, max(0, start - _ASKED_WITHIN), start):
        return
    at = _position(file.code, start, wanted)
    line, column = file.lexed.place(at)
    text = wanted.split("\n")[0]
    shown = file.code[at : at + len(text)].split("\n")[0]
    yield Match(line, column, column + len(shown), shown, message=_message("`{match}` asks for", size, limit))


def _position(code: str, start: int, wanted: str) -> int:
    """Where the argument stands; white space in it was squeezed."""
    words = r"\s+".join(map(re.escape, wanted.split()))
    found = [m.start() for m in re.compile(rf"(?<![\w.]){words}").finditer(code, start, start + 2000)]
    return found[0] if found else start


def _message(what: str, size: int, limit: _Limit) -> str:
    return f"{what} {_kib(size)} of shared memory; a block on {limit.arch} has {_kib(limit.size)}"


def _kib(size: int) -> str:
    return f"{size / 1024:.4g} KiB"


DETECTOR: Detector = LdsSize()
