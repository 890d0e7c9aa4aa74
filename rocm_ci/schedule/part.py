"""One part of several that jobs share without knowing of each other: by a stable hash of each name. Pure."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from rocm_ci.errors import UsageError

MOST = 256
_SHAPE = re.compile(r"([0-9]{1,3})/([0-9]{1,3})")


@dataclass(frozen=True, kw_only=True)
class Part:
    """Part `number` (from 1) of `count`."""

    number: int
    count: int

    def has(self, name: str) -> bool:
        """Whether a name belongs here. Of all parts of one count exactly one says yes, on every machine."""
        return owner(name, self.count) == self.number

    def __str__(self) -> str:
        """`2/4`."""
        return f"{self.number}/{self.count}"


def owner(name: str, count: int) -> int:
    """The part of `count` that a name belongs to."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % count + 1


def parsed(text: str) -> Part:
    """`2/4`. Raises `UsageError`."""
    found = _SHAPE.fullmatch(text.strip())
    number, count = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= count <= MOST:
        message = f"{text[:20]!r} is no part of a whole"
        raise UsageError(message, hint=f"write it as 2/4: part 2 of 4, of at most {MOST}")
    return Part(number=number, count=count)
