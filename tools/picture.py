"""A picture of a comment: `python tools/picture.py COMMENT.md OUT.png [--open] [--html OUT.html]`.

Renders with cmark-gfm, which is what GitHub uses, and photographs the page with headless Chromium.
Needs `pip install cmarkgfm` (in the `dev` extra) and Chromium (`apt-get install chromium`).
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from playwright.sync_api import sync_playwright

CSS = Path(__file__).with_suffix(".css")
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


def page(markdown: str, *, unfold: bool = False) -> str:
    """The comment as a page that looks like GitHub's."""
    # GitHub lets the harmless HTML of a comment through; so does this, as the comment is our own.
    body = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    if unfold:
        body = re.sub(r"<details( open)?>", "<details open>", body)
    author = '<div class="author"><b>github-actions</b> <span class="bot">bot</span> commented</div>'
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{CSS.read_text()}</style>'
        f'<title>Comment</title><div class="frame">{author}<div class="body">{body}</div></div></html>'
    )


def photograph(html: str, out: Path) -> None:
    """Write the whole page as PNG. Raises FileNotFoundError without Chromium."""
    chromium = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if chromium is None:
        message = "Chromium is not here: apt-get install chromium fonts-noto-color-emoji"
        raise FileNotFoundError(message)
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            shown = browser.new_page(viewport={"width": WIDTH, "height": 400}, device_scale_factor=2)
            shown.set_content(html)
            shown.screenshot(path=out, full_page=True)
        finally:
            browser.close()


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("comment", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--open", action="store_true", help="unfold all details")
    parser.add_argument("--html", type=Path, help="keep the page, too")
    args = parser.parse_args()
    html = page(args.comment.read_text(encoding="utf-8"), unfold=args.open)
    if args.html:
        args.html.write_text(html, encoding="utf-8")
    try:
        photograph(html, args.out)
    except FileNotFoundError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
