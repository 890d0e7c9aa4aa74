"""Whole processes: wall seconds, and the memory of everything they start."""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6
EVERY_S = 0.01


@dataclass(frozen=True)
class Contender:
    """One command. `corpus` names what it reads; `most_rounds` 0 means once, without warming up."""

    name: str
    argv: tuple[str, ...]
    cwd: Path
    corpus: str
    env: dict[str, str] = field(default_factory=dict)
    most_rounds: int = 99
    codes: tuple[int, ...] = (0, 1)
    first_line: bool = False  # measured until the first line of output, not until the end

    def started(self, *, errors: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.argv,
            cwd=self.cwd,
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if self.first_line else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if self.first_line else errors,
        )


@dataclass
class Measured:
    contender: Contender
    seconds: list[float] = field(default_factory=list)
    peak_mb: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.contender.name,
            "command": list(self.contender.argv),
            "corpus": self.contender.corpus,
            "seconds": [round(one, 4) for one in self.seconds],
            "min_s": round(min(self.seconds), 4),
            "median_s": round(self.median, 4),
            "max_s": round(max(self.seconds), 4),
            "peak_mb": None if self.peak_mb is None else round(self.peak_mb, 1),
        }


def seconds(contender: Contender) -> float:
    """Wall seconds of one run, process start included."""
    began = time.perf_counter()
    process = contender.started()
    if process.stdout is not None:
        process.stdout.readline()
        took = time.perf_counter() - began
        process.communicate()
        return took
    _, errors = process.communicate()
    took = time.perf_counter() - began
    if process.returncode not in contender.codes:
        tail = errors.decode("utf-8", "replace")[-600:]
        raise SystemExit(f"{contender.name}: exit code {process.returncode}\n{tail}")
    return took


def peak_mb(contender: Contender) -> float:
    """The largest sum of resident memory that a process and its descendants were seen with."""
    process = contender.started(errors=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, sum(map(_resident_mb, _tree(process.pid))))
        time.sleep(EVERY_S)
    return peak


def _tree(pid: int) -> list[int]:
    found, queue = [], [pid]
    while queue:
        one = queue.pop()
        found.append(one)
        with contextlib.suppress(OSError):  # it ended meanwhile
            for task in Path(f"/proc/{one}/task").glob("*/children"):
                queue += map(int, task.read_text().split())
    return found


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_MB
    except (OSError, IndexError):
        return 0.0
