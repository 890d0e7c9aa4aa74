"""Python code that derives features from the compute capability: `get_device_capability() >= (8, 9)`."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_strings import column_of
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.python_names import Names

_SOURCE = re.compile(r"(^|\.)(torch\.cuda\.get_device_capability|getDeviceCapability|get_cuda_capability)$")
_PROPERTIES = re.compile(r"(^|\.)(get_device_properties|getDeviceProperties)$")
_ARCH_OF_CUPY = re.compile(r"\.compute_capability$")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Capability:
    """Follows the value through the variables of one function; the vendor guard of the comparison counts."""

    name = "py-capability"
    needles = (
        "cuda.get_device_capability",
        "import get_device_capability",
        "get_device_properties",
        ".compute_capability",
        "getDeviceProperties",
        "get_cuda_capability",
        "getDeviceCapability",
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree):
            return
        told: set[int] = set()
        guards = {id(s.node): s for s in tree.sites if isinstance(s.node, ast.Compare)}
        for scope in (tree.module, *(n for n in ast.walk(tree.module) if isinstance(n, _SCOPES))):
            nodes = list(_own(scope))
            refusals = _refusals(nodes)
            tainted = _tainted(nodes, tree.names)
            for node in nodes:
                site = guards.get(id(node)) if isinstance(node, ast.Compare) else None
                if site is None or site.guard not in (Guard.NONE, Guard.AMD) or "message" in site.context:
                    continue
                if id(node) in refusals:
                    continue
                if isinstance(node, ast.Compare) and _decides(node, tainted, tree.names):
                    if node.lineno not in told:
                        yield _match(node, parsed)
                    told.add(node.lineno)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes inside it."""
    stack = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack += ast.iter_child_nodes(node)


def _refusals(nodes: list[ast.AST]) -> set[int]:
    """Comparisons that turn every other GPU away: `if cap != (10, 3): raise …` refuses AMD, as it should."""
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
            found |= {
                id(one)
                for one in ast.walk(node.test)
                if isinstance(one, ast.Compare)
                and all(isinstance(op, (ast.NotEq, ast.NotIn)) for op in one.ops)
            }
    return found


def _tainted(nodes: list[ast.AST], names: Names) -> frozenset[str]:
    found: set[str] = set()
    assigns = [
        n for n in nodes if isinstance(n, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and n.value is not None
    ]
    for _ in range(2):  # `major, minor = cap` may stand above `cap` in the order of the walk
        for node in assigns:
            if node.value is None or not _carries(node.value, frozenset(found), names):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                found |= {full for p in parts if (full := names.dotted(p))}
    return frozenset(found)


def _carries(node: ast.expr, tainted: frozenset[str], names: Names) -> bool:
    """Whether an expression is the capability, a part of it, or a number made of it."""
    match node:
        case ast.Call(func=func, args=args):
            full = names.callee(func)
            if _SOURCE.search(full):
                return True
            return full in ("int", "float", "tuple", "list") and any(
                _carries(a, tainted, names) for a in args
            )
        case ast.Attribute(value=value, attr=attr):
            if names.dotted(node) in tainted or _ARCH_OF_CUPY.search("." + attr):
                return True
            return attr in ("major", "minor") and _is_properties(value, names)
        case ast.Name():
            return names.dotted(node) in tainted
        case ast.Subscript(value=value):
            return _carries(value, tainted, names)
        case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Mult()):
            return _carries(left, tainted, names) or _carries(right, tainted, names)
        case ast.IfExp(body=body, orelse=orelse):
            return _carries(body, tainted, names) or _carries(orelse, tainted, names)
        case _:
            return False


def _is_properties(node: ast.expr, names: Names) -> bool:
    if isinstance(node, ast.Call):
        return bool(_PROPERTIES.search(names.callee(node.func)))
    # `props.major` of any variable called so is worth a look: nothing else has such an attribute.
    return bool(re.search(r"(?i)prop", names.dotted(node)))


def _decides(node: ast.Compare, tainted: frozenset[str], names: Names) -> bool:
    sides = [node.left, *node.comparators]
    return any(_carries(s, tainted, names) for s in sides) and any(_is_numbers(s) for s in sides)


def _is_numbers(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts) and all(_is_numbers(e) for e in node.elts)
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    )


def _match(node: ast.Compare, parsed: Parsed) -> Match:
    lines = parsed.source.lines
    start = column_of(lines, node.lineno, node.col_offset)
    line = lines[node.lineno - 1]
    same = node.end_lineno == node.lineno
    stop = column_of(lines, node.lineno, node.end_col_offset or 0) if same else len(line.rstrip())
    return Match(node.lineno, start + 1, stop + 1, line[start:stop])


DETECTOR: Detector = Capability()
