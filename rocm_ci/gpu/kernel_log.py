"""The messages of the kernel from a moment on: `/dev/kmsg`, `dmesg`, the journal, or a recorded file.

No clock is compared: a position in the log is kept, so a clock that jumps changes nothing. Messages
that a program wrote into the kernel's log (which root in a container can) are left out.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rocm_ci.gpu.reader import clean
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocm_ci.tools.process import Captured, Runner

# A driver in trouble repeats itself without end; the beginning tells what there is to tell.
MAX_LINES = 20_000
MAX_RECORD = 8_192
MAX_FILE = 32_000_000
_TIMEOUT_S = 10.0
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})")
_DEVICE = re.compile(r"^ ?DEVICE=\+pci:(\S{1,20})$", re.MULTILINE)
_DMESG = re.compile(r"^(?:<(?P<level>\d{1,4})>)?\[ *(?P<at>\d{1,10}\.\d{1,9})\] ?(?P<text>.*)$")
_JOURNAL = re.compile(r"^(\[[ \d.]+\]) \S+ kernel: ", re.MULTILINE)
# The system call tells who wrote a message, which `dmesg --raw` leaves out of what it reads from /dev/kmsg.
DMESG = ("dmesg", "--syslog", "--raw")
# Where a recorded machine keeps them, the kernel's own file first.
RECORDED = ("dev/kmsg", "var/log/kern.log", "dmesg.txt", "dmesg")


@dataclass(frozen=True, slots=True)
class Line:
    """One message: seconds since the machine started, its text, and the PCI device it is about."""

    at_s: float
    text: str
    device: str | None = None

    @property
    def shown(self) -> str:
        """As `dmesg` prints it."""
        return f"[{self.at_s:12.6f}] {self.text}"


class Tail(Protocol):
    """A place in the log; what came after it is read once."""

    def read(self) -> list[Line]:
        """The messages since the last time; at most `MAX_LINES`. Never raises."""
        ...

    def close(self) -> None:
        """Let go of it. Twice is no fault."""
        ...


class KernelLog:
    """How this host's log can be read; found out with the first look. `problem` says why it cannot."""

    def __init__(self, run: Runner, environment: Mapping[str, str], host: Path = Path("/")) -> None:
        self._run = run
        self._environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", **environment, "LC_ALL": "C.UTF-8"}
        self._host = host
        self._usable: type[_Dmesg] | type[_Journal] | None = None
        self.problem = ""

    def tail(self) -> Tail | None:
        """A place at the end of the log as it is now; None when nothing can be read."""
        if self.problem:
            return None
        with contextlib.suppress(OSError):
            if self._host != Path("/"):
                return _Recorded(self._host)
            if self._usable is None:
                return _Device()
        if self._host != Path("/"):
            self.problem = f"the kernel log of the recorded machine cannot be read ({RECORDED[0]})"
            return None
        said = []
        for kind in (self._usable,) if self._usable else (_Dmesg, _Journal):
            tail = kind(self._run, self._environment)
            if not tail.problem:
                self._usable = kind
                return tail
            said.append(tail.problem)
        self.problem = f"the kernel log cannot be read: {'; '.join(said)}"
        return None


