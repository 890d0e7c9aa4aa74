"""A piece of a binary file, read with every offset checked. The files are a stranger's."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from typing import Any, TypeAlias

Buffer: TypeAlias = bytes | mmap.mmap


class OutOfBoundsError(Exception):
    """An offset or a size points outside of its container: the file is cut off or forged."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `end` of `data`. Offsets given to its methods count from `start`."""

    data: Buffer
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def sub(self, offset: int, size: int) -> Span:
        """The piece of `size` bytes at `offset`."""
        if offset < 0 or size < 0 or offset + size > len(self):
            message = f"{size} bytes at {offset:#x} do not fit into {len(self)}"
            raise OutOfBoundsError(message)
        return Span(self.data, self.start + offset, self.start + offset + size)

    def unpack(self, layout: str, offset: int) -> tuple[Any, ...]:
        """Numbers at `offset`, as `struct` reads them."""
        piece = self.sub(offset, struct.calcsize(layout))
        return struct.unpack_from(layout, self.data, piece.start)

    def copy(self) -> bytes:
        """A copy of the content."""
        return bytes(self.data[self.start : self.end])

    def starts_with(self, magic: bytes) -> bool:
        """Whether the content begins with `magic`."""
        return bytes(self.data[self.start : min(self.end, self.start + len(magic))]) == magic

    def find(self, needle: bytes, offset: int = 0) -> int:
        """Offset of the first `needle` at or after `offset`; -1 when there is none."""
        found = self.data.find(needle, self.start + offset, self.end)
        return found if found < 0 else found - self.start

    def text(self, offset: int, limit: int = 512) -> str:
        """A zero-terminated name at `offset`, at most `limit` bytes of it."""
        if not 0 <= offset < len(self):
            message = f"a name at {offset:#x} lies outside of {len(self)} bytes"
            raise OutOfBoundsError(message)
        stop = min(self.end, self.start + offset + limit)
        raw = bytes(self.data[self.start + offset : stop])
        return raw.split(b"\0", 1)[0].decode("utf-8", "replace")
