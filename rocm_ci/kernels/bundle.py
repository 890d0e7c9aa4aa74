"""Clang offload bundles: several code objects in one blob, plain or compressed.

Source of the layouts: LLVM `Object/OffloadBundle.cpp`, `Driver/OffloadBundler.cpp` and the page
«Clang Offload Bundler» of its documentation.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rocm_ci.kernels import target
from rocm_ci.kernels.span import OutOfBoundsError, Span

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED = b"CCOB"
MAX_ENTRIES = 1024
MAX_ID = 512
MAX_BUNDLES = 100_000
MAX_UNPACKED = 1 << 30
_ZLIB, _ZSTD = 0, 1

Zstd = Callable[[bytes, int], bytes | None]


@dataclass(frozen=True, slots=True)
class Entry:
    """The code for one target. `image` is an ELF file, LLVM bitcode or SPIR-V.

    `bundle` is where its bundle begins in the file: entries that share it were compiled from one source.
    """

    target: str
    image: Span
    bundle: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a part could not be read."""

    text: str


@dataclass(slots=True)
class Unpacker:
    """Decompresses, within a budget of `left` bytes for a whole file.

    `zstd` takes the compressed bytes and the most it may return; it returns None when it cannot:
    Python has no zstd before 3.14.
    """

    zstd: Zstd | None = None
    left: int = MAX_UNPACKED

    def unpack(self, packed: bytes, size: int, method: int) -> bytes | str:
        """The `size` bytes that were packed, or why not."""
        if size > self.left:
            return f"a compressed bundle of {size} bytes is too large to look into"
        self.left -= size
        if method == _ZSTD:
            data = self.zstd(packed, size) if self.zstd else None
            return data if data is not None else "a bundle compressed with zstd: no zstd on this machine"
        try:
            return zlib.decompressobj().decompress(packed, size)
        except zlib.error as error:
            return f"a compressed bundle is damaged: {error}"


def entries(content: Span, unpacker: Unpacker) -> Iterator[Entry | Problem]:
    """The device code of every bundle in `content`; a linked file has one bundle per source file."""
    offset = 0
    # Each search goes to the end of the content, so its answer is kept until it is passed.
    plain, packed = content.find(MAGIC), content.find(COMPRESSED)
    for _ in range(MAX_BUNDLES):
        plain = content.find(MAGIC, offset) if 0 <= plain < offset else plain
        packed = content.find(COMPRESSED, offset) if 0 <= packed < offset else packed
        offset = min((at for at in (plain, packed) if at >= 0), default=-1)
        if offset < 0:
            return
        rest = content.sub(offset, len(content) - offset)
        try:
            at = rest.start
            size, found = _plain(rest, at) if offset == plain else _compressed(rest, at, unpacker)
        except OutOfBoundsError as error:
            size, found = 1, [Problem(f"the bundle at {offset:#x} is cut off or forged: {error}")]
        yield from found
        offset += size


def _plain(content: Span, bundle: int) -> tuple[int, list[Entry | Problem]]:
    """Size of the bundle and its device entries."""
    (count,) = content.unpack("<Q", len(MAGIC))
    if count > MAX_ENTRIES:
        message = f"{count} entries"
        raise OutOfBoundsError(message)
    at = end = len(MAGIC) + 8
    found: list[Entry | Problem] = []
    for _ in range(count):
        where, size, length = content.unpack("<QQQ", at)
        if length > MAX_ID:
            message = f"an entry's name of {length} bytes"
            raise OutOfBoundsError(message)
        name = content.sub(at + 24, length).copy().decode("utf-8", "replace")
        at += 24 + length
        end = max(end, at)
        gpu = target.of_bundle_id(name)
        try:
            image = content.sub(where, size)
        except OutOfBoundsError as error:
            found.append(Problem(f"the code for {gpu or 'the host'} is cut off: {error}"))
            continue
        end = max(end, where + size)
        if gpu and size:
            found.append(Entry(gpu, image, bundle))
    return end, found


def _compressed(content: Span, bundle: int, unpacker: Unpacker) -> tuple[int, list[Entry | Problem]]:
    """Like `_plain`, for the three versions of the compressed header."""
    version, method = content.unpack("<HH", 4)
    match version:
        case 1:
            # This version does not say how long it is: the decompressor stops by itself.
            unpacked, _ = content.unpack("<IQ", 8)
            size, header = len(content), 20
        case 2:
            size, unpacked = content.unpack("<II", 8)
            header = 24
        case 3:
            size, unpacked = content.unpack("<QQ", 8)
            header = 32
        case _:
            size = unpacked = header = 0
    # Four letters that stand there by chance are no bundle.
    if method not in (_ZLIB, _ZSTD) or not header < size <= len(content) or not unpacked:
        return len(COMPRESSED), []
    data = unpacker.unpack(content.sub(header, size - header).copy(), unpacked, method)
    if isinstance(data, str):
        return size, [Problem(data)]
    inner = Span(data, 0, len(data))
    if not inner.starts_with(MAGIC):
        return size, [Problem("a compressed bundle holds no bundle")]
    return size, _plain(inner, bundle)[1]
