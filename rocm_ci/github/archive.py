"""The archive of an artifact → the one file of it that is read. Pure; every byte of it is hostile.

Whoever controls the run controls the archive. It is not unpacked: the directory is checked whole, then
only the report is inflated. Stricter than the format: its parts must lie end to end, so that
nothing hides between, before or behind them, and no other reader could see other files in it.
Layout: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import stat
import struct
import unicodedata
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocm_ci.errors import ReportError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

REPORT = "report.json"
MAX_ARCHIVE = 200_000_000
MAX_REPORT = 50_000_000
MAX_ENTRIES = 10_000
MAX_NAME = 1_024
MAX_DEPTH = 32
# A report of 100,000 tests packs to a fortieth, one of 5,000 alike failures to a 160th; a bomb aims at
# DEFLATE's best, 1:1032. What is small does no harm at any ratio.
MAX_RATIO = 400
SMALL = 4_000_000

_END = struct.Struct("<4sHHHHIIH")
_CENTRAL = struct.Struct("<4sBBHHHHHIIIHHHHHII")
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_END_MARK, _CENTRAL_MARK, _LOCAL_MARK = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_END64_MARK, _DESCRIPTOR_MARK = b"PK\x06\x07", b"PK\x07\x08"
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _DESCRIPTOR, _STRONG, _UTF8, _MASKED = 0x1, 0x8, 0x40, 0x800, 0x2000
_ZIP64, _OTHER_NAME = 0x0001, 0x7075
_HINT = "the archive must be the artifact that actions/upload-artifact made of the output folder"


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """One line of the directory. `start` and `end` bound all of its bytes but the descriptor."""

    name: str
    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    start: int
    data: int = 0

    @property
    def end(self) -> int:
        return self.data + self.packed

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


def report_of(archive: bytes) -> bytes:
    """The content of the archive's one `report.json`, at most `MAX_REPORT` bytes.

    Raises `ReportError` for whatever is not a plain, whole, honest zip archive with exactly one.
    """
    if len(archive) > MAX_ARCHIVE:
        raise _refusal(f"it has {len(archive)} bytes, over the limit of {MAX_ARCHIVE}")
    entries = tuple(_directory(archive))
    _check_names(entries)
    _check_layout(archive, entries)
    found = [one for one in entries if _key(one.name).rpartition("/")[2] == REPORT]
    if len(found) != 1:
        many = f"{len(found)} files called {REPORT}" if found else f"no {REPORT}"
        raise _refusal(f"it holds {many}")
    if found[0].name.rpartition("/")[2] != REPORT:
        raise _refusal(f"its report is not called {REPORT}")
    return _content(archive, found[0])


def _refusal(what: str) -> ReportError:
    return ReportError(f"the artifact is refused: {what}", hint=_HINT)


def _shown(name: str) -> str:
    return ascii(name[:60])


def _directory(archive: bytes) -> Iterator[_Entry]:
    """The entries as the directory at the end tells them, each looked up in its own header too."""
    at, size, count = _end(archive)
    end = at + size
    for _ in range(count):
        if at + _CENTRAL.size > end:
            raise _refusal("its directory is cut off")
        mark, _, _, _, flags, method, _, _, crc, packed, whole, n, x, c, disk, _, outer, start = (
            _CENTRAL.unpack_from(archive, at)
        )
        behind = at + _CENTRAL.size
        at = behind + n + x + c
        if mark != _CENTRAL_MARK or at > end:
            raise _refusal("its directory is damaged")
        raw_name = archive[behind : behind + n]
        entry = _Entry(
            name=_name(raw_name, flags),
            raw_name=raw_name,
            flags=flags,
            method=method,
            crc=crc,
            packed=packed,
            size=whole,
            start=start,
        )
        if disk or 0xFFFFFFFF in (packed, whole, start):
            raise _refusal("it is split or uses the 64-bit format, which no report needs")
        _check_kind(entry, outer >> 16)
        _check_extras(archive[behind + n : behind + n + x])
        yield _located(archive, entry)
    if at != end:
        raise _refusal("its directory holds more than it says")


def _end(archive: bytes) -> tuple[int, int, int]:
    """Where the directory begins, how long it is, how many entries it has."""
    at = len(archive) - _END.size
    if at < 0 or archive[at : at + 4] != _END_MARK:
        # With a comment one could hide a second end, and readers differ in which one they take.
        raise _refusal("it is no zip archive, is cut off, or has something behind its end")
    _, disk, first, here, count, size, start, comment = _END.unpack_from(archive, at)
    if comment:
        raise _refusal("it is cut off")
    if disk or first or here != count or 0xFFFF in (disk, first, count) or 0xFFFFFFFF in (size, start):
        raise _refusal("it is split or uses the 64-bit format, which no report needs")
    if archive[max(at - 20, 0) : at].startswith(_END64_MARK):
        raise _refusal("it uses the 64-bit format, which no report needs")
    if count > MAX_ENTRIES:
        raise _refusal(f"it holds {count} files, over the limit of {MAX_ENTRIES}")
    if start + size != at:
        raise _refusal("its directory is not where it says (several archives in one?)")
    return start, size, count


def _name(raw: bytes, flags: int) -> str:
    try:
        name = raw.decode("utf-8" if flags & _UTF8 else "cp437")
    except UnicodeDecodeError as error:
        raise _refusal("a file name in it is not valid UTF-8") from error
    parts = name.removesuffix("/").split("/")
    if not name or len(raw) > MAX_NAME:
        raise _refusal(f"a file name in it has {len(raw)} bytes")
    if "\\" in name or ":" in parts[0] or any(ord(c) < 32 or ord(c) == 127 for c in name):
        raise _refusal(f"the file name {_shown(name)} holds a character that leads elsewhere")
    if any(part in ("", ".", "..") for part in parts):
        raise _refusal(f"the file name {_shown(name)} leads out of the archive")
    if len(parts) > MAX_DEPTH:
        # All its folders are remembered: ten thousand names of five hundred would take gigabytes.
        raise _refusal(
            f"the file name {_shown(name)} is {len(parts)} folders deep, over the limit of {MAX_DEPTH}"
        )
    return name


def _check_kind(entry: _Entry, mode: int) -> None:
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFDIR if entry.is_folder else stat.S_IFREG):
        raise _refusal(f"{_shown(entry.name)} is a link or another thing that is no file")
    if entry.is_folder and (entry.size or entry.packed > 2):
        raise _refusal(f"the folder {_shown(entry.name)} has content")
    if entry.flags & (_ENCRYPTED | _STRONG | _MASKED):
        raise _refusal(f"{_shown(entry.name)} is encrypted")
    if entry.method not in (_STORED, _DEFLATED):
        raise _refusal(
            f"{_shown(entry.name)} is packed by method {entry.method}, which rocm-ci does not know"
        )


def _check_extras(extras: bytes) -> None:
    at = 0
    while at + 4 <= len(extras):
        kind, size = struct.unpack_from("<HH", extras, at)
        if kind in (_ZIP64, _OTHER_NAME):
            raise _refusal("an entry of it has a second size or name")
        at += 4 + size


def _located(archive: bytes, entry: _Entry) -> _Entry:
    """The entry with the place of its data, which its own header tells."""
    if entry.start + _LOCAL.size > len(archive):
        raise _refusal(f"{_shown(entry.name)} lies behind the end")
    mark, _, flags, method, _, _, _, packed, size, n, x = _LOCAL.unpack_from(archive, entry.start)
    behind = entry.start + _LOCAL.size
    said = (entry.flags, entry.method, entry.raw_name)
    if mark != _LOCAL_MARK or (flags, method, archive[behind : behind + n]) != said:
        raise _refusal(f"{_shown(entry.name)} is described in two ways")
    if not flags & _DESCRIPTOR and (packed, size) != (entry.packed, entry.size):
        raise _refusal(f"{_shown(entry.name)} is described in two ways")
    return replace(entry, data=behind + n + x)


def _key(name: str) -> str:
    """Names that some file system takes for the same give the same key."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _check_names(entries: Sequence[_Entry]) -> None:
    files: set[str] = set()
    folders: set[str] = set()
    explicit: set[str] = set()
    for entry in entries:
        key = _key(entry.name.removesuffix("/"))
        known = explicit if entry.is_folder else files
        if key in known:
            raise _refusal(f"the name {_shown(entry.name)} is in it twice")
        known.add(key)
        while key := key.rpartition("/")[0]:
            folders.add(key)
    for key in files & (folders | explicit):
        raise _refusal(f"{_shown(key)} is both a file and a folder in it")


