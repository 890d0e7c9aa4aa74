"""What a C detector finds in a piece of code, as (line, text)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.language import Surroundings
from rocm_ci.scan.languages.c import LANGUAGE
from rocm_ci.scan.source import Source

if TYPE_CHECKING:
    from rocm_ci.scan.language import Detector


def seen(detector: Detector, text: str) -> list[tuple[int, str]]:
    parsed = LANGUAGE.parse(Source("a.hip", text, tuple(text.split("\n"))))
    found = list(detector.find(parsed, Surroundings(archs=("gfx942",), tables={})))
    for match in found:
        line = parsed.source.lines[match.line - 1]
        assert 1 <= match.column < match.end <= len(line) + 1, "a match lies on its line"
    return sorted((m.line, m.text) for m in found)
