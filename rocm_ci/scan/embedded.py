"""Device source inside a string (RawKernel, NVRTC): parsed like the C file it becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Parsed
from rocm_ci.scan.source import Guard, RegionKind, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.scan.language import Language
    from rocm_ci.scan.source import Region

_MANY = 20  # kernels, above which they are parsed together


def device_sources(parsed: Parsed) -> Iterator[tuple[Parsed, Language]]:
    """The KERNEL regions of a file as parsed C, at their places in the file.

    The inner source keeps the outer path and is padded with empty lines, so that every position a
    rule or detector computes in it is right.
    """
    kernels = [r for r in parsed.regions if r.kind is RegionKind.KERNEL]
    if not kernels:
        return
    # The lexer of C, which a scan of other files alone does not need.
    from rocm_ci.scan.languages.c import LANGUAGE as language  # noqa: N811, PLC0415

    for guard, text in _texts(kernels):
        inner = language.parse(Source(parsed.source.path, text, tuple(text.split("\n"))))
        yield (inner if guard is Guard.NONE else _within(inner, guard)), language


def _texts(kernels: list[Region]) -> Iterator[tuple[Guard, str]]:
    """The guard of each kernel and its text at its place; many of one guard are laid into one text."""
    if len(kernels) <= _MANY:
        for region in kernels:
            yield region.guard, _laid((region,))
        return
    for guard in dict.fromkeys(r.guard for r in kernels):
        yield guard, _laid([r for r in kernels if r.guard is guard])


def _laid(kernels: Iterable[Region]) -> str:
    pieces: list[str] = []
    line = column = 1
    for region in kernels:
        if region.line > line:
            pieces.append("\n" * (region.line - line))
            column = 1
        pieces += [" " * (region.column - column), region.text]
        line = region.line + region.text.count("\n")
        last = region.text.rfind("\n")
        column = len(region.text) - last if last >= 0 else region.column + len(region.text)
    return "".join(pieces)


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
