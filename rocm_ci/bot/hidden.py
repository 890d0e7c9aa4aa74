"""Which lines of a paragraph are said, and which stand in code, HTML or a link's title. Pure.

One pass that never looks back: its time grows with the length of the text whatever stands in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# HTML between whose tags text is folded, quoted or code: the first row also across blank lines.
_BLOCKS = ("details", "blockquote", "pre")
_PHRASES = ("code", "samp", "kbd", "q", "del", "s", "strike", "summary")
# https://spec.commonmark.org/0.31.2/#raw-html
_TAG = re.compile(
    r"""<(?:
        (?P<open>[A-Za-z][A-Za-z0-9-]*)
          (?:\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*/?>
      | /(?P<close>[A-Za-z][A-Za-z0-9-]*)\s*>
    )""",
    re.VERBOSE,
)
_QUOTED = r"""(?:"(?:\\.|[^"\\]){0,2000}"|'(?:\\.|[^'\\]){0,2000}'|\((?:\\.|[^()\\]){0,2000}\))"""
# An empty address has no blanks of its own before it: else a run of blanks could be split in many ways.
_TITLE = re.compile(rf"\]\((?:\s*(?:<[^<>\n]{{0,2000}}>|[^\s<>()]{{1,2000}}))?\s+{_QUOTED}\s*\)", re.DOTALL)
# https://spec.commonmark.org/0.31.2/#link-reference-definition, only at the beginning of a paragraph.
_DEFINITION = re.compile(
    rf"\[(?:\\.|[^\[\]\\]){{1,999}}\]:\s*(?:<[^<>\n]{{0,2000}}>|(?!<)(?:[^\s()]|\([^\s()]{{0,200}}\)){{1,2000}})"
    rf"(?:(?:\s+{_QUOTED})?[ \t]*(?=\n|\Z))",
    re.DOTALL,
)
_HIDERS = (("<!--", 4, "-->"), ("<?", 2, "?>"), ("<![CDATA[", 9, "]]>"))
_DECLARATION = re.compile(r"<![A-Za-z]")
_RUNS = re.compile(r"`+")
_IN_MARKDOWN = re.compile(r"\\.|`+|<|\]\(", re.DOTALL)
_IN_HTML = re.compile(r"<")


@dataclass
class Apart:
    """The HTML elements that are open here and set their text apart: how many of each name."""

    names: Counter[str] = field(default_factory=Counter)

    def open(self, name: str) -> None:
        """An opening tag."""
        if name in _BLOCKS or name in _PHRASES:
            self.names[name] += 1

    def close(self, name: str) -> None:
        """A closing tag; one without an opening tag does nothing."""
        if self.names[name] > 1:
            self.names[name] -= 1
        else:
            del self.names[name]

    def end_paragraph(self) -> None:
        """No phrase reaches over the end of its paragraph: `vector<s>` must not hide all that follows."""
        for name in _PHRASES:
            del self.names[name]


@dataclass
class _Text:
    """The text, with what is looked up in it more than once."""

    content: str
    runs: dict[int, list[int]] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for run in _RUNS.finditer(self.content):
            self.runs.setdefault(len(run[0]), []).append(run.start())

    def code_end(self, start: int, length: int) -> int:
        """Where the code span ends that `length` backticks at `start` open; their own end if none does."""
        closers = self.runs.get(length, [])
        at = bisect_right(closers, start)
        return (closers[at] if at < len(closers) else start) + length

    def html_end(self, start: int) -> int | None:
        """Where the comment, instruction or declaration at `start` ends."""
        declaration = (("<!", 2, ">"),) if _DECLARATION.match(self.content, start) else ()
        for opener, length, closer in _HIDERS + declaration:
            if self.content.startswith(opener, start) and closer not in self.missing:
                end = self.content.find(closer, start + length)
                if end >= 0:
                    return end + len(closer)
                self.missing.add(closer)
        return None


def said(content: str, apart: Apart, *, in_markdown: bool = True) -> tuple[bool, ...]:
    """For each line whether its beginning is said aloud. `apart` is carried from block to block.

    `in_markdown` is false for an HTML block, where neither backticks nor links mean anything.
    """
    flags: list[bool] = [not apart.names]
    shown_to = 0
    text = _Text(content)
    for start, end, tag in _pieces(text, in_markdown=in_markdown):
        flags += [not apart.names] * content.count("\n", shown_to, start)
        # Inside of a piece no line is said.
        flags += [False] * content.count("\n", start, end)
        shown_to = end
        if tag is not None:
            (apart.open if tag["open"] else apart.close)((tag["open"] or tag["close"]).lower())
    flags += [not apart.names] * content.count("\n", shown_to)
    if in_markdown:
        apart.end_paragraph()
    elif "-->" in text.missing:
        # Nothing that Markdown makes of later text ends a comment that raw HTML has begun.
        apart.names["!--"] += 1
    return tuple(flags)


def _pieces(text: _Text, *, in_markdown: bool) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    """What is not plain text, in order: beginning, end, and the tag if it is one."""
    pattern = _IN_MARKDOWN if in_markdown else _IN_HTML
    at = 0
    while in_markdown and (definition := _DEFINITION.match(text.content, at)) is not None:
        yield *definition.span(), None
        at = min(definition.end() + 1, len(text.content))
    while (found := pattern.search(text.content, at)) is not None:
        start, at = found.span()
        tag = None
        if found[0][0] == "`":
            at = text.code_end(start, at - start)
        elif found[0] == "](":
            title = _TITLE.match(text.content, start)
            at = title.end() if title else at
        elif found[0] == "<":
            tag = _TAG.match(text.content, start)
            at = (tag.end() if tag else text.html_end(start)) or at
        else:
            continue  # an escaped character, maybe the end of a line
        yield start, at, tag
