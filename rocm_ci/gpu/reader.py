"""The port through which collectors see a machine, live or recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# A tool that prints more than this is broken or hostile; the head is enough for every format.
MAX_TEXT = 8_000_000
MAX_FILE = 1_000_000

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ", re.MULTILINE)
# What a text editor, a browser or a terminal recorder leaves behind.
_LINE_END = re.compile(r"\r+\n")
_ODD = {0xFEFF: None, 0xA0: " "}
_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])


@dataclass(frozen=True, kw_only=True)
class Output:
    """What one command printed, colours and control characters removed.

    `exit_code` is None in a recording. `argv` is empty when nobody wrote down what was run.
    """

    text: str
    error: str = ""
    exit_code: int | None = None
    argv: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A program that knows something. A recording of it is recognised by its shape.

    `recorded` are files that hold its output in a tree that stands in for a machine (`--sysroot`): it is
    not run then, because it would speak of the machine that we are on.
    """

    name: str
    commands: tuple[tuple[str, ...], ...]
    recognise: Callable[[str], bool]
    timeout_s: float = 8.0
    recorded: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """All outputs of a tool, and in one sentence why there is none or what went wrong."""

    outputs: tuple[Output, ...] = ()
    problem: str = ""


class Reader(Protocol):
    """A machine to ask. Every call is bounded in time and size and never raises for what it finds."""

    environment: Mapping[str, str]

    def ask(self, tool: Tool) -> Answer:
        """Run the tool's commands, or find their recordings."""
        ...

    def text(self, path: str) -> str | None:
        """A small file by absolute path; None when it is absent or unreadable."""
        ...

    def names(self, path: str) -> tuple[str, ...]:
        """Sorted names in a folder; empty when it is absent or unreadable."""
        ...

    def resolve(self, path: str) -> str:
        """The path with links followed, as far as that is known."""
        ...


def clean(text: str) -> str:
    """Without colours, control characters and the time stamps that CI logs put before each line."""
    plain = _COLOUR.sub("", _LINE_END.sub("\n", text[:MAX_TEXT])).translate(_ODD)
    return _STAMP.sub("", plain).translate(_CONTROL)


def complaint(text: str) -> str:
    """The line of an output that says what is wrong, shortened; empty when there is none."""
    lines = [line.strip() for line in text.splitlines()[:400] if line.strip()]
    for word in ("error", "not found", "no such", "unable", "denied", "fail", "not loaded"):
        for line in lines:
            if word in line.lower():
                return line.removeprefix("ERROR:root:")[:200]
    return lines[-1][:200] if lines else ""
