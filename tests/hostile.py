"""Texts that a pull request may bring to break what shows them."""

from __future__ import annotations

from hypothesis import strategies as st

NASTY = (
    "@org/team", "@someone", "#1", "GH-12", "acme/wavekit#7", "9d1e0b7c1a2b3c4d", "https://evil.example/x",
    "http://", "www.evil.example", "mailto:a@b.example", "a@b.example", "<b>", "</details>", "</summary>",
    "<img src=x onerror=alert(1)>", "<!-- rocm-ci:v1 {} -->", "<!--rocm-ci", "-->", "![x](http://e.example/y.png)",
    "[x](javascript:alert(1))", "[x]: http://e.example", "|", "\\|", "\\", "`", "``", "```", "~~~", "\n", "\r\n", "\u2028", "\t",
    "# ", "- ", "1. ", "> ", "---", "===", "***", "__", "_a_", "*b*", "~~c~~", "$x$", "$$", "$`x`$", ":rocket:", "&lt;",
    "&#64;", "&amp;", "\u202e", "\u200b", "\u2066", "\ufeff", "\x00", "\x1b[31m", "\x1b]0;t\x07", "\x9b2J", "\ud800",
    "a", " ", "row_sum<float>", "é", "\U0001f600", "[ ]", "[x]", "[^1]", "::error::x", "##[error]x", "e\u0301\u0301\u0301\u0301\u0301",
    "<https://e.example>", "<a@b.example>", "- [ ] x", "{0}", "(", ")", "!", '"', "'", "</code>", "</pre>", "\n```\n",
    "\n`````\n", "\n\n</details>\n\n", "\n\n    @org/team\n",
)  # fmt: skip
HOSTILE = st.one_of(
    st.lists(st.sampled_from(NASTY), max_size=14).map("".join),
    st.lists(st.sampled_from(NASTY), max_size=8).map(" ".join),
    st.text(max_size=60),
)
