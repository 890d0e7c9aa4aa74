"""The only writer to stdout and stderr: groups, steps, durations, untrusted output fenced. Thread-safe."""

from __future__ import annotations

import contextlib
import copy
import sys
import time
from typing import TYPE_CHECKING, TextIO

from rocm_ci.github import commands
from rocm_ci.tools.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.tools.mask import Mask

_CLEAN = dict.fromkeys([*range(9), *range(11, 32), 127])
_CLEAN |= dict.fromkeys(range(128, 160))


def printable(text: str) -> str:
    """Without control characters, so that a log line cannot move the cursor or recolour a terminal."""
    return text.translate(_CLEAN)


def _fence() -> tuple[str, str]:
    token = commands.stop_token()
    return f"::stop-commands::{token}", f"::{token}::"


class Log:
    """Progress goes to `err`, results to `out`. `actions` speaks GitHub's workflow commands.

    With `live`, `err` is a terminal on which `status` is rewritten in place.
    """

    def __init__(
        self,
        *,
        out: TextIO | None = None,
        err: TextIO | None = None,
        actions: bool = False,
        colour: bool = False,
        verbose: bool = False,
        live: bool = False,
    ) -> None:
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.actions = actions
        self.colour = colour
        self.verbose = verbose
        self.live = live and not actions
        self.name = ""
        self._stream = Stream(self.err, _fence)

    @property
    def mask(self) -> Mask | None:
        """Set once it is known whether the configuration wants it: then no line shows what it hides."""
        return self._stream.mask

    @mask.setter
    def mask(self, mask: Mask | None) -> None:
        self._stream.mask = mask

    def named(self, name: str) -> Log:
        """The same log for something that runs beside others: its lines carry its name."""
        other = copy.copy(self)
        other.name = printable(name)
        return other

    def result(self, text: str) -> None:
        """The product of a command: the only thing on standard output."""
        self.out.write(text if text.endswith("\n") else text + "\n")
        self.out.flush()

    def info(self, text: str) -> None:
        """One line of progress."""
        text = printable(self._told(text))
        self._stream.line(commands.harmless(text) if self.actions else text)

    def status(self, text: str) -> None:
        """The line at the bottom of a terminal, in the place of the one before; nothing elsewhere."""
        if self.live:
            self._stream.status(" ".join(printable(text).split()))

    def warning(self, text: str) -> None:
        """Something the reader should know; an annotation in a workflow."""
        text = self._told(text)
        if self.actions:
            self._stream.command(commands.command("warning", text))
        else:
            self._stream.line(self._paint("33", f"warning: {text}"))

    def error(self, text: str, hint: str = "") -> None:
        """What went wrong and what to do next."""
        text = self._told(text)
        if self.actions:
            self._stream.command(commands.command("error", f"{text}\n{hint}" if hint else text))
            return
        arrow = f"  → {printable(hint)}" if hint else None
        self._stream.line(*filter(None, (self._paint("31", f"error: {text}"), arrow)))

    def command(self, line: str) -> None:
        """One workflow command as `rocm_ci.github.commands` made it; nothing outside a workflow."""
        if self.actions:
            self._stream.command(line)

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """A titled block with its duration; a foldable group in a workflow, where those cannot be nested."""
        began = time.monotonic()
        is_group = self.actions and self._stream.open_group(f"::group::{commands.escape_data(title)}")
        if not is_group:
            told = printable(self._told(f"▸ {title}"))
            self._stream.line(commands.harmless(told) if self.actions else self._paint("1", told))
        try:
            yield
        finally:
            self.info(f"  {title}: {time.monotonic() - began:.1f} s")
            if is_group:
                self._stream.close_group("::endgroup::")

    @contextlib.contextmanager
    def untrusted(self) -> Iterator[None]:
        """Inside, nothing that is printed can act as a workflow command.

        Several threads may be inside at once. Our own commands get through between two lines of theirs.
        """
        if not self.actions:
            yield
            return
        self._stream.close_fence()
        try:
            yield
        finally:
            self._stream.open_fence()

    def output(self, line: str) -> None:
        """One line of a child process. Call it inside `untrusted`."""
        if self.actions or self.verbose:
            name = f"{self.name} | " if self.name else ""
            text = f"  {name}{printable(line)}"
            # Whoever calls it outside of the fence must not open a hole.
            self._stream.line(text if self._stream.is_fenced else commands.harmless(text))

    def _told(self, text: str) -> str:
        if not self.name or text.lstrip().startswith(self.name):
            return text
        # Of a shard, `unit [2/8]`, most lines begin with the name of its suite.
        return f"{self.name}: {text.removeprefix(self.name.partition(' [')[0] + ': ')}"

    def _paint(self, code: str, text: str) -> str:
        text = printable(text)
        return f"\033[{code}m{text}\033[0m" if self.colour else text
