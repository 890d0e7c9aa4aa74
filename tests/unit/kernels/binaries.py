"""Built files in miniature: just enough of ELF, bundles and archives for the readers under test."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import msgspec

EM_X86_64 = 62
EM_AMDGPU = 0xE0
SHT_NOTE = 7
GFX90A_V4 = 0x3F | 0x500  # xnack and sramecc «any»


def elf(
    sections: dict[str, tuple[int, bytes]] | None = None,
    *,
    machine: int = EM_X86_64,
    flags: int = 0,
    abi_version: int = 2,
) -> bytes:
    """A 64-bit little-endian file with the named sections: name → (type, content)."""
    sections = sections or {}
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*sections, ".shstrtab"))
    body, headers = b"", [(0, 0, 0, 0)]
    for name, (kind, content) in (*sections.items(), (".shstrtab", (3, names))):
        offset = 64 + len(body)
        headers.append((names.index(b"\0" + name.encode() + b"\0") + 1, kind, offset, len(content)))
        body += content
    table = b"".join(struct.pack("<IIQQQQIIQQ", n, k, 0, 0, o, s, 0, 0, 1, 0) for n, k, o, s in headers)
    ident = b"\x7fELF\x02\x01\x01\x40" + bytes([abi_version]) + bytes(7)
    shape = (3, machine, 1, 0, 0, 64 + len(body), flags, 64, 56, 0, 64, len(headers), len(headers) - 1)
    return ident + struct.pack("<HHIQQQIHHHHHH", *shape) + body + table


def note(content: bytes, *, owner: bytes = b"AMDGPU\0", kind: int = 32) -> bytes:
    """One entry of a note section."""
    head = struct.pack("<III", len(owner), len(content), kind)
    return head + owner + bytes(-len(owner) % 4) + content + bytes(-len(content) % 4)


def kernel(name: str = "k", **fields: object) -> dict[str, object]:
    """An entry of `amdhsa.kernels`, with the keys that readers do not ask for as well."""
    known = {
        ".name": name,
        ".symbol": f"{name}.kd",
        ".vgpr_count": 4,
        ".sgpr_count": 8,
        ".args": [{".size": 8}],
    }
    return known | {f".{key}": value for key, value in fields.items()}


def code_object(*kernels: dict[str, object], flags: int = GFX90A_V4, abi_version: int = 2) -> bytes:
    """An AMDGPU code object with its metadata note."""
    tree = {"amdhsa.kernels": list(kernels), "amdhsa.version": [1, 1]}
    packed = msgspec.msgpack.encode(tree)
    return elf({".note": (SHT_NOTE, note(packed))}, machine=EM_AMDGPU, flags=flags, abi_version=abi_version)


def bundle(entries: dict[str, bytes]) -> bytes:
    """An offload bundle: target → image; the host comes first, empty."""
    named = {"host-x86_64-unknown-linux-gnu": b""} | {
        f"hipv4-amdgcn-amd-amdhsa--{target}": image for target, image in entries.items()
    }
    offset = 32 + sum(24 + len(name) for name in named)
    head, body = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(named)), b""
    for name, image in named.items():
        head += struct.pack("<QQQ", offset + len(body), len(image), len(name)) + name.encode()
        body += image
    return head + body


def packed(content: bytes, *, version: int = 2, size: int | None = None, method: int = 0) -> bytes:
    """A compressed bundle with the header of one of LLVM's three versions."""
    data = zlib.compress(content)
    unpacked = len(content) if size is None else size
    match version:
        case 1:
            header = struct.pack("<IQ", unpacked, 0)
        case 2:
            header = struct.pack("<IIQ", 24 + len(data), unpacked, 0)
        case _:
            header = struct.pack("<QQQ", 32 + len(data), unpacked, 0)
    return b"CCOB" + struct.pack("<HH", version, method) + header + data


def archive(*members: bytes) -> bytes:
    """A static library with a symbol table in front."""
    text = b"!<arch>\n"
    for name, content in ((b"/", b"\0\0\0\0"), *((b"m.o/", m) for m in members)):
        text += name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) * 2 + b"644".ljust(8)
        text += str(len(content)).encode().ljust(10) + b"`\n" + content + b"\n" * (len(content) % 2)
    return text


def fat_object(*bundles: bytes) -> bytes:
    """A host object whose bundles stand page by page in one section, as the linker leaves them."""
    content = b"".join(b + bytes(-len(b) % 4096) for b in bundles)
    return elf({".text": (1, b"\x90"), ".hip_fatbin": (1, content)})


def offload_binary(arch: str, image: bytes) -> bytes:
    """LLVM's offload binary, version 1."""
    words = [("arch", arch), ("triple", "amdgcn-amd-amdhsa")]
    table_at, strings_at = 72, 72 + 16 * len(words)
    table, strings = b"", b""
    for key, value in words:
        at = strings_at + len(strings)
        table += struct.pack("<QQ", at, at + len(key) + 1)
        strings += key.encode() + b"\0" + value.encode() + b"\0"
    image_at = strings_at + len(strings)
    entry = struct.pack("<HHIQQQQ", 1, 4, 0, table_at, len(words), image_at, len(image))
    size = image_at + len(image)
    return (
        b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 1, size, 32, len(entry)) + entry + table + strings + image
    )


def wheel(members: dict[str, bytes]) -> bytes:
    """A wheel with the given files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return file.getvalue()
