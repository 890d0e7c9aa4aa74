"""Which GPU code a built file holds: libraries, programs, objects, archives, code objects and wheels."""

from __future__ import annotations

import itertools
import mmap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocm_ci.kernels import archive, bundle, elf, offload_binary, target, wheel
from rocm_ci.kernels.bundle import Entry, Problem, Unpacker, Zstd
from rocm_ci.kernels.span import OutOfBoundsError, Span

if TYPE_CHECKING:
    from pathlib import Path

# The sections in which hipcc keeps bundles; in relocatable device code each target has its own.
_FAT = ".hip_fatbin"
_RELOCATABLE = "__CLANG_OFFLOAD_BUNDLE__"
MAX_FOUND = 100_000
MAX_PROBLEMS = 20
_SNIFF = 24
MAGICS = (elf.MAGIC, archive.MAGIC, archive.THIN, bundle.MAGIC, bundle.COMPRESSED, wheel.MAGIC)


@dataclass(frozen=True, slots=True)
class FatBinary:
    """The GPU code of one file. `problems` say what could not be looked into."""

    path: Path
    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def archs(self) -> tuple[str, ...]:
        """Every target there is code for, sorted."""
        return tuple(sorted({entry.target for entry in self.entries}))


def read(path: Path, *, zstd: Zstd | None = None) -> FatBinary:
    """Look into one file. Never raises for its content; an unreadable file is a problem, too.

    `zstd` decompresses (see `bundle.Unpacker`). The file stays mapped while entries live.
    """
    try:
        with path.open("rb") as file:
            if not file.read(_SNIFF).startswith(MAGICS):
                return FatBinary(path)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        return FatBinary(path, problems=(f"cannot be read: {error}",))
    entries: list[Entry] = []
    problems: list[str] = []
    try:
        walk = _walk(path, Span(data, 0, len(data)), Unpacker(zstd))
        for found in itertools.islice(walk, MAX_FOUND):
            if isinstance(found, Entry):
                entries.append(found)
            elif len(problems) < MAX_PROBLEMS:
                problems.append(found.text)
        if next(walk, None) is not None:
            problems.append(f"only the first {MAX_FOUND} code objects were looked at")
    except (OutOfBoundsError, *wheel.DAMAGED) as error:
        problems.append(f"cut off or forged: {error}")
    return FatBinary(path, tuple(entries), tuple(problems))


def is_binary(path: Path) -> bool:
    """Whether a file begins like one that can hold GPU code."""
    try:
        with path.open("rb") as file:
            return file.read(_SNIFF).startswith(MAGICS)
    except OSError:
        return False


def _walk(path: Path, content: Span, unpacker: Unpacker) -> Iterator[Entry | Problem]:
    if content.starts_with(wheel.MAGIC):
        for index, member in enumerate(wheel.members(path), 1):
            yield from (_apart(found, index) for found in _member(member, unpacker))
    elif content.starts_with(archive.THIN):
        yield Problem("a thin archive only names other files")
    elif content.starts_with(archive.MAGIC):
        for member in archive.members(content):
            yield from _member(member, unpacker)
    elif content.starts_with(elf.MAGIC):
        yield from _elf(content, unpacker)
    else:
        yield from bundle.entries(content, unpacker)


def _apart(found: Entry | Problem, index: int) -> Entry | Problem:
    """Offsets count from a member's own beginning: keep the bundles of two members apart."""
    return replace(found, bundle=found.bundle + (index << 48)) if isinstance(found, Entry) else found


def _member(content: Span, unpacker: Unpacker) -> Iterator[Entry | Problem]:
    """One damaged member does not hide the others."""
    try:
        yield from _elf(content, unpacker)
    except OutOfBoundsError as error:
        yield Problem(f"a member of the archive is cut off or forged: {error}")


def _elf(content: Span, unpacker: Unpacker) -> Iterator[Entry | Problem]:
    file = elf.parse(content)
    if file is None:
        return
    if file.machine == elf.EM_AMDGPU:
        name = target.of_flags(file.flags, file.abi_version)
        yield (
            Entry(name, content, content.start)
            if name
            else Problem(f"a code object for an unknown GPU ({file.flags:#x})")
        )
        return
    searched = 0
    for section in file.sections():
        if section.name.startswith(_RELOCATABLE):
            gpu = target.of_bundle_id(section.name)
            if gpu:
                yield Entry(gpu, section.content, content.start)
        elif section.name.startswith(_FAT) or section.name == offload_binary.SECTION:
            searched += len(section.content)
            if searched > len(content):
                # Only a forged file has sections that lie on each other; searching them all never ends.
                yield Problem("its sections overlap")
                return
            if section.name == offload_binary.SECTION:
                yield from offload_binary.entries(section.content)
            else:
                yield from bundle.entries(section.content, unpacker)
