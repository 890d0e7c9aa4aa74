"""One line of a build log, made plain: no colours, no progress bar, no control characters."""

from __future__ import annotations

import re

from rocm_ci.log import printable

MAX_LINE = 2000
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)")
# `docker build` puts the step and the time before each line.
_DOCKER = re.compile(r"^#\d+ \d+\.\d+ ")


def plain(line: str) -> str:
    """`line` without escapes; of a line drawn over several times, the last drawing."""
    if "\x1b" in line:
        line = _ESCAPES.sub("", line)
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if part.strip()), "")
    if line.startswith("#"):
        line = _DOCKER.sub("", line)
    line = line[:MAX_LINE]
    return (line if line.isprintable() else printable(line)).rstrip()
