"""A command counts where it is said, not where it is quoted, shown, folded or hidden."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.bot import spoken

RUN = "/rocm-ci run"


@pytest.mark.parametrize(
    "body",
    [
        RUN,
        f"Thanks!\n{RUN}",
        f"Thanks!\n\n{RUN}\n\nSee you",
        f"{RUN}   \t",
        f"{RUN}\r\nThanks\r\n",
        f"- one\n- two\n\n{RUN}",
        f"- one\n{RUN}",  # a lazy continuation line: in the list item, but neither code nor quote
        f"# Title\n{RUN}",
        f"{RUN}\n--\nJane",  # a signature makes a heading of it
        f"```\ncode\n```\n{RUN}",
        f"````\n```\n````\n{RUN}",
        f"~~~ text\n```\n~~~~\n{RUN}",
        f"> quoted\n\n{RUN}",
        f"> ```\n{RUN}",  # the quote has ended, and the fence in it
        f"- ```\n{RUN}",
        f"<!-- hidden -->\n{RUN}",
        f"<!-- hidden --> shown\n\n{RUN}",
        f"<details>\n\nfolded\n\n</details>\n\n{RUN}",
        f"is `vector<s>` or vector<s> meant?\n\n{RUN}",
        f"an odd ` backtick\n{RUN}",
        f"a \\` b\n{RUN}\nc ` d",
        f"`a\nb`\n{RUN}",
        f"5 < 6\n{RUN}\n7 > 6",
        f"[a](b)\n{RUN}",
        f"[a]: b\n{RUN}",
        f"[a]: b 'c'\n[d]: e\n{RUN}",
        f"[a]: b '\n{RUN}",  # no title without its end
        f"`a\\`\n{RUN}",  # nothing is escaped in code
        f"text\n```text `not a fence`\n{RUN}\n",  # backticks in the info string: no fence
    ],
)
def test_what_is_said_aloud_counts(body: str) -> None:
    assert spoken.lines(body) == (RUN,)


@pytest.mark.attack("12", "a command in a quote, in code, folded away or hidden")
@pytest.mark.parametrize(
    "body",
    [
        f" {RUN}",
        f"\t{RUN}",
        f"    {RUN}",
        f"please {RUN}",
        f"* {RUN}",
        f"> {RUN}",
        f"> a\n{RUN}",  # a lazy continuation line stands in the quote
        f"> - a\n{RUN}",
        f"- > a\n{RUN}",
        f"```\n{RUN}\n```",
        f"```\n{RUN}",
        f"``` sh\n{RUN}\n``",
        f"````\n```\n{RUN}\n```\n````",
        f"~~~\n{RUN}\n```\n~~~",
        f"~~~~\n~~~\n{RUN}",
        f"   ```\n{RUN}\n   ```",
        f"- a\n  ```\n  b\n```\n{RUN}\n```",  # the first fence ended with its item, the second is open
        f"1. a\n\n   ~~~\n   b\n~~~\n{RUN}",
        f"text ` open\n{RUN}\nclosed ` text",
        f"``a ` b\n{RUN}\n``",
        f"<!--\n{RUN}\n-->",
        f"text <!--\n{RUN}\n--> text",
        f"<!-- a -->text<!--\n{RUN}\n-->",
        f"<pre>\n{RUN}\n</pre>",
        f"<pre>\n\n{RUN}\n\n</pre>",
        f"<div>\n{RUN}\n</div>",
        f"<a\nhref='\n{RUN}\n'>",
        f"text <a title='\n{RUN}\n'>",
        f"text <code>\n{RUN}\n</code>",
        f"<details><summary>log</summary>\n\n{RUN}\n\n</details>",
        f"<details>\n\n<details>\n\n</details>\n\n{RUN}\n\n</details>",
        f"<blockquote>\n\n{RUN}\n\n</blockquote>",
        f"<DETAILS OPEN>\n\n{RUN}",
        f"> <details>\n\n{RUN}",
        f"<?php\n{RUN}\n?>",
        f"<![CDATA[\n{RUN}\n]]>",
        f"[a](b '\n{RUN}\n')",
        f"[a]: /b '\n{RUN}\n'",
        f"[a]: b\n[c]: <d e> (\n{RUN}\n)",
        f"> [a]: b\n{RUN}",
        f"<div>a<!-- b\n\n{RUN}",
        "/rocm-cirun",
        "/rocm-ci-run",
        f"\u200b{RUN}",
        f"\ufeff{RUN}",
        "",
    ],
)
def test_what_is_quoted_shown_folded_or_hidden_does_not(body: str) -> None:
    assert spoken.lines(body) == ()


def test_line_ends_of_every_system_end_a_line() -> None:
    body = "/rocm-ci run\r\n/rocm-ci help\r/rocm-ci cancel\n/rocm-ci bench"

    assert spoken.lines(body) == ("/rocm-ci run", "/rocm-ci help", "/rocm-ci cancel", "/rocm-ci bench")


def test_no_other_character_ends_a_line() -> None:
    assert spoken.lines("text\u2028/rocm-ci run\x0b/rocm-ci run\x85/rocm-ci run") == ()


def test_capitals_do_not_matter() -> None:
    assert spoken.lines("/ROCm-CI run") == ("/ROCm-CI run",)


def test_what_is_longer_than_a_comment_can_be_is_cut() -> None:
    assert spoken.lines("a\n" * spoken.MAX_BODY + RUN) == ()


HOSTILE = {
    "comments": "<!--" * 16_000,
    "tags": "<a b='" * 10_000,
    "attributes": "<a " + "b " * 32_000,
    "spaces": "<a" + " " * 65_000,
    "titles": '](a "' * 13_000,
    "spaces before a title": "](" + " " * 65_000 + "x",
    "spaces after an address": "](a" + " " * 65_000 + "x",
    "spaces after a title": "](a 'b'" + " " * 65_000 + "x",
    "spaces in a tag": "<a b" + " " * 65_000 + "=",
    "backslashes": "\\" * 65_000,
    "runs of backticks": "".join("`" * (n % 300 + 1) + " " for n in range(400)),
    "single backticks": "` " * 32_000,
    "open elements": "<q>" * 10_000 + "</s>" * 8_000,
    "declarations": "<![CDATA[" * 7_000,
    "nested quotes": ">" * 65_000,
    "nested lists": "- " * 32_000,
    "blanks of a title": "x ](" + " " * 65_000,
    "blanks of a definition": "[a]:" + " " * 32_000 + "b" + " " * 32_000 + "'",
    "blanks of attributes": "<a b" + " " * 32_000 + "=" + " " * 32_000,
    "brackets of an address": "[a]: " + "()" * 32_000,
    "references": "[a]: b '\n" * 7_000,
}


@pytest.mark.timeout(60)
@pytest.mark.attack("input", "64 KB of text on which a careless parser never ends")
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    assert spoken.lines(f"{text[: spoken.MAX_BODY - 20]}x\n\n{RUN}") in ((), (RUN,))


PIECES = [
    RUN, "\n", "\n", "\n\n", "> ", "- ", "  ", "    ", "```", "~~~", "`", "``", "<!--", "-->", "<details>",
    "</details>", "<pre>", "</pre>", "a", "\\", "<b>", "#", "---", "1. ", "[a](", "[a]: ", "'", '"', ")", "<", ">",
]  # fmt: skip


def shown(body: str) -> int:
    """How many lines a reader of the rendered comment sees begin with the command, as plain text."""
    from html.parser import HTMLParser

    import cmarkgfm
    from cmarkgfm.cmark import Options

    class Reader(HTMLParser):
        depth = 0
        text = ""

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.depth += tag in ("pre", "code", "blockquote", "details")
            self.text += "\n" if tag in ("p", "li", "br", "h1", "h2") else ""

        def handle_endtag(self, tag: str) -> None:
            self.depth -= tag in ("pre", "code", "blockquote", "details")

        def handle_data(self, data: str) -> None:
            self.text += "" if self.depth > 0 else data

    reader = Reader()
    reader.feed(cmarkgfm.markdown_to_html(body, options=Options.CMARK_OPT_UNSAFE))
    reader.close()
    return sum(line.lstrip().startswith(RUN) for line in reader.text.split("\n"))


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_nothing_counts_that_a_reader_of_the_page_would_not_see(body: str) -> None:
    assert len(spoken.lines(body)) <= shown(body)
