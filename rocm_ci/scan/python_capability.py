"""Where the compute capability of a GPU goes in a Python module, and what it is compared with.

On ROCm the capability is the gfx number: every GPU that torch supports there reports at least (9, 0).
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.literal_search import lines_naming, lines_with
from rocm_ci.scan.python_strings import has_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.python_names import Names

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef)
_SIGN = re.compile(
    r"[dD]evice_?[cC]apability|compute_capability|cuda_capability|[dD]evice_?[pP]roperties|[pP]rop\w*\.(major|minor)|get_arch_list"
    r"|get_current_target"
)
_SOURCE = re.compile(
    r"(^|\.)(torch\.cuda\.get_device_capability|getDeviceCapability|get_cuda_capability|get_device_capability)$"
)
_PROPERTIES = re.compile(r"(^|\.)(get_device_properties|getDeviceProperties|getDeviceProperties_v2)$")
_ATTRIBUTE = re.compile(r"\.(compute_capability|cuda_capability)$")
_NUMBERS = ("int", "float", "tuple", "list", "str", "max", "min", "sum")
_FIRST_FP8 = 8.9  # Ada: the first NVIDIA GPU with 8 bit floats
LOWEST_AMD = 9.0  # gfx900; older GPUs have no ROCm build of torch


class Values:
    """Names and functions of one module that hold or return the capability.

    `scopes` are the module and those functions that touch it, each with its own nodes.
    """

    def __init__(self, module: ast.Module, names: Names, text: str) -> None:
        self.names = names
        self._functions: set[str] = set()
        self._attributes: set[str] = set()
        self._properties: set[str] = set()  # variables that hold the properties of a device
        self._targets: set[str] = set()  # … and Triton's target
        functions = list(_functions(module))
        signs = lines_with(_SIGN, text)
        touched = [f for f in functions if has_line(signs, f.lineno, f.end_lineno)]
        nodes = {id(f): list(own(f)) for f in touched}
        for _ in range(2):  # a helper may call another one below it
            for function in touched:
                mine = nodes[id(function)]
                tainted = self.tainted(mine)
                self._attributes |= {t for t in tainted if t.startswith("self.")}
                if any(
                    isinstance(n, ast.Return) and n.value and self.carries(n.value, tainted) for n in mine
                ):
                    self._functions.add(getattr(function, "name", ""))
        learnt = self._functions | {a.removeprefix("self.") for a in self._attributes}
        if learnt - {""}:
            uses = lines_naming(learnt - {""}, text)
            nodes |= {
                id(f): list(own(f))
                for f in functions
                if id(f) not in nodes and has_line(uses, f.lineno, f.end_lineno)
            }
        self.scopes: list[list[ast.AST]] = [list(own(module)), *nodes.values()]

    def tainted(self, nodes: list[ast.AST], outer: frozenset[str] = frozenset()) -> frozenset[str]:
        """The variables of a scope that hold the capability or a part of it."""
        found: set[str] = {*outer, *self._attributes}
        assigns = [
            n
            for n in nodes
            if isinstance(n, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and n.value is not None
        ]
        for node in assigns:
            if isinstance(node.value, ast.Call) and _PROPERTIES.search(self.names.callee(node.value.func)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                self._properties |= {self.names.dotted(t) for t in targets}
            elif isinstance(node.value, ast.Call) and self.is_target(node.value):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                self._targets |= {full for t in targets if (full := self.names.dotted(t))}
        for _ in range(2):  # `major, minor = cap` may stand above `cap` in the order of the walk
            for node in assigns:
                if node.value is None or not self.carries(node.value, frozenset(found)):
                    continue
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                    found |= {full for p in parts if (full := self.names.dotted(p))}
        return frozenset(found)

    def carries(self, node: ast.expr, tainted: frozenset[str]) -> bool:
        """Whether an expression is the capability, a part of it, or a number made of it."""
        match node:
            case ast.Call(func=func, args=args):
                return self._call(func, args, tainted)
            case ast.Attribute(value=value, attr="arch") if self.is_target(value):
                return True
            case ast.Attribute(value=value, attr=attr):
                if self.names.dotted(node) in tainted or _ATTRIBUTE.search("." + attr):
                    return True
                return attr in ("major", "minor") and (
                    self._is_properties(value) or self.carries(value, tainted)
                )
            case ast.Name():
                return self.names.dotted(node) in tainted
            case ast.Subscript(value=value):
                return self.carries(value, tainted)
            case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Mult() | ast.Div()):
                return self.carries(left, tainted) or self.carries(right, tainted)
            case ast.IfExp(body=body, orelse=orelse):
                return self.carries(body, tainted) or self.carries(orelse, tainted)
            case ast.JoinedStr(values=values):
                return any(
                    isinstance(v, ast.FormattedValue) and self.carries(v.value, tainted) for v in values
                )
            case _:
                return False

    def _call(self, func: ast.expr, args: list[ast.expr], tainted: frozenset[str]) -> bool:
        full = self.names.callee(func)
        if _SOURCE.search(full) or full.removeprefix("self.").removeprefix("cls.") in self._functions:
            return True
        if isinstance(func, ast.Attribute) and func.attr in ("replace", "split", "to_int", "as_version_str"):
            return self.carries(func.value, tainted)
        return full in _NUMBERS and any(self.carries(a, tainted) for a in args)

    def is_target(self, node: ast.expr) -> bool:
        """Whether an expression is Triton's target: its `arch` is a number for NVIDIA, a text for AMD."""
        if isinstance(node, ast.Call):
            return self.names.callee(node.func).endswith("get_current_target")
        return self.names.dotted(node) in self._targets

    def _is_properties(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return bool(_PROPERTIES.search(self.names.callee(node.func)))
        # `props.major` of any variable called so is worth a look: nothing else has such an attribute.
        full = self.names.dotted(node)
        return bool(full) and (full in self._properties or bool(re.search(r"(?i)prop", full)))


def _functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function, also inside others and in classes, without a walk through expressions."""
    stack: list[ast.AST] = [module]
    while stack:
        node = stack.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, block, None)
            if isinstance(inner, list):
                stack += inner
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes inside it."""
    stack = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack += ast.iter_child_nodes(node)


def decides(node: ast.Compare, values: Values, tainted: frozenset[str]) -> bool:
    """Whether a comparison holds the capability against numbers."""
    sides = [node.left, *node.comparators]
    return any(values.carries(s, tainted) for s in sides) and any(_is_numbers(s) for s in sides)


def is_floor(node: ast.Compare) -> bool:
    """Whether a comparison only turns old NVIDIA GPUs away: below every number that AMD reports.

    (8, 9) as a minimum is not one of these: it asks for 8 bit floats, which not every AMD GPU has. What is
    done below it, `if cap < (8, 9)`, is done on no AMD GPU.
    """
    if len(node.ops) != 1:
        return False
    op, sides = node.ops[0], (node.left, node.comparators[0])
    if isinstance(op, (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
        listed = [e for s in sides for e in (s.elts if _lists(s) else [s])]  # type: ignore[attr-defined]
        numbers = [n for e in listed if (n := _number(e)) is not None]
        return bool(numbers) and max(numbers) < LOWEST_AMD and _FIRST_FP8 not in numbers
    left, right = map(_number, sides)
    number = right if left is None else left
    if number is None or (left is not None and right is not None):
        return False
    beyond = (ast.Gt, ast.LtE) if left is None else (ast.Lt, ast.GtE)
    below = (ast.Gt, ast.GtE) if left is not None else (ast.Lt, ast.LtE)
    if isinstance(op, beyond) and number == int(number):
        number += 1  # `major > 8` asks for 9
    return number < LOWEST_AMD and (number != _FIRST_FP8 or isinstance(op, below))


def _lists(node: ast.expr) -> bool:
    """Whether a node lists alternatives: `[(8, 0), (9, 0)]`, `(80, 86)`, but not the pair `(8, 0)`."""
    if isinstance(node, (ast.List, ast.Set)):
        return True
    return isinstance(node, ast.Tuple) and not (
        len(node.elts) == 2
        and all(isinstance(_number(e), float) and (_number(e) or 0) < 20 for e in node.elts)
    )


def _number(node: ast.expr) -> float | None:
    """A capability as one number: (8, 6), 86, 8.6 and 8 become 8.6 and 8.0."""
    if isinstance(node, ast.Tuple) and _is_numbers(node):
        parts = [str(e.value) for e in node.elts if isinstance(e, ast.Constant)]
        return float(".".join(parts[:2]))
    if isinstance(node, ast.Constant) and _is_numbers(node):
        value = float(str(node.value))  # two digits are major and minor
        return value / 10 if value >= 20 else value
    return None


def _is_numbers(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts) and all(_is_numbers(e) for e in node.elts)
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    )
