"""Asynchronous copies of memory that is not pinned, and shared memory handles before a copy has ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments_and_end
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_COPY = re.compile(r"\b(?:hip|cuda|gpu)Memcpy(?:2D|3D)?(?:Async|HtoDAsync|DtoHAsync)\s*\(")
_NAME = re.compile(r"(?:\([\w\s:*&]+\)\s*)?&?\s*([A-Za-z_]\w*)")
_FIRST_ELEMENT = re.compile(r"&\s*([A-Za-z_]\w*)\s*\[")
_DATA = re.compile(r"(?:\([\w\s:*&]+\)\s*)?([A-Za-z_]\w*)\s*(?:\.|->)\s*(?:data|get|begin|c_str)\s*\(\s*\)")
_PINNED = (
    r"(?:(?:hip|cuda|gpu)(?:HostMalloc|HostAlloc|MallocHost|HostRegister|MallocManaged|FreeHost)"
    r"|(?:hip|cuda)MemAllocHost|pinned|Pinned|page_?locked)"
)
# With the name in the place of {}; white space is not squeezed.
_CONTAINER = (
    r"\bstd::(?:vector|array|string|unique_ptr)\s*<[^;{{}}]*>[\s&]+(?:\w+\s*,\s*)*{0}\b|\bstd::string\s+{0}\b"
)
_ALLOCATOR = r"\bstd::\w+\s*<[^;]*[aA]lloc[^;]*>\s*{0}\b"
_CAST = r"(?:\([\w\s:*]+\)\s*|(?:static|reinterpret)_cast\s*<[^<>]*>\s*\(\s*)?"
_ALLOCATED = r"\b{0}\s*(?:=|\()\s*" + _CAST + r"(?:std::)?(?:malloc|calloc|aligned_alloc|realloc|new)\b"
_NUMBER = r"(?<![\w*])(?:float|double|int|unsigned|char|half|short|long|bool|(?:std::)?u?int\d+_t|size_t)\s+"
_ON_STACK = _NUMBER + r"{0}\s*\[[^\]]*\]\s*[;={{]"
_LOCAL = _NUMBER + r"{0}\s*(?:[;=,{{])"
_FARTHEST = 5000  # characters in which the memory must have been made
_IPC = re.compile(r"\b(?:hip|cuda|gpu)Ipc(?:Get|Open)MemHandle\s*\(")
_WAITS = re.compile(r"\b\w*(?:Synchronize|StreamWaitEvent|[sS]ync|EventQuery|wait)\w*\s*\(")


class PageableCopy:
    """`hipMemcpyAsync` from `std::vector`, `malloc`, `new` or the stack; IPC handles without waiting."""

    name = "pageable-copy"
    needles = ("Memcpy",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        known: dict[tuple[object, ...], bool] = {}
        for found, line, column in file.search(_COPY, guards=(Guard.NONE, Guard.AMD)):
            given, end = arguments_and_end(file.code, found.end())
            text = found[0].rstrip("( \t\n")
            here = Match(line, column, column + len(text), text)
            if len(given) < 3:
                continue
            function = file.functions.at(found.start())
            key = (function, *given[:3])
            if key not in known:
                known[key] = any(_is_pageable(file, found.start(), one) for one in given[:3])
            if known[key]:
                yield here
            elif (shared := _shared_before_end(file, end)) is not None:
                yield _ipc(file, shared)


def _is_pageable(file: CFile, offset: int, argument: str) -> bool:
    """Whether the function around a copy makes the memory itself, in a way that does not pin it."""
    function = file.functions.at(offset)
    if function is None:
        return False
    data = _DATA.fullmatch(argument.split("+", maxsplit=1)[0].strip())
    element = _FIRST_ELEMENT.match(argument)
    plain = _NAME.fullmatch(argument.split("+", maxsplit=1)[0].strip())
    named = data or element or plain
    if named is None:
        return False
    name, body = named[1], file.code[max(function.header, offset - _FARTHEST) : offset]
    if re.search(rf"{_PINNED}[^;]*\b{name}\b|\b{name}\b[^;]*{_PINNED}", body):
        return False
    if (data or element) and re.search(_CONTAINER.format(name), body):
        return re.search(_ALLOCATOR.format(name), body) is None
    if re.search(_ALLOCATED.format(name), body) or re.search(_ON_STACK.format(name), body):
        return True
    address = argument.lstrip().startswith("&") and element is None
    own = file.code[max(function.start, offset - _FARTHEST) : offset]
    return address and re.search(_LOCAL.format(name), own) is not None


def _shared_before_end(file: CFile, end: int) -> re.Match[str] | None:
    """The call that hands out the memory after a copy, when nothing waits for the copy between."""
    function = file.functions.at(end)
    if function is None:
        return None
    found = _IPC.search(file.code, end, min(function.end, end + _FARTHEST))
    if found is None or _WAITS.search(file.code, end, found.start()):
        return None
    return found


def _ipc(file: CFile, found: re.Match[str]) -> Match:
    line, column = file.lexed.place(found.start())
    text = found[0].rstrip("( \t\n")
    message = "`{match}` after an asynchronous copy that nothing waits for: others may see the old contents"
    return Match(line, column, column + len(text), text, message=message)


DETECTOR: Detector = PageableCopy()
