"""Python host code that takes a warp to have 32 lanes."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_strings import column_of
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.python_regions import Site

_SIZE = re.compile(
    r"(?i)(^|_|\.)k?(warp_?size|wave_?size|wavefront_?size|threads_per_warp|lanes_per_warp|warp_?threads|num_lanes|warp_width)$"
)
_WARPS = re.compile(r"(?i)(^|_|\.)(num_?warps?|n_?warps?|warps(_per_\w+)?)$")
_LANE = re.compile(r"(?i)lane|warp|wave|wid")
_THREADS = re.compile(
    r"(?i)(^|_|\.)(num_?threads|n_?threads|threads(_per_\w+)?|block_?threads|tid|thread_?(id|idx))$"
)


class WarpSize:
    """A constant named as the lane count, or arithmetic of warps and threads with 32."""

    name = "py-warp-size"
    needles = (
        "warp_size", "WARP_SIZE", "warpsize", "WARPSIZE", "warpSize", "WarpSize", "wave_size", "WAVE_SIZE", "wavefront_size",
        "WAVEFRONT_SIZE", "per_warp", "PER_WARP", "warp_threads", "WARP_THREADS", "num_lanes", "NUM_LANES", "warp_width",
        "WARP_WIDTH", "waveSize", *(
            f"{name} {operator} 32"
            for name in ("warps", "WARPS", "per_warp", "threads", "THREADS", "tid", "thread_id", "thread_idx")
            for operator in ("*", "//", "%")
        ),
        "32 * num_warps", "32 * n_warps", "32 * self.", "32 * _WARPS", "32 * NUM_WARPS", "32 * warps",
    )  # fmt: skip

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree) or _is_for_nvidia(parsed):
            return
        lines = parsed.source.lines
        for site in tree.sites:
            if (
                site.guard not in (Guard.NONE, Guard.AMD)
                or "message" in site.context
                or "test" in site.context
            ):
                continue
            for node in _suspects(site, tree):
                start = column_of(lines, node.lineno, node.col_offset)
                text = lines[node.lineno - 1]
                same = node.end_lineno == node.lineno
                stop = column_of(lines, node.lineno, node.end_col_offset or 0) if same else len(text.rstrip())
                yield Match(node.lineno, start + 1, stop + 1, text[start:stop])


def _is_for_nvidia(parsed: Parsed) -> bool:
    """Kernels in CuTe, whose import is reported where it stands: nothing below it is meant for AMD."""
    return any(r.kind is RegionKind.INCLUDE and r.text.split(".")[0] == "cutlass" for r in parsed.regions)


def _suspects(site: Site, tree: PythonTree) -> Iterator[ast.stmt | ast.expr | ast.arg | ast.keyword]:
    names = tree.names
    match site.node:
        case ast.Assign(targets=[target], value=value) if _is_32(value):
            if _SIZE.search(names.dotted(target)):
                yield site.node
        case ast.AnnAssign(target=target, value=ast.expr() as value) if _is_32(value):
            if _SIZE.search(names.dotted(target)):
                yield site.node
        case ast.Call(keywords=keywords):
            yield from (k for k in keywords if k.arg and _SIZE.search(k.arg) and _is_32(k.value))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            if (_WARPS.search(names.dotted(left)) and _is_32(right)) or (
                _is_32(left) and _WARPS.search(names.dotted(right))
            ):
                yield site.node
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod(), right=right) if _is_32(right):
            named = any(_LANE.search(c) for c in site.context if c.startswith("assign:"))
            if named and _THREADS.search(names.dotted(left)):
                yield site.node
        case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
            positional = [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) or None :]
            pairs = [
                *zip(positional, arguments.defaults, strict=False),
                *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
            ]
            yield from (
                a for a, default in pairs if default is not None and _SIZE.search(a.arg) and _is_32(default)
            )


def _is_32(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 32 and not isinstance(node.value, bool)


detector: Detector = WarpSize()
