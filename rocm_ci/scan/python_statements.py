"""Every statement of a Python module, without going through its expressions: a tenth of the work."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_BLOCKS = ("body", "orelse", "finalbody")


@dataclass(slots=True)
class Statements:
    """The statements that teach something about a module, in no particular order."""

    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    assigns: list[ast.Assign | ast.AnnAssign | ast.AugAssign] = field(default_factory=list)
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=list)
    tries: list[ast.Try] = field(default_factory=list)
    expressions: list[ast.Expr] = field(default_factory=list)


def statements(module: ast.Module) -> Statements:
    """All of them, also the ones inside functions and classes."""
    found = Statements()
    stack: list[Iterable[ast.stmt]] = [module.body]
    while stack:
        for node in stack.pop():
            if isinstance(node, ast.Expr):
                found.expressions.append(node)
                continue
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                found.assigns.append(node)
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found.imports.append(node)
                continue
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.functions.append(node)
            elif isinstance(node, ast.Match):
                stack += [case.body for case in node.cases]
                continue
            elif type(node).__name__ in ("Try", "TryStar"):
                found.tries.append(node)  # type: ignore[arg-type]
                stack += [handler.body for handler in node.handlers]  # type: ignore[attr-defined]
            for block in _BLOCKS:
                inner = getattr(node, block, None)
                if inner:
                    stack.append(inner)
    return found
