"""The regions of one kind laid end to end, so that a pattern goes over a file once and not per region."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from rocm_ci.scan.language import Parsed
    from rocm_ci.scan.source import Guard, Region, RegionKind


class Texts:
    """One text per kind and guard of a parsed file, made when first asked for."""

    def __init__(self, parsed: Parsed) -> None:
        self._groups: dict[tuple[RegionKind, Guard], list[Region]] = {}
        for region in parsed.regions:
            self._groups.setdefault((region.kind, region.guard), []).append(region)
        self._made: dict[tuple[RegionKind, Guard], _Text] = {}

    def search(
        self, pattern: re.Pattern[str], kinds: Sequence[RegionKind], guards: Sequence[Guard]
    ) -> Iterator[tuple[Region, re.Match[str], int]]:
        """(region, match, offset of the region in the match's string) of every match within one region."""
        for kind in kinds:
            for guard in guards:
                if (kind, guard) in self._groups:
                    key = (kind, guard)
                    if key not in self._made:
                        self._made[key] = _Text(self._groups[key])
                    yield from self._made[key].search(pattern)


class _Text:
    def __init__(self, regions: list[Region]) -> None:
        self._regions = regions
        self._starts: list[int] = []
        at = 0
        for region in regions:
            self._starts.append(at)
            at += len(region.text) + 1
        self._whole = "\n".join(region.text for region in regions)

    def search(self, pattern: re.Pattern[str]) -> Iterator[tuple[Region, re.Match[str], int]]:
        at = 0
        while found := pattern.search(self._whole, at):
            index = bisect_right(self._starts, found.start()) - 1
            start, region = self._starts[index], self._regions[index]
            end = start + len(region.text)
            if found.end() > end:
                # White space in the pattern ran into the next region: look at this one alone.
                for inner in pattern.finditer(region.text, max(0, at - start)):
                    yield region, inner, 0
                at = end + 1
                continue
            yield region, found, start
            at = max(found.end(), found.start() + 1)
