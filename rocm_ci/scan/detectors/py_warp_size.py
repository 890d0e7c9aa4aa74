"""Python host code that takes a warp to have 32 lanes."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_places import match_of
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocm_ci.scan.python_regions import Site

    Node = ast.stmt | ast.expr | ast.arg | ast.keyword

_SIZE = re.compile(
    r"(?i)(^|_|\.)k?(warp_?size|wave_?size|wavefront_?size|threads_per_warp|lanes_per_warp|warp_?threads|num_lanes"
    r"|warp_width)$"
)
_WARPS = re.compile(r"(?i)(^|_|\.)(num_?warps?|n_?warps?|warps(_per_\w+)?)$")
_LANE = re.compile(r"(?i)lane|warp|wave|wid")
_THREADS = re.compile(
    r"(?i)(^|_|\.)(num_?threads|n_?threads|threads(_per_\w+)?|block_?threads|tid|thread_?(id|idx))$"
)


_NARROW, _WIDE = 32, 64  # lanes
_COUNTS = ("warps", "WARPS", "per_warp", "threads", "THREADS", "tid", "thread_id", "thread_idx")


def _needles(*names: str) -> tuple[str, ...]:
    return tuple(spelt for name in names for spelt in (name, name.upper()))


class WarpSize:
    """A constant named as the lane count, or arithmetic of warps and threads with 32."""

    name = "py-warp-size"
    needles = (
        *_needles(
            "warp_size", "wave_size", "wavefront_size", "per_warp", "warp_threads", "num_lanes", "warp_width"
        ),
        *("warpsize", "WARPSIZE", "warpSize", "WarpSize", "waveSize"),
        *(f"{name} {operator} 32" for name in _COUNTS for operator in ("*", "//", "%")),
        *(f"32 * {name}" for name in ("num_warps", "n_warps", "self.", "_WARPS", "NUM_WARPS", "warps")),
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        yield from (match_of(node, parsed) for node, tiles in suspects(parsed) if not tiles)


def suspects(parsed: Parsed) -> Iterator[tuple[Node, str]]:
    """Every place that is reached on AMD, and the function of TileLang that it stands in, if one."""
    tree = parsed.tree
    if not isinstance(tree, PythonTree):
        return
    chosen = _chosen(tree.module) if "64" in parsed.source.text else frozenset()
    kernels = _tile_kernels(tree.module) if "tilelang" in parsed.source.text else []
    for site in tree.sites:
        if site.guard not in (Guard.NONE, Guard.AMD) or {"message", "test"} & set(site.context):
            continue
        for node in _suspects(site, tree):
            if node.lineno in chosen:
                continue
            around = (k for k in kernels if k.lineno <= node.lineno <= (k.end_lineno or k.lineno))
            yield node, next((k.name for k in around), "")


def _chosen(module: ast.Module) -> frozenset[int]:
    """The lines that assign 32 where an arm beside them, or an `if` below, assigns 64 to the same name."""
    found: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.If) and node.orelse:
            found |= _narrow(node.body, node.orelse) | _narrow(node.orelse, node.body)
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(block, list):
                found |= _overwritten(block)
    return frozenset(found)


def _overwritten(block: list[ast.stmt]) -> set[int]:
    return {
        line
        for at, one in enumerate(block)
        if isinstance(one, ast.Assign)
        for later in block[at + 1 :]
        if isinstance(later, ast.If)
        for line in _narrow([one], [*later.body, *later.orelse])
    }


def _narrow(arm: list[ast.stmt], other: list[ast.stmt]) -> set[int]:
    wide = {name for name, value, _ in _assigned(other) if value == _WIDE}
    return {line for name, value, line in _assigned(arm) if value == _NARROW and name in wide}


def _assigned(arm: list[ast.stmt]) -> list[tuple[str, object, int]]:
    return [
        (target.id, value, s.lineno)
        for s in arm
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant)
        for target, value in [(s.targets[0], s.value.value)]
        if isinstance(target, ast.Name)
    ]


def _tile_kernels(module: ast.Module) -> list[ast.FunctionDef]:
    """The functions that write a kernel with `T.Kernel`, the outer ones first."""
    return [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and any(map(_is_tile_kernel, ast.walk(node)))
    ]


def _is_tile_kernel(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "Kernel" and isinstance(node.value, ast.Name)


def _suspects(site: Site, tree: PythonTree) -> Iterator[Node]:
    name = tree.names.dotted
    match site.node:
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            if _is_32(value) and _SIZE.search(name(target)):
                yield site.node
        case ast.Call(keywords=keywords):
            yield from (k for k in keywords if k.arg and _SIZE.search(k.arg) and _is_32(k.value))
        case ast.BinOp():
            if _counts(site.node, name, site.context):
                yield site.node
        case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
            yield from _defaults(arguments)
        case _:
            return


def _counts(node: ast.BinOp, name: Callable[[ast.expr], str], context: tuple[str, ...]) -> bool:
    """`num_warps * 32`, or `lane = tid % 32`: a 32 in other arithmetic may be any tile or block."""
    if isinstance(node.op, ast.Mult):
        pairs = ((node.left, node.right), (node.right, node.left))
        return any(_is_32(one) and bool(_WARPS.search(name(other))) for one, other in pairs)
    if not isinstance(node.op, (ast.FloorDiv, ast.Mod)) or not _is_32(node.right):
        return False
    named = any(_LANE.search(c) for c in context if c.startswith("assign:"))
    return named and bool(_THREADS.search(name(node.left)))


def _defaults(arguments: ast.arguments) -> Iterator[ast.arg]:
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    pairs = [
        *zip(with_default, arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    yield from (a for a, default in pairs if default is not None and _SIZE.search(a.arg) and _is_32(default))


def _is_32(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 32 and not isinstance(node.value, bool)


DETECTOR: Detector = WarpSize()