def _check_layout(archive: bytes, entries: Sequence[_Entry]) -> None:
    """From the first byte to the directory: entry after entry, nothing shared, nothing between."""
    at = 0
    for entry in sorted(entries, key=lambda one: one.start):
        if entry.start != at:
            where = "share their bytes" if entry.start < at else "have something between them"
            raise _refusal(f"entries of it {where}")
        at = entry.end
        if entry.flags & _DESCRIPTOR:
            at += _descriptor(archive, entry)
    if at != _end(archive)[0]:
        raise _refusal("it holds something that its directory does not name")


def _descriptor(archive: bytes, entry: _Entry) -> int:
    """How long the sizes behind the data are: they come with or without a mark, and in two widths."""
    for mark in (_DESCRIPTOR_MARK, b""):
        for form in ("<III", "<IQQ"):
            told = mark + struct.pack(form, entry.crc, entry.packed, entry.size)
            if archive[entry.end : entry.end + len(told)] == told:
                return len(told)
    raise _refusal(f"{_shown(entry.name)} is cut off, or described in two ways")


def _content(archive: bytes, entry: _Entry) -> bytes:
    """The inflated bytes, bounded while they come: what the headers say of them is only compared."""
    limit = min(MAX_REPORT, max(SMALL, MAX_RATIO * entry.packed))
    # DEFLATE never makes anything much longer, so what is packed tells enough of a stored block's size.
    if entry.packed > MAX_REPORT or entry.size > limit:
        raise _refusal(f"its report has {entry.size} bytes, over the limit of {limit}")
    packed = archive[entry.data : entry.end]
    content = packed if entry.method == _STORED else _inflated(packed, limit)
    if len(content) != entry.size or zlib.crc32(content) != entry.crc:
        raise _refusal("its report is damaged (size or checksum)")
    return content


def _inflated(packed: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = stream.decompress(packed, limit + 1)
    except zlib.error as error:
        raise _refusal("its report is damaged") from error
    if len(content) > limit:
        raise _refusal(f"its report unpacks to more than {limit} bytes")
    if not stream.eof or stream.unused_data or stream.unconsumed_tail:
        raise _refusal("its report is cut off or has something behind its end")
    return content
