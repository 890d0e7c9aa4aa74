"""Which expressions of a Python file are lists of mandatory requirements."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocm_ci.scan.python_names import Names
    from rocm_ci.scan.python_statements import Statements

_KEYWORDS = frozenset({"install_requires", "setup_requires", "requires"})
_NAMES = re.compile(
    r"(?i)_?(install_?requires?|install_requirements|requirements|requires|dependencies|deps|build_requires)"
)
_GROWING = frozenset({"append", "extend", "insert"})


def requirement_nodes(found: Statements, names: Names, path: str) -> frozenset[int]:
    """`id()` of every expression that ends up in `install_requires` of a setup script."""
    calls = [e.value for e in found.expressions if isinstance(e.value, ast.Call)]
    setup = [c for c in calls if names.callee(c.func).rsplit(".", 1)[-1] == "setup"]
    if not setup and not path.endswith("setup.py"):
        return frozenset()
    ids: set[int] = set()
    variables: set[str] = set()
    for keyword in (k for call in setup for k in call.keywords if k.arg in _KEYWORDS):
        ids.add(id(keyword.value))
        variables |= {n.id for n in ast.walk(keyword.value) if isinstance(n, ast.Name)}
    for node in found.assigns:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and (target.id in variables or _NAMES.fullmatch(target.id)):
            ids.add(id(node.value))
    for call in calls:
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _GROWING:
                if name in variables or _NAMES.fullmatch(name):
                    ids |= {id(a) for a in call.args}
    return frozenset(ids)
