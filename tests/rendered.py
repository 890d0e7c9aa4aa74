"""A comment as a reader's browser gets it: rendered by cmark-gfm, which GitHub is built on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import cmarkgfm
import lxml.html
from cmarkgfm.cmark import Options

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Where GitHub looks for no mention and no reference.
PASSED_OVER = {"code", "pre", "a"}
MENTION = re.compile(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]")
REFERENCE = re.compile(r"(?<![\w&])#[0-9]|\bgh-[0-9]", re.IGNORECASE)
COMMIT = re.compile(r"(?<![\w-])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}(?![\w-])", re.IGNORECASE)
ADDRESS = re.compile(r"[a-z]+://|\bwww\.", re.IGNORECASE)
UNSEEN = re.compile("[\u00ad\u061c\u180e\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


def render(markdown: str) -> HtmlElement:
    """The tree. `CMARK_OPT_UNSAFE`, because GitHub lets harmless HTML through: that is what we test."""
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    tree: HtmlElement = lxml.html.fragment_fromstring(html, create_parent="article")
    return tree


def tags(tree: HtmlElement) -> set[str]:
    return {str(node.tag) for node in tree.iter() if isinstance(node.tag, str)}


def running_text(tree: HtmlElement) -> list[str]:
    """Text that GitHub searches for mentions and references: whatever stands outside of code and links."""
    found: list[str] = []

    def walk(node: HtmlElement, *, hidden: bool) -> None:
        hidden_here = hidden or node.tag in PASSED_OVER
        if node.text and not hidden_here:
            found.append(node.text)
        for child in node:
            walk(child, hidden=hidden_here)
            if child.tail and not hidden_here:
                found.append(child.tail)

    walk(tree, hidden=False)
    return found


def acts(tree: HtmlElement) -> list[str]:
    """What in the text would make GitHub do something."""
    return [
        text
        for text in running_text(tree)
        for pattern in (MENTION, REFERENCE, COMMIT, ADDRESS)
        if pattern.search(text)
    ]


def ragged(tree: HtmlElement) -> list[str]:
    """Tables whose rows have different numbers of cells."""
    bad = []
    for table in tree.iter("table"):
        widths = {len(row.findall("td")) + len(row.findall("th")) for row in table.iter("tr")}
        if len(widths) != 1:
            bad.append(lxml.html.tostring(table, encoding="unicode")[:300])
    return bad


OURS = {"article", "details", "summary", "code", "p", "ul", "li", "strong", "sub", "a", "pre"} | {
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}


def assert_inert(markdown: str) -> None:
    """Nothing in it acts, has a tag that is not ours, cannot be seen, or breaks a table."""
    tree = render(markdown)
    assert tags(tree) <= OURS
    assert acts(tree) == []
    assert ragged(tree) == []
    assert not UNSEEN.search(tree.text_content())
    assert "<!--" not in markdown
