"""ELF as far as GPU code needs it: machine, flags, sections and notes of 64-bit little-endian files.

pyelftools is the reference in our tests; it is not used here, because it follows section counts
and entry sizes of a forged header for minutes. Source of the layout: System V gABI, chapter 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.kernels.span import OutOfBoundsError, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\x7fELF"
EM_AMDGPU = 0xE0
SHT_NOTE = 7
SHT_NOBITS = 8
PT_NOTE = 4
# One section per function is usual in objects (-ffunction-sections); this is far above the largest seen.
MAX_SECTIONS = 500_000
_CLASS64_LITTLE = b"\x7fELF\x02\x01"
_SECTION_SIZE = 64
_SEGMENT_SIZE = 56
_LAST_SMALL_INDEX = 0xFFFF


@dataclass(frozen=True, slots=True)
class Section:
    """One section that has content in the file."""

    name: str
    kind: int
    content: Span


@dataclass(frozen=True, slots=True)
class Note:
    """One entry of a note section."""

    owner: str
    kind: int
    content: Span


@dataclass(frozen=True, slots=True)
class Elf:
    """The header. `sections` and `notes` read on demand and skip what points out of the file."""

    image: Span
    machine: int
    flags: int
    abi_version: int
    _segments: tuple[int, int]
    _sections: tuple[int, int, int]

    def sections(self) -> Iterator[Section]:
        """All sections with content, in file order."""
        offset, count, names_index = self._sections
        if not offset:
            return
        if count == 0 or names_index == _LAST_SMALL_INDEX:
            # More sections than the header's 16 bits can count: section 0 holds the real numbers.
            first = self.image.unpack("<IIQQQQIIQQ", offset)
            count = count or first[5]
            names_index = first[6] if names_index == _LAST_SMALL_INDEX else names_index
        count = min(count, MAX_SECTIONS, (len(self.image) - offset) // _SECTION_SIZE)
        names = self._names(offset, count, names_index)
        for index in range(count):
            name, kind, _, _, where, size, *_ = self.image.unpack(
                "<IIQQQQIIQQ", offset + index * _SECTION_SIZE
            )
            if kind == SHT_NOBITS or not size:
                continue
            try:
                yield Section(names.text(name), kind, self.image.sub(where, size))
            except OutOfBoundsError:
                continue

    def notes(self) -> Iterator[Note]:
        """All notes, from the sections or, in a file without any, from the segments."""
        found = [s.content for s in self.sections() if s.kind == SHT_NOTE]
        searched = 0
        for content in found or self._note_segments():
            searched += len(content)
            if searched > len(self.image):
                message = "its notes overlap"
                raise OutOfBoundsError(message)
            yield from _notes(content)

    def _names(self, offset: int, count: int, index: int) -> Span:
        if index >= count:
            return Span(b"\0", 0, 1)
        _, _, _, _, where, size, *_ = self.image.unpack("<IIQQQQIIQQ", offset + index * _SECTION_SIZE)
        return self.image.sub(where, size)

    def _note_segments(self) -> Iterator[Span]:
        offset, count = self._segments
        for index in range(min(count, (len(self.image) - offset) // _SEGMENT_SIZE)):
            kind, _, where, _, _, size, *_ = self.image.unpack("<IIQQQQQQ", offset + index * _SEGMENT_SIZE)
            if kind == PT_NOTE:
                yield self.image.sub(where, size)


def parse(image: Span) -> Elf | None:
    """The header of a 64-bit little-endian ELF file; None for anything else.

    Raises `OutOfBoundsError` when the header itself is cut off.
    """
    if not image.starts_with(_CLASS64_LITTLE):
        return None
    machine, _, _, segments, sections, flags = image.unpack("<HIQQQI", 18)
    _, _, segment_count, section_size, section_count, names_index = image.unpack("<HHHHHH", 52)
    if section_size not in (0, _SECTION_SIZE):
        message = f"section headers of {section_size} bytes"
        raise OutOfBoundsError(message)
    (abi_version,) = image.unpack("<B", 8)
    return Elf(
        image=image,
        machine=machine,
        flags=flags,
        abi_version=abi_version,
        _segments=(segments, segment_count),
        _sections=(sections, section_count, names_index),
    )


def _notes(content: Span) -> Iterator[Note]:
    offset = 0
    while offset + 12 <= len(content):
        owner_size, size, kind = content.unpack("<III", offset)
        owner_at = offset + 12
        content_at = owner_at + _aligned(owner_size)
        owner = content.sub(owner_at, owner_size).copy()[:64].rstrip(b"\0").decode("ascii", "replace")
        yield Note(owner, kind, content.sub(content_at, size))
        offset = content_at + _aligned(size)


def _aligned(size: int) -> int:
    return (size + 3) & ~3
