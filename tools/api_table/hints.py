"""`hints.txt`: what to do instead of names that HIP lacks. Kept by hand; the scanner reads a copy by key."""

from __future__ import annotations

import re
from pathlib import Path

FILE = Path(__file__).with_name("hints.txt")


def entries(text: str) -> list[tuple[str, re.Pattern[str], str]]:
    """(key, names, advice) of every line, parted by tabs; the first pattern that fits a name wins."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, pattern, advice = line.split("\t")
            found.append((key, re.compile(pattern), advice))
    return found


def as_list(text: str) -> str:
    """The file that the scanner reads: a key and its advice a line."""
    lines = dict.fromkeys(f"{key} {advice}" for key, _, advice in entries(text))
    return "# What to do instead. Made from tools/api_table/hints.txt.\n" + "\n".join(lines) + "\n"
