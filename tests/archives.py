"""Zip archives as uploaders make them, and as attackers do."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile


def packed(
    *files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b""
) -> bytes:
    """A zip archive as Python writes it to a file that can be sought."""
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(out, "w", method) as made:
            for name, content in files:
                made.writestr(name, content)
            made.comment = comment
    return out.getvalue()


def streamed(*files: tuple[str, bytes]) -> bytes:
    """As upload-artifact and GitHub's own packer write it: sizes behind the data."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, part: object) -> int:
            self.data += bytes(part)  # type: ignore[call-overload]
            return len(bytes(part))  # type: ignore[call-overload]

    out = Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files:
            made.writestr(name, content)
    return bytes(out.data)


def special(name: str, mode: int, content: bytes = b"") -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info, content


def patched(data: bytes, mark: bytes, offset: int, form: str, value: int, *, which: int = 0) -> bytes:
    """`data` with one number behind the n-th `mark` replaced."""
    at = -1
    for _ in range(which + 1):
        at = data.index(mark, at + 1)
    out = bytearray(data)
    struct.pack_into(form, out, at + offset, value)
    return bytes(out)
