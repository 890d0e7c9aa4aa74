"""The page of an entry."""

from __future__ import annotations

from rocm_ci.knowledge.article import MARK, article, general, reference
from rocm_ci.knowledge.library import shipped


def test_every_entry_has_a_page_that_says_what_why_and_what_to_do() -> None:
    for entry in shipped():
        page = article(entry)
        assert page.startswith(f"# {general(entry.title)}\n")
        assert f"`{entry.id}`" in page
        assert "## Why" in page
        assert "1. " in page.split("## What to do")[1]
        assert MARK in page


def test_what_a_log_would_fill_in_is_left_open() -> None:
    assert general("{gpu} has {used} of {total}") == "GPU has USED of TOTAL"


def test_references_become_links() -> None:
    assert reference("ROCm/hip#3667") == "[ROCm/hip#3667](https://github.com/ROCm/hip/issues/3667)"
    assert reference("ROCm/clr hipamd/src/a.cpp").endswith(
        "(https://github.com/ROCm/clr/blob/HEAD/hipamd/src/a.cpp)"
    )
    assert reference("https://example.com/x") == "<https://example.com/x>"
