"""Static libraries (`ar`): where each member stands. Common format with GNU and BSD names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.kernels.span import OutOfBoundsError, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"!<arch>\n"
THIN = b"!<thin>\n"
MAX_MEMBERS = 200_000
_HEADER = 60


def members(content: Span) -> Iterator[Span]:
    """The content of every member that can hold code; stops where the file is cut off."""
    offset = len(MAGIC)
    for _ in range(MAX_MEMBERS):
        try:
            header = content.sub(offset, _HEADER).copy()
            size = int(header[48:58])
            member = content.sub(offset + _HEADER, size)
        except (OutOfBoundsError, ValueError):
            return
        if not header.startswith((b"/ ", b"// ", b"/SYM64/", b"__.SYMDEF")):
            yield member
        offset += _HEADER + size + size % 2
