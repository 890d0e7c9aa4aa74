"""What of the kernel's messages may leave the machine: not which one it is, nor who uses it. Pure."""

from __future__ import annotations

import re

# Firewalls, audit and logins speak of people and addresses; serial numbers stay where they are.
_PRIVATE = re.compile(
    r"\bSRC=|\bMAC=|^\[UFW|\baudit(?:\(|:)|(?i:serial ?(?:number|no\b))|\bsystemd-logind\b|\bssh(?:d|-)"
    r"|\bNFS: |\bCIFS: "
)
_MARKS = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"  # of a file system, a GPU, a machine
    r"|(?<![0-9a-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9a-f:])",  # of a network card
    re.IGNORECASE,
)
_MAX = 2_000


def shareable(text: str) -> str:
    """A message as it may be attached to a result; empty when none of it may be."""
    text = text[:_MAX]
    return "" if _PRIVATE.search(text) else _MARKS.sub("(id)", text)
