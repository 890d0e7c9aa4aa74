"""A picture of a comment: `python tools/picture.py COMMENT.md OUT.png [--open] [--dark] [--html OUT.html]`.

Renders with cmark-gfm, which is what GitHub uses, draws the charts with Mermaid, as GitHub does, and
photographs the page with headless Chromium. Needs `pip install cmarkgfm` (in the `dev` extra), Chromium
(`apt-get install chromium`) and, for charts, `python tools/fetch_mermaid.py`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cmarkgfm
from cmarkgfm.cmark import Options
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

CSS = Path(__file__).with_suffix(".css")
MERMAID = Path(__file__).resolve().parents[1] / ".tools" / "mermaid" / "mermaid.min.js"
WIDTH = 980
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
# What a fenced block in a language of its own becomes.
_CHARTS = 'pre[lang="mermaid"]'
_DRAW = """async dark => {
  mermaid.initialize({startOnLoad: false, securityLevel: 'strict', theme: dark ? 'dark' : 'default'});
  const errors = [];
  for (const [index, block] of [...document.querySelectorAll('pre[lang="mermaid"]')].entries()) {
    const chart = document.createElement('div');
    chart.className = 'chart';
    try {
      chart.innerHTML = (await mermaid.render(`chart-${index}`, block.textContent)).svg;
    } catch (error) {
      chart.textContent = `Unable to render rich display: ${error.message}`;
      errors.push(error.message);
    }
    block.replaceWith(chart);
  }
  return errors;
}"""


def page(markdown: str, *, unfold: bool = False, dark: bool = False) -> str:
    """The comment as a page that looks like GitHub's."""
    # GitHub lets the harmless HTML of a comment through; so does this, as the comment is our own.
    body = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    if unfold:
        body = re.sub(r"<details( open)?>", "<details open>", body)
    author = '<div class="author"><b>github-actions</b> <span class="bot">bot</span> commented</div>'
    return (
        f'<!doctype html><html lang="en" class="{"dark" if dark else "light"}"><meta charset="utf-8">'
        f"<style>{CSS.read_text()}</style><title>Comment</title>"
        f'<div class="frame">{author}<div class="body">{body}</div></div></html>'
    )


def draw(shown: Page, *, dark: bool = False) -> list[str]:
    """Put a picture in the place of each chart of an open page; what Mermaid complained of.

    Raises FileNotFoundError when there are charts, and no Mermaid to draw them with.
    """
    if not shown.locator(_CHARTS).count():
        return []
    if not MERMAID.is_file():
        message = "Mermaid is not here: python tools/fetch_mermaid.py"
        raise FileNotFoundError(message)
    shown.add_script_tag(path=MERMAID)
    errors: list[str] = shown.evaluate(_DRAW, dark)
    return errors


def photograph(html: str, out: Path, *, dark: bool = False, scale: float = 2) -> None:
    """Write the whole page as PNG, `scale` pixels for one of the page.

    Raises FileNotFoundError without Chromium, or without Mermaid where there are charts.
    """
    chromium = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if chromium is None:
        message = "Chromium is not here: apt-get install chromium fonts-noto-color-emoji"
        raise FileNotFoundError(message)
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            shown = browser.new_page(viewport={"width": WIDTH, "height": 400}, device_scale_factor=scale)
            shown.set_content(html)
            for error in draw(shown, dark=dark):
                sys.stderr.write(f"a chart could not be drawn: {error}\n")
            shown.screenshot(path=out, full_page=True)
        finally:
            browser.close()


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("comment", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--open", action="store_true", help="unfold all details")
    parser.add_argument("--dark", action="store_true", help="the dark theme")
    parser.add_argument("--html", type=Path, help="keep the page, too")
    args = parser.parse_args()
    html = page(args.comment.read_text(encoding="utf-8"), unfold=args.open, dark=args.dark)
    if args.html:
        args.html.write_text(html, encoding="utf-8")
    try:
        photograph(html, args.out, dark=args.dark)
    except FileNotFoundError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
