"""Device source inside a string (RawKernel, NVRTC): parsed like the C file it becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Parsed
from rocm_ci.scan.language_registry import languages
from rocm_ci.scan.source import Guard, RegionKind, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.language import Language


def device_sources(parsed: Parsed) -> Iterator[tuple[Parsed, Language]]:
    """The KERNEL regions of a file as parsed C, at their places in the file.

    The inner source keeps the outer path and is padded with empty lines, so that every position a
    rule or detector computes in it is right.
    """
    language = languages().get("c")
    if language is None:
        return
    for region in parsed.regions:
        if region.kind is RegionKind.KERNEL:
            text = "\n" * (region.line - 1) + " " * (region.column - 1) + region.text
            inner = language.parse(Source(parsed.source.path, text, tuple(text.split("\n"))))
            if region.guard is not Guard.NONE:
                inner = _within(inner, region.guard)
            yield inner, language


def _within(inner: Parsed, outer: Guard) -> Parsed:
    """The same with the guard of the string around it, which nothing inside can lift."""
    from rocm_ci.scan.c_source import CFile  # noqa: PLC0415 - most scans meet no such string

    def joined(own: Guard) -> Guard:
        return own if outer is Guard.AMD and own is Guard.NVIDIA else outer

    guarded = tuple(replace(r, guard=joined(r.guard)) for r in inner.regions)
    tree = inner.tree
    if isinstance(tree, CFile):
        tree = replace(tree, guards=tuple(map(joined, tree.guards)))
    return replace(inner, regions=guarded, tree=tree)
