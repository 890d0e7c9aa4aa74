"""Messages that span several lines: CMake's, and Python tracebacks of a setup script."""

from __future__ import annotations

import re

from rocm_ci.build.draft import Draft, Place
from rocm_ci.model.finding import Severity

_CMAKE = re.compile(
    r"^\s{0,8}CMake (?P<kind>Error|Warning|Deprecation Warning|Deprecation Error)(?: \(dev\))?"
    r"(?: at (?P<path>.{1,500}?):(?P<line>\d{1,9}) \([^)]*\)| in (?P<file>[^:]{1,500}))?:(?P<text>.*)$"
)
_CALL = re.compile(r"^\s+(?P<path>\S.{0,500}?):(?P<line>\d{1,9}) \([^)]*\)$")
_STACK = "Call Stack (most recent call first):"
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]{1,500})", line (?P<line>\d{1,9})')
_RAISED = re.compile(
    r"^(?P<name>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning))(?:: (?P<text>.*))?$"
)
_TRACEBACK = "Traceback (most recent call last):"
MAX_PARAGRAPH = 20
MAX_FRAMES = 200


class CMakeBlock:
    """`CMake Error at F:L (cmd):`, an indented text, perhaps a call stack."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._blank = 0
        self._words: list[str] = [draft.message] if draft.message else []
        self._stack = False

    @classmethod
    def begin(cls, line: str, number: int) -> CMakeBlock | None:
        """A block, when `line` opens one."""
        found = _CMAKE.match(line)
        if found is None:
            return None
        path, at = found["path"] or found["file"], found["line"]
        severity = Severity.ERROR if "Error" in found["kind"] else Severity.WARNING
        place = Place(path.strip(), int(at) if at else None) if path else None
        return cls(Draft("cmake", severity, found["text"].strip(), number, place))

    def take(self, line: str) -> bool:
        """Whether `line` still belongs to the block."""
        if line.startswith(("-- ", "CMake ")) or (line and not line[0].isspace() and line != _STACK):
            return self._close()
        if not line.strip():
            self._blank += 1
            return True if self._blank < 3 else self._close()
        if line == _STACK:
            self._stack = True
        elif self._stack:
            call = _CALL.match(line)
            if call:
                self.draft.led_here(Place(call["path"], int(call["line"])))
        elif self._blank >= 2 and self._words:
            return self._close()
        elif len(self._words) < MAX_PARAGRAPH:
            self._words.append(line.strip())
        self._blank = 0
        return True

    def end(self) -> Draft:
        """The message, closed."""
        self._close()
        return self.draft

    def _close(self) -> bool:
        self.draft.message = " ".join(self._words) or "no reason was given"
        return False


class Traceback:
    """From `Traceback (most recent call last):` to the line that names the exception."""

    def __init__(self, number: int, indent: int) -> None:
        self._indent = indent
        self._frames: list[Place] = []
        self._number = number
        self.draft: Draft | None = None

    @classmethod
    def begin(cls, line: str, number: int) -> Traceback | None:
        """A traceback, when `line` opens one."""
        text = line.strip()
        return cls(number, len(line) - len(line.lstrip())) if text == _TRACEBACK else None

    def take(self, line: str) -> bool:
        """Whether `line` still belongs to it."""
        frame = _FRAME.match(line)
        if frame:
            if len(self._frames) < MAX_FRAMES:
                self._frames.append(Place(frame["path"], int(frame["line"])))
            return True
        if line[: self._indent + 1].strip() == "":
            return True
        raised = _RAISED.match(line.strip())
        if raised:
            self.draft = Draft(
                "python",
                Severity.ERROR,
                line.strip(),
                self._number,
                self._frames[-1] if self._frames else None,
                chain=list(reversed(self._frames)),
            )
        return False

    @property
    def program(self) -> str:
        """The script that raised: the first frame's file."""
        return self._frames[0].path if self._frames else ""
