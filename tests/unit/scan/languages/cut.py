"""What a language makes of a text, in the short forms that tests compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.source import Guard, Region, RegionKind, Source

if TYPE_CHECKING:
    from collections.abc import Collection

    from rocm_ci.scan.language import Language


def regions(language: Language, text: str, path: str, *, beside: Collection[str] = ()) -> tuple[Region, ...]:
    """All regions, each checked to stand where it says."""
    lines = tuple(text.split("\n"))
    found = language.parse(Source(path, text, lines, beside=lambda name: name in beside)).regions
    for region in found:
        first = region.text.split("\n")[0]
        at = lines[region.line - 1][region.column - 1 :]
        assert at.startswith(first) or region.kind in (
            RegionKind.CODE,
            RegionKind.INCLUDE,
            RegionKind.REQUIREMENT,
        )
    return found


def guards(
    language: Language, text: str, path: str, *, beside: Collection[str] = (), code: bool = True
) -> dict[str, Guard]:
    """Text of every region → its guard; a text that stands there twice must have one guard."""
    found: dict[str, Guard] = {}
    for region in regions(language, text, path, beside=beside):
        if region.kind is RegionKind.CODE and not code:
            continue
        assert found.setdefault(region.text, region.guard) is region.guard, f"{region.text!r} has two guards"
    return found


def places(language: Language, text: str, path: str, kind: RegionKind) -> list[tuple[int, int, str]]:
    """(line, column, text) of the regions of one kind."""
    return [(r.line, r.column, r.text) for r in regions(language, text, path) if r.kind is kind]


def context_of(language: Language, text: str, path: str, wanted: str) -> tuple[str, ...]:
    """The context of the first region with a text."""
    return next(r.context for r in regions(language, text, path) if r.text == wanted)
