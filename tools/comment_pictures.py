"""The pictures of docs/comment.md: `python tools/comment_pictures.py [NAME…]` → docs/images/comment-*.png.

They show the situations of tests/situations.py: the text is what rocm-ci posts, the machine is made up. Of
which text each was made is kept beside them, so that a test can tell when it is another one.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.situations import SITUATIONS  # noqa: E402 - the path comes first
from tools import picture  # noqa: E402

IMAGES = ROOT / "docs" / "images"
MADE_OF = IMAGES / "comments.json"
# What is shown beside the four situations: name of the picture → situation, unfolded, dark.
VIEWS = {name: (name, False, False) for name in SITUATIONS} | {
    "perf-open": ("perf", True, False),
    "red-dark": ("red", False, True),
}


def digest(name: str) -> str:
    """Of the text that the picture of this name shows."""
    situation, _, _ = VIEWS[name]
    return hashlib.sha256(SITUATIONS[situation]().comment.encode()).hexdigest()[:16]


def main() -> int:
    """Make the pictures of the given names, or all of them."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    made_of = json.loads(MADE_OF.read_text(encoding="utf-8")) if MADE_OF.exists() else {}
    for name in sys.argv[1:] or VIEWS:
        situation, unfold, dark = VIEWS[name]
        html = picture.page(SITUATIONS[situation]().comment, unfold=unfold, dark=dark)
        picture.photograph(html, IMAGES / f"comment-{name}.png", dark=dark, scale=1.5)
        made_of[name] = digest(name)
    MADE_OF.write_text(json.dumps(made_of, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
