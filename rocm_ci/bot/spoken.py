"""What somebody says in a comment, as opposed to what they quote, show as code, fold away or hide. Pure.

Blocks are found by a CommonMark parser: containers, lazy continuation lines and fences cannot be told
apart line by line. What hides text inside a paragraph is found by `hidden`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rocm_ci.bot.hidden import Apart, said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

WORD = "/rocm-ci"
MAX_BODY = 65_536  # what GitHub takes for a comment, in characters
_LINE_ENDS = re.compile(r"\r\n?")
_BEGINNING = re.compile(rf"{re.escape(WORD)}(?=\s|\Z)", re.IGNORECASE)
_ANYWHERE = re.compile(rf"^{_BEGINNING.pattern}", re.IGNORECASE | re.MULTILINE)


def lines(body: str) -> tuple[str, ...]:
    """The lines that begin with `/rocm-ci` and are said aloud, in order.

    Not so: indented ones, quotes (with their lazy continuation lines), code of every form, HTML blocks
    and comments, and what is folded into `<details>`.
    """
    text = _LINE_ENDS.sub("\n", body[:MAX_BODY])
    if not _ANYWHERE.search(text):
        return ()  # nearly all comments end here: no parser is loaded for them
    source = text.split("\n")
    apart = Apart()
    quotes = 0
    found: list[str] = []
    for token in _blocks().parse(text):
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type == "html_block":
            said(token.content, apart, in_markdown=False)
        elif token.type == "inline":
            # Read inside of quotes as well: a `<details>` opened there stays open.
            found += [row for row in _rows(token, source, apart) if not quotes]
    return tuple(found)


def may_be_meant(body: str) -> bool:
    """Whether some line begins with `/rocm-ci`, said aloud or not: a bound without parsing."""
    return _ANYWHERE.search(_LINE_ENDS.sub("\n", body[:MAX_BODY])) is not None


def _rows(token: Token, source: list[str], apart: Apart) -> Iterator[str]:
    """The command lines of one paragraph (or heading underlined with dashes)."""
    content = token.content.split("\n")
    first = token.map[0] if token.map else len(source)
    for row, shown, is_said in zip(
        source[first : first + len(content)], content, said(token.content, apart), strict=False
    ):
        # A row that is not the same text stands in a list item or is indented.
        if is_said and _BEGINNING.match(row) and row.strip() == shown.strip():
            yield row.strip()


@cache
def _blocks() -> MarkdownIt:
    """The parser without its inline half, which would be slow on hostile text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 40 ms, only for comments with a command

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    # It would end a quote at a definition, and lazy continuation lines after it would count.
    parser.disable("reference")
    return parser
