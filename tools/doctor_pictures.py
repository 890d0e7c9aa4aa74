"""The pictures of docs/doctor.md: `python -m tools.doctor_pictures [here|sick]` → docs/images/doctor*.png.

`here` is this machine as it is; `sick` is the pretended host of tools/troubled.py. Both show what the command
really prints. Of which text the second was made is kept beside it, so that a test can tell when it is another
one; the first is another one on every machine.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tools import picture, troubled

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
MADE_OF = IMAGES / "doctor.json"
COLUMNS = 110
# What may tell of this machine in the text of a pretended one.
_OWN = re.compile(r"\bdisk {5}(?s:.*?)\n\n|\d{4}-\d\d-\d\dT[\d:]{8}Z|of group .*")
_CODE = re.compile(r"\033\[([\d;]*)m")
_CLASSES = {"1": "b", "2": "dim", "31": "red", "32": "green", "33": "yellow", "36": "cyan"}
_CSS = """
body { margin: 0; padding: 20px; background: #0d1117; color: #e6edf3; width: 980px; box-sizing: border-box; }
pre { margin: 0; font: 13.5px/1.5 "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace; }
.b { font-weight: 700; } .dim { color: #8b949e; } .red { color: #ff7b72; } .green { color: #56d364; }
.yellow { color: #e3b341; } .cyan { color: #56d4dd; } .prompt { color: #8b949e; }
"""


def said(environment: Mapping[str, str]) -> str:
    """What the doctor prints, in colour. Raises RuntimeError when it judges nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "rocm_ci", "doctor"],
        env={**environment, "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if not done.stdout.strip():
        raise RuntimeError(done.stderr)
    return done.stdout.rstrip()


def here() -> str:
    """Of this machine."""
    return said({k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "GITHUB_ACTIONS")})


def sick() -> str:
    """Of the pretended host."""
    with tempfile.TemporaryDirectory() as folder:
        return said(troubled.host(Path(folder)))


def digest(text: str) -> str:
    """Of what a picture shows, whatever machine it was made on."""
    return hashlib.sha256(_OWN.sub("…", text).encode()).hexdigest()[:16]


def page(text: str) -> str:
    """A terminal with a command and what it printed."""
    pieces = _CODE.split(text)
    body = html.escape(pieces[0])
    for codes, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        classes = " ".join(_CLASSES[code] for code in codes.split(";") if code in _CLASSES)
        body += f'<span class="{classes}">{html.escape(piece)}</span>' if classes else html.escape(piece)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{_CSS}</style><title>doctor</title>'
        f'<pre><span class="prompt">$</span> rocm-ci doctor\n{body}</pre></html>'
    )


def main() -> int:
    """Make the named pictures, or both."""
    wanted = sys.argv[1:] or ["here", "sick"]
    if "here" in wanted:
        picture.photograph(page(here()), IMAGES / "doctor.png", scale=1.5)
    if "sick" in wanted:
        text = sick()
        picture.photograph(page(text), IMAGES / "doctor-sick.png", scale=1.5)
        MADE_OF.write_text(json.dumps({"sick": digest(text)}) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
