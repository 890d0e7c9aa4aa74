"""Words of a network error without what must not be told: the token, passwords, signed addresses. Pure."""

from __future__ import annotations

import re

_MAX = 500
_PASSWORD = re.compile(r"(?<=//)[^/\s@'\"]+@")
# A signed address carries its key in the query; nobody needs it to understand the error.
_QUERY = re.compile(r"(?<=\?)[^\s'\"<>)]+")
_SCHEMES = re.compile(r"\b(token|bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}", re.IGNORECASE)
_KNOWN_TOKENS = re.compile(r"\b(gh[a-z]_|github_pat_)[A-Za-z0-9_]{8,}")


def scrub(text: object, secret: str) -> str:
    """`text` in one line of at most 500 characters, without `secret` and whatever looks like one."""
    told = str(text or "")
    # Before anything is cut: half a secret would not be recognised.
    line = " ".join((told.replace(secret, "***") if secret else told).split())[: 10 * _MAX]
    line = _PASSWORD.sub("***@", line)
    line = _QUERY.sub("…", line)
    line = _SCHEMES.sub(r"\1 ***", line)
    return _KNOWN_TOKENS.sub("***", line)[:_MAX]
