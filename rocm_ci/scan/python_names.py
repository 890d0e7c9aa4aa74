"""What a name of a Python file stands for: `cpp.CUDA_HOME` → `torch.utils.cpp_extension.CUDA_HOME`."""

from __future__ import annotations

import ast

# Names worth following through one assignment: the only ones whose later use is the defect.
_FOLLOWED = frozenset({"torch.version.cuda", "torch.version", "torch.utils.cpp_extension.CUDA_HOME"})


class Names:
    """Imports and simple aliases of one module, whatever their scope: enough to recognise an API."""

    def __init__(self, module: ast.AST) -> None:
        self._full: dict[str, str] = {}
        assigned: dict[str, int] = {}
        aliases: list[tuple[str, ast.expr]] = []
        for node in ast.walk(module):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname:
                        self._full[alias.asname] = alias.name
            elif isinstance(node, ast.ImportFrom):
                start = "." * node.level + (node.module or "")
                joint = "" if not start or start.endswith(".") else "."
                for alias in node.names:
                    self._full[alias.asname or alias.name] = f"{start}{joint}{alias.name}"
            elif (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                name = node.targets[0].id
                assigned[name] = assigned.get(name, 0) + 1
                if isinstance(node.value, ast.Attribute):
                    aliases.append((name, node.value))
        for name, value in aliases:
            full = self.dotted(value)
            if assigned[name] == 1 and full in _FOLLOWED:
                self._full.setdefault(name, full)

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


def constant_strings(module: ast.AST) -> dict[str, ast.expr]:
    """Names that are bound to one string literal in the file, with that literal."""
    found: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for node in ast.walk(module):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if not isinstance(target, ast.Name):
                continue
            if target.id in found:
                twice.add(target.id)
            if is_text(node.value):
                found[target.id] = node.value
    return {name: value for name, value in found.items() if name not in twice}


def is_text(node: ast.AST) -> bool:
    """Whether a node is a string literal, formatted or not."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
