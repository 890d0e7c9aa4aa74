"""Folds the paths that Python build files put together: literals, joins, `Path / "x"`, `__file__`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocm_ci.scan.source_patterns import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.scan.python_names import Names

_DEEPEST = 30
_LISTS = frozenset({"glob", "iglob", "rglob", "list", "sorted", "listdir"})  # calls that give several texts


class Texts:
    """The texts of one module. `values` are the names that are bound once."""

    def __init__(self, names: Names, values: dict[str, ast.expr]) -> None:
        self._names = names
        self._values = values

    def fold(self, node: ast.expr, depth: int = 0) -> str:
        """The text of an expression; `UNKNOWN` in place of what cannot be known."""
        if depth > _DEEPEST:
            return UNKNOWN
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.JoinedStr(values=values):
                return "".join(self.fold(v, depth + 1) for v in values)
            case ast.FormattedValue(value=value):
                return self.fold(value, depth + 1)
            case ast.Name(id=name) if name in self._values:
                return self.fold(self._values[name], depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                if self._is_list(left) or self._is_list(right):
                    return UNKNOWN  # several texts, each of them folded by itself
                return self.fold(left, depth + 1) + self.fold(right, depth + 1)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return f"{self.fold(left, depth + 1)}/{self.fold(right, depth + 1)}"
            case ast.Attribute(value=value, attr="parent") if _mentions_file(value):
                return "." if not isinstance(value, ast.Attribute) else f"{self.fold(value, depth + 1)}/.."
            case ast.Call(func=func, args=args):
                return self._call(self._names.callee(func), func, args, depth)
            case _:
                return UNKNOWN

    def _is_list(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression holds several texts: a display, what a glob finds, a sum of such."""
        match node:
            case ast.List() | ast.Tuple() | ast.ListComp():
                return True
            case ast.Name(id=name) if name in self._values and depth < _DEEPEST:
                return self._is_list(self._values[name], depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right) if depth < _DEEPEST:
                return self._is_list(left, depth + 1) or self._is_list(right, depth + 1)
            case ast.Call(func=func):
                return self._names.callee(func).rpartition(".")[2] in _LISTS
            case _:
                return False

    def _call(self, full: str, func: ast.expr, args: Sequence[ast.expr], depth: int) -> str:
        last = full.rpartition(".")[2]
        if last in ("dirname", "getcwd", "cwd") and _is_here(func, args):
            return "."
        if last in ("join", "Path", "PurePath", "joinpath") and args and not isinstance(args[0], ast.Starred):
            return "/".join(self.fold(a, depth + 1) for a in args)
        if (
            last in ("abspath", "realpath", "normpath", "str", "fspath", "relpath", "rel", "glob", "iglob")
            and args
        ):
            return self.fold(args[0], depth + 1)
        if last in ("resolve", "as_posix", "absolute") and isinstance(func, ast.Attribute):
            return self.fold(func.value, depth + 1)
        return UNKNOWN


def bound_once(assigns: Sequence[ast.Assign | ast.AnnAssign | ast.AugAssign]) -> dict[str, ast.expr]:
    """The names that are bound once in a module, with their values."""
    values: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for node in assigns:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and node.value is not None:
                twice.update({target.id} & values.keys())
                values[target.id] = node.value
    return {name: value for name, value in values.items() if name not in twice}


def _is_here(func: ast.expr, args: Sequence[ast.expr]) -> bool:
    """`os.path.dirname(os.path.abspath(__file__))`, `os.getcwd()`."""
    return not args if name_of(func) != "dirname" else len(args) == 1 and _mentions_file(args[0], "dirname")


def _mentions_file(node: ast.expr, without: str = "") -> bool:
    names = {name_of(n) for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))}
    return "__file__" in names and without not in names


def name_of(node: ast.expr) -> str:
    """What a variable is called: the last part of a dotted name, the owner of an item."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return name_of(value)
        case _:
            return ""