class _Device:
    """`/dev/kmsg`. Raises OSError when it cannot be opened."""

    def __init__(self) -> None:
        self._descriptor = -1
        self._descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.lseek(self._descriptor, 0, os.SEEK_END)

    def read(self) -> list[Line]:
        """See `Tail.read`."""
        records: list[str] = []
        while self._descriptor >= 0 and len(records) < MAX_LINES:
            try:
                data = os.read(self._descriptor, MAX_RECORD)
            except OSError as error:
                # EPIPE: records were overwritten before we came, the next read goes on behind them.
                if error.errno in (errno.EPIPE, errno.EINVAL, errno.EINTR):
                    records.append("")
                    continue
                break
            if not data:
                break
            records.append(data.decode("utf-8", "replace"))
        return _parsed(records)

    def close(self) -> None:
        """See `Tail.close`."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()


class _Recorded:
    """A file that a recorded machine keeps its messages in; one that is not there yet is empty."""

    def __init__(self, host: Path) -> None:
        there = [host / name for name in RECORDED if (host / name).is_file()]
        self._path = there[0] if there else host / RECORDED[0]
        self._at = self._path.stat().st_size if there else 0

    def read(self) -> list[Line]:
        """See `Tail.read`."""
        source = file.read(self._path)
        if source is None:
            return []
        with source:
            size = os.fstat(source.fileno()).st_size
            start = self._at if size >= self._at else 0
            data = os.pread(source.fileno(), min(size - start, MAX_FILE), start)
        whole = data.rfind(b"\n") + 1
        self._at = start + whole
        # A line that begins with a space belongs to the record before it.
        return _parsed(re.split(r"\n(?! )", data[:whole].decode("utf-8", "replace")))

    def close(self) -> None:
        """See `Tail.close`."""


def _parsed(records: Iterable[str]) -> list[Line]:
    return [line for record in records if (line := parsed(record)) is not None][:MAX_LINES]


class _Command:
    """A program that prints the log. Its `problem` says why it does not."""

    def __init__(self, run: Runner, environment: Mapping[str, str]) -> None:
        self._run = run
        self._environment = environment
        self.problem = ""

    def ask(self, *argv: str) -> Captured:
        """Run it; a failure becomes `problem`."""
        done = self._run.capture(argv, env=self._environment, timeout_s=_TIMEOUT_S)
        self.problem = ""
        if done.timed_out:
            self.problem = f"{argv[0]} did not answer within {_TIMEOUT_S:g} s"
        elif done.exit_code != 0:
            said = clean(done.error_text or done.text).strip().splitlines()
            self.problem = said[-1][:200] if said else f"{argv[0]} ended with code {done.exit_code}"
        return done

    def close(self) -> None:
        """See `Tail.close`."""


class _Dmesg(_Command):
    """`dmesg`: all of the log each time; the last stamp and the lines that carry it are remembered."""

    def __init__(self, run: Runner, environment: Mapping[str, str]) -> None:
        super().__init__(run, environment)
        self._last_s = -1.0
        self._seen: set[str] = set()
        self.read()

    def read(self) -> list[Line]:
        """See `Tail.read`."""
        lines = printed(self.ask(*DMESG).text)
        if self.problem or not lines:
            return []
        new = [
            line
            for line in lines
            if line.at_s > self._last_s or (line.at_s == self._last_s and line.text not in self._seen)
        ]
        last_s = max(line.at_s for line in lines)
        if last_s >= self._last_s:
            self._last_s = last_s
            self._seen = {line.text for line in lines if line.at_s == last_s}
        return new[:MAX_LINES]


class _Journal(_Command):
    """`journalctl -k`, which remembers the place itself."""

    def __init__(self, run: Runner, environment: Mapping[str, str]) -> None:
        super().__init__(run, environment)
        self._cursor = ""
        self._lines("-n", "1")
        if not self.problem and not self._cursor:
            self.problem = "the journal holds no kernel messages"

    def read(self) -> list[Line]:
        """See `Tail.read`."""
        return self._lines("--after-cursor", self._cursor)

    def _lines(self, *since: str) -> list[Line]:
        # Facility 0 is the kernel's; what programs wrote to /dev/kmsg has another one.
        argv = ("journalctl", "-k", "--no-pager", "-o", "short-monotonic", "--show-cursor", *since)
        text, _, last = self.ask(*argv, "SYSLOG_FACILITY=0").text.rstrip("\n").rpartition("\n")
        if last.startswith("-- cursor: "):
            self._cursor = last.removeprefix("-- cursor: ")
        else:
            text += f"\n{last}"
        return printed(_JOURNAL.sub(r"\1 ", text))[:MAX_LINES]


def parsed(record: str) -> Line | None:
    """A record of `/dev/kmsg`, or a line as `dmesg` prints it; None when it is not the kernel's own."""
    head, separator, body = record.partition(";")
    fields = head.split(",")
    if not separator or len(fields) < 3 or not all(f.isascii() and f.isdigit() for f in fields[:3]):
        return next(iter(printed(record.partition("\n")[0])), None)
    if int(fields[0][:6]) >> 3:
        return None
    text, _, more = body.partition("\n")
    device = _DEVICE.search(more)
    return Line(int(fields[2][:18]) / 1e6, _text(text), device.group(1) if device else None)


def printed(text: str) -> list[Line]:
    """What a program printed of the log, without what other programs wrote into it.

    Of a message with line ends in it (a name that a program chose may hold some) each line has the stamp of
    the first: such lines are one message. Nothing else that ends a line for Python does so for the kernel.
    """
    found: list[Line] = []
    before = ""
    for raw in text.split("\n"):
        match = _DMESG.match(raw[:MAX_RECORD])
        if match is None or int(match["level"] or 0) >> 3:
            continue
        head, said = raw[: match.start("text")], _text(match["text"])
        if head == before:
            said = f"{found.pop().text} {said}"[:MAX_RECORD]
        found.append(Line(float(match["at"]), said))
        before = head
    return found


def _text(text: str) -> str:
    unescaped = _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), text) if "\\x" in text else text
    return clean(unescaped[:MAX_RECORD]).replace("\n", " ").strip()
