"""The only writer to stdout and stderr: groups, steps, durations, untrusted output fenced."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, TextIO

from rocm_ci.github import commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.tools.mask import Mask

_CLEAN = dict.fromkeys([*range(9), *range(11, 32), 127])
_CLEAN |= dict.fromkeys(range(128, 160))


def printable(text: str) -> str:
    """Without control characters, so that a log line cannot move the cursor or recolour a terminal."""
    return text.translate(_CLEAN)


class Log:
    """Progress goes to `err`, results to `out`. `actions` speaks GitHub's workflow commands."""

    def __init__(
        self,
        *,
        out: TextIO | None = None,
        err: TextIO | None = None,
        actions: bool = False,
        colour: bool = False,
        verbose: bool = False,
    ) -> None:
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.actions = actions
        self.colour = colour
        self.verbose = verbose
        # Set once it is known whether the configuration wants it: from then on no line shows what it hides.
        self.mask: Mask | None = None

    def result(self, text: str) -> None:
        """The product of a command: the only thing on standard output."""
        self.out.write(text if text.endswith("\n") else text + "\n")
        self.out.flush()

    def info(self, text: str) -> None:
        """One line of progress."""
        text = printable(text)
        self._line(commands.harmless(text) if self.actions else text)

    def warning(self, text: str) -> None:
        """Something the reader should know; an annotation in a workflow."""
        self._line(
            commands.command("warning", text) if self.actions else self._paint("33", f"warning: {text}")
        )

    def error(self, text: str, hint: str = "") -> None:
        """What went wrong and what to do next."""
        if self.actions:
            self._line(commands.command("error", f"{text}\n{hint}" if hint else text))
            return
        self._line(self._paint("31", f"error: {text}"))
        if hint:
            self._line(f"  → {printable(hint)}")

    def command(self, line: str) -> None:
        """One workflow command as `rocm_ci.github.commands` made it; nothing outside a workflow."""
        if self.actions:
            self._line(line)

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """A titled block with its duration; a foldable group in a workflow."""
        began = time.monotonic()
        self._line(
            f"::group::{commands.escape_data(title)}" if self.actions else self._paint("1", f"▸ {title}")
        )
        try:
            yield
        finally:
            took = f"  {title}: {time.monotonic() - began:.1f} s"
            self._line(took)
            if self.actions:
                self._line("::endgroup::")

    @contextlib.contextmanager
    def untrusted(self) -> Iterator[None]:
        """Inside, nothing that is printed can act as a workflow command."""
        if not self.actions:
            yield
            return
        token = commands.stop_token()
        self._line(f"::stop-commands::{token}")
        try:
            yield
        finally:
            self._line(f"::{token}::")

    def output(self, line: str) -> None:
        """One line of a child process. Call it inside `untrusted`."""
        if self.actions or self.verbose:
            self._line("  " + printable(line))

    def _paint(self, code: str, text: str) -> str:
        text = printable(text)
        return f"\033[{code}m{text}\033[0m" if self.colour else text

    def _line(self, text: str) -> None:
        self.err.write((self.mask.text(text) if self.mask else text) + "\n")
        self.err.flush()
