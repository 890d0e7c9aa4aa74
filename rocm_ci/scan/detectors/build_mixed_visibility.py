"""Several variables that select devices, set side by side."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.source import Region

_VARIABLE = re.compile(r"^(ROCR|HIP|CUDA)_VISIBLE_DEVICES(?==|$)")
# `os.environ["…"] = …`, and a copy of it that a child gets.
_MAPPING = re.compile(r"^subscript:(?:[\w.]*\.)?\w*env\w*$", re.IGNORECASE)


class MixedVisibility:
    """The second and later of the three variables in one environment: file, container, step or command."""

    name = "mixed-visibility"
    needles = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        seen: dict[tuple[object, ...], set[str]] = {}
        for region in parsed.regions:
            found = _VARIABLE.match(region.text)
            if found is None or region.guard is Guard.NVIDIA or not _is_set(region):
                continue
            names = seen.setdefault((region.guard, *_environment(region)), set())
            if names - {found.group()}:
                end = region.column + len(found.group())
                yield Match(region.line, region.column, end, found.group())
            names.add(found.group())


def _is_set(region: Region) -> bool:
    if region.kind is RegionKind.KEY:
        return not any(c.startswith(("subscript:", "arg:")) for c in region.context)
    if region.kind is RegionKind.VALUE:
        return "environment" in region.context and "=" in region.text
    return region.kind is RegionKind.STRING and "store" in region.context and _mapping(region) is not None


def _mapping(region: Region) -> str | None:
    """The mapping of a Python file whose item is set."""
    return next((c for c in region.context if _MAPPING.match(c)), None)


def _environment(region: Region) -> tuple[object, ...]:
    """What tells environments apart: a mapping of YAML, one command of a shell, else the whole file."""
    if region.context and region.context[0].startswith("doc:"):
        return (
            region.context
            if not any(c.startswith("assign:") for c in region.context)
            else (*region.context[:-1], region.line)
        )
    mapping = _mapping(region) if region.kind is RegionKind.STRING else None
    if mapping is not None:
        return (mapping, *(c for c in region.context if c.startswith("def:")))
    if any(c.startswith("assign:") for c in region.context) and "export" not in region.context:
        return (region.line,)
    return ("export",)


DETECTOR: Detector = MixedVisibility()
