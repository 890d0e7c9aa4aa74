"""Text of strangers made inert: it is shown as it is, and nothing in it acts.

Everything in a report may come from the pull request: names, messages, paths, device names. What
GitHub would act on is Markdown, HTML, `@mentions`, issue and commit references, addresses, `:emoji:`
and our own comment marker; what would fool a reader are characters that cannot be seen.

GitHub looks for mentions and references in the rendered page, after character references were
decoded, and passes over code. So punctuation becomes a numeric reference (that works in Markdown,
in table cells and inside HTML alike), and a mention is broken by a zero-width space.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

CUT = "…"
_BREAK = "&#8203;"

# ESC sequences whole, so that their visible rests ("[31m") do not stay behind.
_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]*[0-~]?)"
    r"|\x9b[0-?]*[ -/]*[@-~]?"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_LINE_ENDS = re.compile(r"\r\n|[\r\x85\u2028\u2029]")
_ACCENTS = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_STACKED = re.compile(f"([{_ACCENTS}]{{3}})[{_ACCENTS}]+")
_SPACES = re.compile(r"\s+")
_MARKER = re.compile(r"<!--(?=\s*rocm-ci)", re.IGNORECASE)
_BACKTICKS = re.compile(r"`+")

_PUNCTUATION = {c: f"&#{ord(c)};" for c in "&<>|`*[]~$\\"}
_SPECIAL = re.compile(
    r"""
    (?P<mention>@)
  | (?P<reference>\#(?=[0-9]))
  | (?P<gh>(?<![0-9A-Za-z])[Gg][Hh]-(?=[0-9]))
  | (?P<sha>(?<![0-9A-Za-z])[0-9a-fA-F]{7,64}(?![0-9A-Za-z]))
  | (?P<scheme>:(?=/))
  | (?P<address>(?:mailto|xmpp|javascript|data|vbscript):)
  | (?P<www>[Ww]{3}(?=\.))
  | (?P<emoji>:(?=[A-Za-z0-9_+-]+:))
  | (?P<underscore>(?<![0-9A-Za-z])_|_(?![0-9A-Za-z]))
  | (?P<punctuation>[&<>|`*\[\]~$\\])
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What begins a block when it stands first in a list item or a paragraph.
_BLOCK_START = re.compile(
    r"^(?:[-+:](?=[\s:-]|$)|=(?==*\s*$)|\#(?=\#{0,5}(?:\s|$))|[0-9]{1,9}(?=[.)](?:\s|$)))"
)
_NUMBERED = re.compile(r"(?P<mail>(?<=[\w.+-])@(?=\w))|[^0-9A-Za-z ./,;=%\u0080-\U0010ffff-]|(?<=[Ww]{3})\.")
_CODE = re.compile(r"`([^`]*[^`\s][^`]*)`")
_SIX = re.compile(r".{6}(?=.)")  # GitHub takes seven digits or more for a commit
_HEX_DIGIT = re.compile(r"[0-9]")


@cache
def _invisible() -> re.Pattern[str]:
    """Characters without a picture of their own: format characters, fillers, lone surrogates.

    Variation selector 16 stays: it only asks for the colourful form of the sign before it.
    """
    fillers = [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0]
    points = [
        n
        for n in range(0x80, 0x20000)
        if unicodedata.category(chr(n)) in ("Cf", "Cs") or 0xFE00 <= n <= 0xFE0E
    ]
    points += fillers
    ranges = "".join(re.escape(chr(n)) for n in sorted(points) if not 0xD800 <= n <= 0xDFFF)
    return re.compile(f"[{ranges}\ud800-\udfff\U000e0000-\U000e0fff\U0001bca0-\U0001bcaf]")


def _shown(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"


def block(value: str, *, limit: int = 4000) -> str:
    """Several lines of plain text: no control characters, nothing invisible, at most `limit` characters.

    Not yet fit for Markdown; this is the form for terminals and files.
    """
    # Cut first: whoever sends a gigabyte shall not make us translate it.
    kept = value if len(value) <= 2 * limit else value[: 2 * limit]
    if not (kept.isascii() and kept.isprintable()):
        kept = _LINE_ENDS.sub("\n", _ANSI.sub("", kept))
        kept = _CONTROL.sub("", kept)
        if not kept.isascii():
            kept = _STACKED.sub(r"\1", _invisible().sub(_shown, kept))
    return kept if len(kept) <= limit and len(value) <= 2 * limit else kept[: limit - 1].rstrip() + CUT


def line(value: str, *, limit: int = 300) -> str:
    """One line of plain text."""
    kept = value if len(value) <= 4 * limit else value[: 4 * limit]
    short = len(kept) == len(value)
    if not (kept.isascii() and kept.isprintable() and "  " not in kept):
        kept = block(kept, limit=sys.maxsize // 4)
        kept = _SPACES.sub(" ", kept)
    kept = kept.strip()
    return kept if len(kept) <= limit and short else kept[: limit - 1].rstrip() + CUT


def _escape(match: re.Match[str]) -> str:
    kind, found = match.lastgroup, match[0]
    if kind == "punctuation":
        return _PUNCTUATION[found]
    if kind == "underscore":
        return "&#95;"
    if kind == "sha":
        # A word of letters only ("defaced") is no commit; a number alone might be one.
        return _SIX.sub(rf"\g<0>{_BREAK}", found) if _HEX_DIGIT.search(found) else found
    return found + _BREAK


def text(value: str, *, limit: int = 300) -> str:
    """Running text for Markdown, for a table cell and for HTML (`<summary>`): one line, inert."""
    return _escaped(line(value, limit=limit))


def prose(value: str, *, limit: int = 300, cell: bool = False) -> str:
    """Like `text`, but what stands between backticks is shown as code (`cell`: in a table or summary)."""
    as_code = tag if cell else code
    parts = _CODE.split(line(value, limit=limit))
    return "".join(
        as_code(part, limit=limit) if index % 2 else _escaped(part) for index, part in enumerate(parts)
    )


def _escaped(shown: str) -> str:
    escaped = _SPECIAL.sub(_escape, shown)
    start = _BLOCK_START.match(escaped)
    if start is None:
        return escaped
    first = start[0]
    if first.isdigit():
        return f"{first}&#{ord(escaped[len(first)])};{escaped[len(first) + 1 :]}"
    return f"&#{ord(first)};{escaped[1:]}"


def code(value: str, *, limit: int = 200) -> str:
    """A code span for Markdown outside of tables; empty text becomes an empty pair of quotes."""
    shown = _MARKER.sub("<! --", line(value, limit=limit)) or "''"
    ticks = "`" * (max((len(run) for run in _BACKTICKS.findall(shown)), default=0) + 1)
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def tag(value: str, *, limit: int = 200) -> str:
    """Code for table cells and `<summary>`, where a code span cannot hold every character."""
    shown = line(value, limit=limit) or "''"
    return f"<code>{_NUMBERED.sub(_number, shown)}</code>"


def _number(match: re.Match[str]) -> str:
    # The renderer makes a link of an address even inside <code>, unless something stands in it.
    return f"&#{ord(match[0])};{_BREAK if match.lastgroup == 'mail' else ''}"


def fence(value: str, *, indent: int = 0, limit: int = 4000, language: str = "text") -> str:
    """A fenced block that its content cannot close, indented to stand inside a list item."""
    shown = _MARKER.sub("<! --", block(value, limit=limit)).strip("\n").expandtabs(4)
    ticks = "`" * max(3, max((len(run) for run in _BACKTICKS.findall(shown)), default=0) + 1)
    margin = " " * indent
    return "\n".join(f"{margin}{row}".rstrip() for row in (ticks + language, *shown.split("\n"), ticks))


def tail(value: str, *, lines: int = 30, limit: int = 3000) -> str:
    """The last lines of a log, as plain text; the cut is marked at the beginning."""
    shown = block(value[-4 * limit :], limit=4 * limit).rstrip("\n")
    rows = shown.split("\n")
    kept = "\n".join(rows[-lines:])[-limit:]
    return kept if len(kept) == len(shown) and len(value) <= 4 * limit else f"{CUT}\n{kept}"
