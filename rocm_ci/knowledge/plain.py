"""One line of any log, made plain: no colours, no progress bar, and what stood before it taken away."""

from __future__ import annotations

import re
from dataclasses import dataclass

# What is looked at of a line. A longer one is looked at around each place where a needle stands.
MAX_LINE = 4_000
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,300}(?:\x07|\x1b\\)?|[()][0-9A-B]|.)"
)
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)))
_CONTROL |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
# Who speaks: a rank, a process, a container, a test of ctest. Its lines belong together.
_SPEAKER = re.compile(
    r"(?P<who>\[(?:rank ?|gw|worker[ _-]?|node[ _-]?)?\d{1,5}(?:[:,]\d{1,5})?\]:?(?= )"
    r"|\[(?:rank|gw|default|worker)\d{1,5}\]:?"
    r"|\((?:[\w.-]{1,40} )?pid=\d{1,8}(?:, ip=[\d.]{7,15})?\)"
    r"|[\w.-]{1,60} +\|(?= )"
    r"|\d{1,5}: (?=\S))[ \t]?"
)
_STAMP = re.compile(
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?"
    r"|#\d{1,5} \d{1,6}\.\d{1,3}"
    r"|\[ *\d{1,9}\.\d{6}\]"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,60} (?=kernel: ))[ \t]{1,2}"
)
# GitHub's own commands around what is said.
_COMMAND = re.compile(
    r"##\[(?:error|warning|notice|debug|command)\]|::(?:error|warning|notice)(?: [^:\n]{0,300})?::"
)
_MOST_PREFIXES = 6


@dataclass(frozen=True, slots=True)
class Plain:
    """What a line says, and who: a rank or process, empty for nobody in particular."""

    text: str
    speaker: str = ""


def plain(raw: str) -> Plain:
    """One line without its line end. Of one drawn over several times the last drawing is taken."""
    text = raw[:MAX_LINE]
    if "\r" in text:
        text = next((part for part in reversed(text.split("\r")) if part.strip()), "")
    text = bare(text)
    speaker = ""
    for _ in range(_MOST_PREFIXES):
        found = _STAMP.match(text) or _COMMAND.match(text)
        if found is None:
            found = _SPEAKER.match(text)
            if found is None:
                break
            speaker = speaker or found["who"].strip(" :|")
        text = text[found.end() :]
    return Plain(text.rstrip(), speaker)


def bare(text: str) -> str:
    """Without escape sequences and control characters."""
    if text.isascii() and text.isprintable():
        return text
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return text.translate(_CONTROL)
