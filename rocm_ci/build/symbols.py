"""The line where a name is used that the linker misses. Linkers name a file, seldom a line."""

from __future__ import annotations

import re
from pathlib import Path

SUFFIXES = (".hip", ".cpp", ".cu", ".cc", ".cxx", ".c", ".h", ".hpp", ".cuh")
MAX_BYTES = 4_000_000
MAX_NAME = 500
_SYMBOL = re.compile(
    r"^undefined (?:reference to|(?:hidden |protected )?symbol:?) [`'‘\"]?(?P<name>[^`'’\"]+)"
)
# The device linker works on `/tmp/NAME-HASH/NAME-gfx90a.o`.
_DEVICE_OBJECT = re.compile(r"/(?P<stem>[^/]+)-(?P<arch>gfx[0-9a-z]+)[^/]*\.o$")


def missing_name(message: str) -> str | None:
    """`undefined reference to `ns::f<int>(float)'` → `f`."""
    found = _SYMBOL.match(message)
    if found is None:
        return None
    plain = found["name"].split("(", 1)[0][:MAX_NAME]
    while "<" in plain and plain != (shorter := re.sub(r"<[^<>]*>", "", plain)):
        plain = shorter
    word = re.search(r"([A-Za-z_]\w*)\s*$", plain)
    return word.group(1) if word else None


def device_object(path: str) -> tuple[str, str] | None:
    """Source name without suffix, and target, of a temporary device object."""
    found = _DEVICE_OBJECT.search(path)
    return (found["stem"], found["arch"]) if found else None


def line_of_use(file: Path, name: str) -> int | None:
    """The first line that calls `name`, or failing that mentions it; declarations come last."""
    try:
        if file.stat().st_size > MAX_BYTES:
            return None
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    word = re.compile(rf"\b{re.escape(name)}\b")
    # A declaration has a type before the name: `int f(`, `float* f(`.
    declared = re.compile(rf"^\s*(?:extern\b.*|[\w:<>*&,\s]*[\w>*&]\s+[*&]?){re.escape(name)}\s*\(")
    mentioned = [number for number, line in enumerate(lines, 1) if word.search(line)]
    used = (n for n in mentioned if "return" in lines[n - 1] or not declared.match(lines[n - 1]))
    return next(used, mentioned[0] if mentioned else None)
