"""LLVM's offload binaries: how Clang's new driver keeps GPU code in an object file.

Source of the layout: LLVM `Object/OffloadBinary.h`, version 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from rocm_ci.kernels.bundle import Entry, Problem
from rocm_ci.kernels.span import OutOfBoundsError, Span

MAGIC = b"\x10\xff\x10\xad"
SECTION = ".llvm.offloading"
MAX_BINARIES = 10_000
MAX_STRINGS = 64


def entries(content: Span) -> Iterator[Entry | Problem]:
    """The code of every binary in the section; they stand one after the other, one for each target."""
    offset = 0
    for _ in range(MAX_BINARIES):
        offset = content.find(MAGIC, offset)
        if offset < 0:
            return
        try:
            size, found = _binary(content.sub(offset, len(content) - offset), content.start)
        except OutOfBoundsError as error:
            yield Problem(f"the offload binary at {offset:#x} is cut off or forged: {error}")
            offset += len(MAGIC)
            continue
        if found is not None:
            yield found
        offset += max(size, len(MAGIC))


def _binary(content: Span, bundle: int) -> tuple[int, Entry | Problem | None]:
    version, size, entry_at, _ = content.unpack("<IQQQ", 4)
    if version != 1:
        return len(MAGIC), Problem(f"an offload binary of version {version} is not known to rocm-ci")
    whole = content.sub(0, size)
    strings_at, count, image_at, image_size = whole.unpack("<QQQQ", entry_at + 8)
    words = {}
    for index in range(min(count, MAX_STRINGS)):
        key, value = whole.unpack("<QQ", strings_at + 16 * index)
        words[whole.text(key)] = whole.text(value)
    image = whole.sub(image_at, image_size)
    arch = words.get("arch", "")
    return size, Entry(arch, image, bundle) if arch.startswith(("gfx", "amdgcn")) and image_size else None
