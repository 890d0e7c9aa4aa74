"""Which CUDA-looking names a C-family file declares itself: macros, types, functions, enumerators."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ahocorasick_rs import BytesAhoCorasick

# Each at the start of a line. The name is the only group that takes part.
_DEFINED = re.compile(
    rb"[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]+[^\s/\\]"
    rb"|[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]*\\\r?$"
    rb"|[ \t]*using[ \t]+(\w+)[ \t]*="
    rb"|[ \t]*namespace[ \t]+(\w+)[ \t]*="
    rb"|[ \t]*typedef\b[^;\n]*?\b(\w+)[ \t]*;"
    rb"|[ \t]*typedef\b[^;(\n]*\([ \t]*(?:\w+[ \t]*)?\*[ \t]*(\w+)[ \t]*\)"  # of a function pointer
    rb"|[ \t]*(?:struct|class|union|enum(?:[ \t]+class)?)[ \t]+(\w+)[ \t]*(?::[^:{;\n]*)?[{\r\n]"
    rb"|[ \t]*(?:(?:static|extern|inline|constexpr|const)[ \t]+)+[\w:*&<>]+[ \t]+[*&]?(\w+)[ \t]*[=;{]"
    # a function of this name, its type on the same line or above
    rb"|(?:[ \t]*[A-Za-z_][\w \t*&:<>,]*[ \t*&])?(\w+)[ \t]*\([^;{}()]*\)[ \t\r\n]*\{"
    rb"|[ \t]*(?:struct|class|union)[ \t]+(\w+)[ \t]*;",
    re.MULTILINE,
)
_SYNC = re.compile(rb"__\w+_sync")
_OWN_WORK = re.compile(
    r"__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|builtin_\w+|hip_\w+)\s*\(|\basm\b|64|\blong\b"
)
_LONGEST_BODY = 2000
_USING_NAME = re.compile(rb"[ \t]*using[ \t]+[\w:]*::(\w+)[ \t]*;")
# Anywhere on a line.
_TAG = re.compile(rb"\btypedef[ \t]+(?:struct|enum|union)[ \t]+(\w+)")
_CLOSED = re.compile(rb"\}[ \t]*(\w+)[ \t]*;")  # typedef enum { … } cublasStatus_t;
_ENUM = re.compile(rb"\benum\b[^;{}()]*\{([^{}]*)\}")
_ENUMERATOR = re.compile(rb"(?:^|,)(?:\s|/\*.*?\*/|//[^\n]*\n)*(\w+)", re.DOTALL)
_FOREIGN = re.compile(
    rb"(?:_?(?:cu|CU|nv|NV)|__|make_cu)\w+|tex[123]D\w*|surf[123]D\w*|(?:texture|surface)Reference"
    rb"|libraryPropertyType(?:_t)?|(?:syevj|gesvdj|csr\w*|bsr\w*|prune)Info(?:Host)?(?:_t)?"
)
# How these names begin, and what may stand before one where it is declared.
_STEMS = (
    "cu", "CU", "nv", "NV", "_cu", "_CU", "_nv", "_NV", "__", "make_cu", "tex1D", "tex2D", "tex3D", "surf1D",
    "surf2D", "surf3D", "textureReference", "surfaceReference", "libraryProperty", "syevj", "gesvdj", "csr",
    "bsr", "prune",
)  # fmt: skip
_BEFORE = "\n \t*&:}{,/>"


class Places:
    """Offset → 1-based line, its table made when first asked for."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        if self._starts is None:
            self._starts = [m.end() for m in re.finditer(b"\n", self._data)]
        return bisect_right(self._starts, offset) + 1


def declared(data: bytes) -> dict[str, tuple[int, ...]]:
    """Name → the 1-based lines on which a file of these bytes declares it.

    Only lines that hold the beginning of such a name are looked at: to try all patterns on all lines of a
    large project's headers takes seconds.
    """
    found: dict[str, tuple[int, ...]] = {}
    lines = list(_lines(data))
    if not lines:
        return found
    places = Places(data)

    def define(match: re.Match[bytes], shift: int = 0) -> None:
        name = match[match.lastindex or 0]
        if _FOREIGN.fullmatch(name) and not _is_overload(data, match, name):
            line = places.line(match.start(match.lastindex or 0) + shift)
            found[name.decode()] = (*found.get(name.decode(), ()), line)

    for start, end in lines:
        for match in _on_line(data, start, end):
            define(match)
    if b"enum" in data:
        for body in _ENUM.finditer(data):
            for one in _ENUMERATOR.finditer(body[1]):
                define(one, body.start(1))
    return found


def forwards(name: str, body: str) -> bool:
    """Whether a function of that name only hands its mask on to its own name: it is an overload."""
    call = re.search(rf"\b{name}\s*\(\s*[A-Za-z_]\w*\s*,", body)
    return call is not None and _OWN_WORK.search(body) is None


def _is_overload(data: bytes, match: re.Match[bytes], name: bytes) -> bool:
    """Whether it hands on to the vendor's `__*_sync` of its name, which so stays what it is."""
    if not match[0].endswith(b"{") or not _SYNC.fullmatch(name):
        return False
    body = data[match.end() : match.end() + _LONGEST_BODY].decode("utf-8", "replace")
    return forwards(name.decode(), body[: _length(body)])


def _length(body: str) -> int:
    """Where the brace that is open at its beginning closes."""
    depth = 1
    for brace in re.finditer(r"[{}]", body):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    return len(body)


def _on_line(data: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
    first = _DEFINED.match(data, start) or _USING_NAME.match(data, start)
    if first is not None:
        yield first
    if data.find(b"}", start, end) >= 0:
        yield from _CLOSED.finditer(data, start if first is None else first.end(), end)
    if data.find(b"typedef", start, end) >= 0:
        yield from _TAG.finditer(data, start, end)


def _lines(data: bytes) -> Iterator[tuple[int, int]]:
    """(start, end) of the lines that may declare a foreign name."""
    end = -1
    # One newline more: what stands at the very beginning has nothing before it.
    for _, _, hit in _searcher().find_matches_as_indexes(b"\n" + data):
        if hit - 1 > end:
            start = data.rfind(b"\n", 0, hit - 1) + 1
            end = data.find(b"\n", hit - 1)
            end = len(data) if end < 0 else end
            yield start, end


@cache
def _searcher() -> BytesAhoCorasick:
    from ahocorasick_rs import BytesAhoCorasick  # noqa: PLC0415 - the scan has it loaded, others need not

    return BytesAhoCorasick([f"{a}{b}".encode() for a in _BEFORE for b in _STEMS])
