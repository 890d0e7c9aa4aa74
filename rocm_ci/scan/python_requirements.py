"""Which expressions of a Python file are lists of mandatory requirements."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocm_ci.scan.python_names import Names

_KEYWORDS = frozenset({"install_requires", "setup_requires", "requires"})
_NAMES = re.compile(
    r"(?i)_?(install_?requires?|install_requirements|requirements|requires|dependencies|deps|build_requires)"
)
_GROWING = frozenset({"append", "extend", "insert"})


def requirement_nodes(module: ast.Module, names: Names, path: str) -> frozenset[int]:
    """`id()` of every expression that ends up in `install_requires` of a setup script."""
    setup = [
        n
        for n in ast.walk(module)
        if isinstance(n, ast.Call) and names.callee(n.func).rsplit(".", 1)[-1] == "setup"
    ]
    if not setup and not path.endswith("setup.py"):
        return frozenset()
    found: set[int] = set()
    variables: set[str] = set()
    for call in setup:
        for keyword in call.keywords:
            if keyword.arg in _KEYWORDS:
                found.add(id(keyword.value))
                variables |= {n.id for n in ast.walk(keyword.value) if isinstance(n, ast.Name)}
    for node in ast.walk(module):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AugAssign(target=ast.Name(id=name), value=value)
            ):
                if name in variables or _NAMES.fullmatch(name):
                    found.add(id(value))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=args) if (
                attr in _GROWING
            ):
                if name in variables or _NAMES.fullmatch(name):
                    found |= {id(a) for a in args}
    return frozenset(found)
