"""Whether a string is written for people: a path in such a sentence is told, not used."""

from __future__ import annotations

import re

# The small words of English sentences that no command line and no list of paths has.
_SMALL = re.compile(
    r"(?i)(?<![\w./=-])(?:the|is|was|were|are|in|into|of|or|and|to|not|a|an|from|under|with|please|found|cannot"
    r"|could|missing|installed|because|then|your|you|this|that|must|should|does|on|by|at)(?=[\s,.;:!?)'\"]|$)"
)
_PLAIN = re.compile(r"(?<![\w./=%$-])[A-Za-z][a-z']+(?=[\s,.;:!?)]|$)")
_SHELL = re.compile(r"&&|\|\||[;|]\s*\w+ -|\$\(|\s>\s|^\s*(?:if|for|while|case)\s")
_TELLS = re.compile(
    r"(?i)^call:(?:\w+::)*(?:\w*(?:error|exception|warn|warning|fatal|abort|panic|usage|argument)\w*|LOG\w*|[fv]*printf|perror"
    r"|f?puts|println?|print|die|info|debug|static_assert|\w*assert\w*|\w*CHECK\w*|skip|GTEST_SKIP|message|what)$"
)
_STREAM = re.compile(
    r"(?:\b(?:cerr|cout|clog)\b|\b(?:V?LOG|GTEST_SKIP|FAIL|ADD_FAILURE|\w*(?:CHECK|ASSERT|EXPECT|LOG|WARN|ERROR)\w*)\s*\([^;{}]*\))"
    r"\s*<<[^;{}]*\Z"
)


def is_sentence(text: str) -> bool:
    """Three plain words of which one is a small one, and nothing of a shell."""
    if " " not in text or _SHELL.search(text):
        return False
    return _SMALL.search(text) is not None and len(_PLAIN.findall(text)) > 2


def is_told(text: str, context: tuple[str, ...], before: str) -> bool:
    """Whether a string of several words goes to people: a sentence, or the argument of what reports.

    `before` is the code in front of it, back to where a stream could begin.
    """
    if " " not in text:
        return False
    if is_sentence(text):
        return True
    return any(_TELLS.match(c) for c in context) or _STREAM.search(before) is not None
