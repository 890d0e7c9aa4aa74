"""docs/comment.md shows the pictures that there are, and they are pictures of what is posted now."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.situations import SITUATIONS
from tools import comment_pictures

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "comment.md").read_text(encoding="utf-8")
LINKED = sorted(set(re.findall(r"\]\(([^)#]+)\)", PAGE)))


@pytest.mark.parametrize("target", LINKED)
def test_what_the_page_links_to_is_there(target: str) -> None:
    assert (DOCS / target).exists()


def test_every_picture_of_a_comment_is_shown() -> None:
    made = {f"images/{path.name}" for path in (DOCS / "images").glob("comment-*.png")}

    assert made == {target for target in LINKED if target.endswith(".png")}
    assert {f"images/comment-{name}.png" for name in SITUATIONS} <= made


def test_every_picture_shows_what_would_be_posted_now() -> None:
    shown = json.loads(comment_pictures.MADE_OF.read_text(encoding="utf-8"))

    assert shown == {name: comment_pictures.digest(name) for name in comment_pictures.VIEWS}, (
        "run `python tools/comment_pictures.py` and look at them"
    )


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_alternative_text_of_a_picture_says_what_its_comment_says(name: str) -> None:
    told = re.search(rf"!\[([^\]]+)\]\(images/comment-{name}\.png\)", PAGE)
    words = {
        "green": ("ready for AMD GPUs", "42 tests", "green again after 4 red runs"),
        "red": ("places that do not work on AMD GPUs",),
        "infra": (),
        "perf": ("8.4 %",),
    }[name]
    title_and_summary = SITUATIONS[name]().comment.split("\n| ", 1)[0].lower()

    assert told is not None
    for word in words:
        assert word.lower() in told[1].lower()
        assert word.lower() in title_and_summary
