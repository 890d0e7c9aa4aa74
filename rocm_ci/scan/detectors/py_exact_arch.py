"""Python code that compares the name of an AMD architecture as a whole, features and all."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, TypeGuard

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_places import match_of
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.python_names import Names
    from rocm_ci.scan.python_regions import Context

_ATTRIBUTE = "gcnArchName"
# GPUs for computing say `gfx942:sramecc+:xnack-`; those for graphics have no features to say.
_WITH_FEATURES = re.compile(r"gfx9[0-9a-f]+")
_SAME_TEXT = frozenset({"lower", "strip", "decode"})


class ExactArch:
    """`gcnArchName`, itself or behind a variable or helper, held against `"gfx942"`."""

    name = "py-exact-arch"
    needles = (_ATTRIBUTE,)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree):
            return
        whole = _Whole(tree.names)
        for site in tree.sites:
            if isinstance(site.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                whole.learn(site.node)
        for site in tree.sites:
            if isinstance(site.node, (ast.Assign, ast.AnnAssign)) and site.node.value is not None:
                whole.assign(site.node, site.context)
            elif site.guard is not Guard.NVIDIA and _is_exact(site.node, whole, site.context):
                yield match_of(site.node, parsed)


class _Whole:
    """What holds the name with its features, followed in the order of the text."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: set[tuple[Context, str]] = set()
        self._helpers: set[str] = set()

    def learn(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A helper whose last statement returns the name."""
        match function.body[-1]:
            case ast.Return(value=ast.expr() as value) if self.holds(value, ()):
                self._helpers.add(function.name)
            case _:
                pass

    def assign(self, node: ast.Assign | ast.AnnAssign, context: Context) -> None:
        """A variable gets the name, or something else."""
        if node.value is None:
            return
        holds = self.holds(node.value, context)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            key = (_scope(context), self._names.dotted(target))
            if holds and key[1]:
                self._known.add(key)
            else:
                self._known.discard(key)

    def holds(self, node: ast.expr, context: Context) -> bool:
        """Whether an expression is the name as the driver gives it."""
        match node:
            case ast.Attribute(attr="gcnArchName"):
                return True
            case ast.Name() | ast.Attribute():
                full = self._names.dotted(node)
                return any((scope, full) in self._known for scope in {_scope(context), ()})
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value="gcnArchName"), *_]):
                return True
            case ast.Call(func=ast.Name(id="str"), args=[value]):
                return self.holds(value, context)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _SAME_TEXT:
                return self.holds(value, context)
            case ast.Call(func=func):
                return self._names.callee(func).removeprefix("self.") in self._helpers
            case ast.BoolOp(op=ast.Or(), values=[first, *_]):
                return self.holds(first, context)
            case _:
                return False


def _scope(context: Context) -> Context:
    return tuple(c for c in context if c.startswith("def:"))


def _is_exact(node: ast.AST, whole: _Whole, context: Context) -> TypeGuard[ast.Compare]:
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    op, left, right = node.ops[0], node.left, node.comparators[0]
    if isinstance(op, (ast.Eq, ast.NotEq)):
        named = right if whole.holds(left, context) else left if whole.holds(right, context) else None
        return named is not None and _is_bare(named)
    listed = right.elts if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else []
    return isinstance(op, (ast.In, ast.NotIn)) and any(map(_is_bare, listed)) and whole.holds(left, context)


def _is_bare(node: ast.expr) -> bool:
    """An architecture without its features."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and bool(_WITH_FEATURES.fullmatch(node.value))
    )


DETECTOR: Detector = ExactArch()
