"""What a name of a Python file stands for: `cpp.CUDA_HOME` → `torch.utils.cpp_extension.CUDA_HOME`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocm_ci.scan.python_statements import Statements

# Names worth following through one assignment: the only ones whose later use is the defect.
_FOLLOWED = frozenset({"torch.version.cuda", "torch.version", "torch.utils.cpp_extension.CUDA_HOME"})


class Names:
    """Imports and simple aliases of one module, whatever their scope: enough to recognise an API."""

    def __init__(self, found: Statements) -> None:
        self._full: dict[str, str] = {}
        self._modules: set[str] = set()
        self.follows = False  # some name stands for a value whose use is the defect
        for node in found.imports:
            if isinstance(node, ast.Import):
                self._full.update((a.asname, a.name) for a in node.names if a.asname)
                self._modules.update(a.name.partition(".")[0] for a in node.names)
                continue
            start = "." * node.level + (node.module or "")
            joint = "" if not start or start.endswith(".") else "."
            self._full.update((a.asname or a.name, f"{start}{joint}{a.name}") for a in node.names)
            self._modules.add(start.partition(".")[0])
        self._follow(found)

    def is_imported(self, full: str) -> bool:
        """Whether a full name comes from another module."""
        first, dot, _ = full.partition(".")
        return bool(dot) and first in self._modules

    def _follow(self, found: Statements) -> None:
        """`version = torch.version.cuda`, bound once, is that value wherever it is used."""
        assigned: dict[str, int] = {}
        aliases: list[tuple[str, ast.expr]] = []
        for node in found.assigns:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                assigned[target.id] = assigned.get(target.id, 0) + 1
                if isinstance(node.value, ast.Attribute):
                    aliases.append((target.id, node.value))
        for name, value in aliases:
            full = self.dotted(value)
            if assigned[name] == 1 and full in _FOLLOWED:
                self._full.setdefault(name, full)
                self.follows = True

    def dotted(self, node: ast.expr | None) -> str:
        """The full dotted name of a name or attribute, through imports; empty for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        parts.append(self._full.get(node.id, node.id))
        return ".".join(reversed(parts))

    def callee(self, node: ast.expr) -> str:
        """The name of what is called; for a method of a computed object, only `.method`."""
        full = self.dotted(node)
        if full or not isinstance(node, ast.Attribute):
            return full
        return f".{node.attr}"


def constant_strings(found: Statements) -> dict[str, ast.expr]:
    """Names that are bound to one string literal in the file, with that literal."""
    literals: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for node in found.assigns:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if not isinstance(target, ast.Name):
                continue
            if target.id in literals:
                twice.add(target.id)
            if node.value is not None and is_text(node.value):
                literals[target.id] = node.value
    return {name: value for name, value in literals.items() if name not in twice}


def is_text(node: ast.AST) -> bool:
    """Whether a node is a string literal: plain, formatted or of bytes."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


def target_name(node: ast.expr, names: Names) -> str:
    """What is assigned to: `NAME`, `owner.name`, or `os.environ[NAME]` for a constant key."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return f"{names.dotted(node.value)}[{node.slice.value!s}]"
    return names.dotted(node)
