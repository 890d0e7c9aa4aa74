"""The comment in a real browser: nothing runs, nothing is fetched, nothing overflows."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.report.links import Links
from rocm_ci.report.markdown import render_comment
from tests import reports, require
from tests.hostile import NASTY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

TOOL = Path(__file__).parents[2] / "tools" / "picture.py"
LINKS = Links(repository="https://github.com/acme/wavekit")


def picture() -> Any:
    spec = importlib.util.spec_from_file_location("picture", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    chromium = require.program("chromium", "apt-get install chromium fonts-noto-color-emoji")
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=picture().FLAGS)
        yield browser.new_page(viewport={"width": 980, "height": 800})
        browser.close()


@pytest.mark.parametrize("mood", reports.MOODS)
def test_a_comment_stays_within_its_frame(page: Page, mood: str) -> None:
    page.set_content(picture().page(render_comment(reports.MOODS[mood](), links=LINKS), unfold=True))

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("h2").count() == 1
    assert page.locator("summary", has_text="Machine:").is_visible()


@pytest.mark.parametrize("mood", ["red", "infra"])
def test_hostile_text_neither_runs_nor_fetches_nor_leaves_its_frame(page: Page, mood: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))

    for nasty in (*NASTY, "W" * 400, "<script>alert(1)</script>", "<style>*{display:none}</style>"):
        hostile = reports.with_every_text(reports.MOODS[mood](), f"x{nasty}y".replace("\ud800", "?"))
        page.set_content(picture().page(render_comment(hostile, links=LINKS), unfold=True))

        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), nasty
        assert page.locator(".frame .body > h2").is_visible(), nasty
        assert page.locator("script, .body style, img, iframe, form").count() == 0, nasty

    assert asked == []


def test_a_picture_shows_the_whole_comment(tmp_path: Path) -> None:
    require.program("chromium", "apt-get install chromium fonts-noto-color-emoji")
    out = tmp_path / "comment.png"

    source = tmp_path / "comment.md"
    source.write_text(render_comment(reports.red(), links=LINKS), encoding="utf-8")
    subprocess.run([sys.executable, TOOL, source, out], check=True, timeout=120)

    data = out.read_bytes()
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    assert data.startswith(b"\x89PNG")
    assert width == 2 * 980
    assert height > 1_200
