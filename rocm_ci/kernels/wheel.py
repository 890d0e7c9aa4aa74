"""Python wheels: the extension modules in them. A wheel is a ZIP file."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING

from rocm_ci.kernels.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAGIC = b"PK\x03\x04"
MAX_MEMBERS = 20_000
MAX_UNPACKED = 2 << 30
# What the library raises for damaged, encrypted or unknown members.
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
_SUFFIXES = (".so", ".hsaco", ".co", ".a", ".o")


def members(path: Path) -> Iterator[Span]:
    """The files in a wheel that can hold GPU code, as far as their sizes stay sensible. Raises `DAMAGED`."""
    left = MAX_UNPACKED
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist()[:MAX_MEMBERS]:
            name = member.filename.rsplit("/", 1)[-1]
            if not (name.endswith(_SUFFIXES) or ".so." in name) or member.file_size > left:
                continue
            left -= member.file_size
            with archive.open(member) as opened:
                data = opened.read(member.file_size)
            yield Span(data, 0, len(data))
