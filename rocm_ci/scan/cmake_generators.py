"""Generator expressions of CMake cut into the texts that they produce, each with its guard.

`$<$<COMPILE_LANGUAGE:CUDA>:-a>` gives `-a` for NVIDIA, `$<IF:$<BOOL:${USE_HIP}>,x,y>` gives `x` for AMD
and `y` for NVIDIA. Blanks split an unquoted expression into several arguments, so the state is kept
from one argument of a command to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan import cmake_conditions, vendor
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

# Their value is 0 or 1, so their arguments are no text of the build.
_ASKS = frozenset({
    "BOOL", "NOT", "AND", "OR", "STREQUAL", "EQUAL", "IN_LIST", "VERSION_LESS", "VERSION_GREATER",
    "VERSION_EQUAL", "VERSION_LESS_EQUAL", "VERSION_GREATER_EQUAL", "TARGET_EXISTS", "CONFIG",
    "PLATFORM_ID", "C_COMPILER_ID", "CXX_COMPILER_ID", "CUDA_COMPILER_ID", "HIP_COMPILER_ID",
    "CUDA_COMPILER_VERSION", "CXX_COMPILER_VERSION", "COMPILE_LANG_AND_ID", "COMPILE_LANGUAGE",
    "LINK_LANG_AND_ID", "LINK_LANGUAGE", "COMPILE_FEATURES", "LIST",
})  # fmt: skip
_OPTIONAL = frozenset({"TARGET_NAME_IF_EXISTS"})
_DEEPEST = 50


@dataclass(slots=True)
class _Frame:
    """An open `$<`. `asked` is the text of its condition, until the colon or comma behind it."""

    outer: Guard
    guard: Guard
    asked: str | None = None
    is_if: bool = False
    outcome: Outcome = UNKNOWN
    silent: bool = False


class Generators:
    """Reads the arguments of one command, in order."""

    def __init__(self) -> None:
        self._frames: list[_Frame] = []

    @property
    def is_open(self) -> bool:
        """Whether an expression goes on in the next argument."""
        return bool(self._frames)

    def pieces(self, text: str) -> Iterator[tuple[int, str, Guard]]:
        """(offset, text, guard) of what the expressions in one argument produce."""
        start = position = 0
        while position < len(text):
            if text.startswith("$<", position):
                yield from self._piece(text, start, position)
                position = start = self._open(text, position + 2)
            elif text[position] == ">" and self._frames and text[position - 1 : position] != "-":
                yield from self._piece(text, start, position)
                self._close()
                position += 1
                start = position
            elif self._frames and text[position] in ":," and self._turns(text[position]):
                position += 1
                start = position
            else:
                self._note(text[position])
                position += 1
        yield from self._piece(text, start, len(text))

    def _piece(self, text: str, start: int, end: int) -> Iterator[tuple[int, str, Guard]]:
        frame = self._frames[-1] if self._frames else None
        if end > start and (frame is None or (frame.asked is None and not frame.silent)):
            yield start, text[start:end], frame.guard if frame else Guard.NONE

    def _open(self, text: str, position: int) -> int:
        """Begin an expression whose name or condition stands at `position`."""
        for frame in self._frames:
            if frame.asked is not None:
                frame.asked += "$<"
        outer = self._frames[-1].guard if self._frames else Guard.NONE
        if len(self._frames) > _DEEPEST:
            return len(text)
        if text.startswith("$<", position) or text[position : position + 2] in ("0:", "1:"):
            self._frames.append(_Frame(outer, outer, asked=""))
            return position
        end = position
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        name = text[position:end]
        for frame in self._frames:
            if frame.asked is not None:
                frame.asked += text[position : end + 1]
        silent = name in _ASKS or (bool(self._frames) and self._frames[-1].silent)
        frame = _Frame(outer, outer, silent=silent)
        if name == "IF":
            frame.asked, frame.is_if = "", True
        elif name in _OPTIONAL:
            frame.guard = vendor.both(outer, Guard.EITHER)
        self._frames.append(frame)
        return min(end + 1, len(text)) if text[end : end + 1] == ":" else end

    def _note(self, char: str) -> None:
        for frame in self._frames:
            if frame.asked is not None:
                frame.asked += char

    def _turns(self, char: str) -> bool:
        """A condition ends at its colon, that of IF at a comma; the next comma of IF begins `else`."""
        frame = self._frames[-1]
        if frame.asked is not None and char == ("," if frame.is_if else ":"):
            frame.outcome = cmake_conditions.of_expression(frame.asked)
            frame.guard = vendor.both(frame.outer, frame.outcome.true)
            frame.asked = None
            return True
        if frame.is_if and frame.asked is None and char == ",":
            frame.guard = vendor.both(frame.outer, frame.outcome.false)
            return True
        return False

    def _close(self) -> None:
        self._frames.pop()
        self._note(">")
