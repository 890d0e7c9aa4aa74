"""How much LDS a Triton configuration asks for, from its tile sizes and pipeline stages."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocm_ci.scan.language import Parsed, Surroundings
    from rocm_ci.scan.python_regions import Site

MANY_STAGES = 3  # AMD's tuning guide says 2 for one GEMM, 1 otherwise
_SIDE = re.compile(r"(?i)^(?:b|block|tile|kblock)(?:_?(?:size|shape|tile))?_?([mnk])$")
_ELEMENT = 2  # bytes: half precision
# LDS of one workgroup in bytes (AMD's ISA manuals; Triton's TargetInfo for gfx1250).
_LDS = (("gfx950*", 163_840), ("gfx125*", 327_680))
_LDS_USUAL = 65_536


@dataclass(frozen=True, slots=True)
class Tiles:
    """One configuration. `node` is its number of stages; `lds` is 0 where a tile size is not known."""

    node: ast.expr
    stages: int
    lds: int
    tuned: bool  # one of several that the autotuner tries: what does not fit is skipped


def limit(surroundings: Surroundings) -> int:
    """The LDS that every configured target has, in bytes."""
    sizes = [
        next((size for glob, size in _LDS if fnmatchcase(arch, glob)), None) for arch in surroundings.archs
    ]
    return min((size or _LDS_USUAL for size in sizes), default=_LDS_USUAL)


def configurations(parsed: Parsed) -> Iterator[Tiles]:
    """Every configuration with at least `MANY_STAGES` stages that is reached on AMD."""
    tree = parsed.tree
    if not isinstance(tree, PythonTree):
        return
    for site in tree.sites:
        if site.guard in (Guard.NONE, Guard.AMD) and not {"test", "message", "twin"} & set(site.context):
            found = _of(site, tree)
            if found is not None and found.stages >= MANY_STAGES:
                yield found


def _of(site: Site, tree: PythonTree) -> Tiles | None:
    match site.node:
        case ast.Call(func=func, args=args, keywords=keywords):
            name = tree.names.callee(func)
            is_config = name.rsplit(".", 1)[-1] == "Config" and bool(args) and isinstance(args[0], ast.Dict)
            if not (isinstance(func, ast.Subscript) or is_config):
                return None
            given: dict[str, ast.expr] = {k.arg: k.value for k in keywords if k.arg}
            if is_config and isinstance(args[0], ast.Dict):
                given = {**_entries(args[0]), **given}
            tuned = is_config and any(c.startswith("item:") for c in site.context)
            return _tiles(given, tuned=tuned)
        case ast.Dict():
            given = _entries(site.node)
            return _tiles(given, tuned=False) if any(_SIDE.match(k) for k in given) else None
        case _:
            return None


def _entries(node: ast.Dict) -> dict[str, ast.expr]:
    return {
        k.value: v
        for k, v in zip(node.keys, node.values, strict=True)
        if isinstance(k, ast.Constant) and isinstance(k.value, str)
    }


def _tiles(given: Mapping[str, ast.expr], *, tuned: bool) -> Tiles | None:
    stages = given.get("num_stages")
    count = _integer(stages)
    if stages is None or count is None:
        return None
    sides = {side[1].lower(): _integer(v) for k, v in given.items() if (side := _SIDE.match(k))}
    m, n, k = (sides.get(side) or 0 for side in "mnk")
    # The last stage is computed from registers, so one buffer less than stages.
    return Tiles(stages, count, (count - 1) * (m + n) * k * _ELEMENT if m and n else 0, tuned)


def _integer(node: ast.expr | None) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None
