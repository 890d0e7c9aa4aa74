"""How a block of Python statements ends: whether it leaves, quietly or by giving up."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.scan.python_names import Names

_SKIPS = re.compile(r"(^|\.)(skip|skipTest|importorskip|xfail)$")
_EXITS = re.compile(r"(^|\.)(exit|_exit|abort)$")
_NVIDIA_TOOL = re.compile(r"nvidia-smi|nvcc|nsys|ncu\b|cuobjdump|nvprof")
# What the Triton of every vendor has: `cuda` and `nvidia` are no part of the name.
_PORTABLE = re.compile(r"triton\.(?!.*(?:cuda|nvidia))")
_BROAD = frozenset({"", "Exception", "BaseException"})
_CATCHES_IMPORT = _BROAD | {"ImportError", "ModuleNotFoundError"}
_CATCHES_MISSING = _BROAD | {
    "OSError", "FileNotFoundError", "IOError", "EnvironmentError", "AttributeError", "TypeError",
    "RuntimeError", "KeyError", "NVMLError", "ValueError", "SubprocessError", "PermissionError",
}  # fmt: skip


def gives_up(body: Sequence[ast.stmt]) -> bool:
    """Whether a block ends in `raise` or the end of the process: what it tests for is demanded."""
    return bool(body) and (isinstance(body[-1], ast.Raise) or bool(_EXITS.search(_last_call(body))))


def advises(body: Sequence[ast.stmt], kind: str = "") -> bool:
    """Whether a block raises an error of its own (of some kind) with a text: it says what to do."""
    match body[-1] if body else None:
        case ast.Raise(exc=ast.Call(func=func, args=[_, *_])):
            return ast.unparse(func).endswith(kind)
        case _:
            return False


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether what stands behind a block is not reached from it."""
    if not body:
        return False
    if isinstance(body[-1], (ast.Return, ast.Continue, ast.Break, ast.Raise)):
        return True
    last = _last_call(body)
    return bool(_SKIPS.search(last) or _EXITS.search(last))


def _last_call(body: Sequence[ast.stmt]) -> str:
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        func = last.value.func
        if isinstance(func, ast.Attribute):
            return f".{func.attr}"
        return func.id if isinstance(func, ast.Name) else ""
    return ""


def handles(node: ast.Try, lines: Sequence[str], *, inside: bool) -> bool:
    """Whether a `try` goes on where what its body needs is missing. `inside`: it stands in a function."""
    fallbacks = {
        name
        for handler in node.handlers
        if not gives_up(handler.body) or (inside and advises(handler.body))
        for name in caught(handler)
    }
    has_import = any(
        isinstance(s, (ast.Import, ast.ImportFrom)) or "import_module(" in lines[s.lineno - 1]
        for s in node.body
    )
    if fallbacks & (_CATCHES_IMPORT if has_import else _CATCHES_MISSING):
        return True
    # A package's own error class stands for "its library is not there" as well.
    return any(f.lower().startswith(("nvml", "pynvml", "cuda")) for f in fallbacks)


def falls_back(node: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether a handler imports for old releases what the `try` takes from a module for every vendor."""
    wanted = [s for s in node.body if isinstance(s, ast.ImportFrom)]
    if not _CATCHES_IMPORT & set(caught(handler)) or not wanted or len(wanted) != len(node.body):
        return False
    names = {alias.asname or alias.name for s in wanted for alias in s.names}
    return all(_PORTABLE.match(s.module or "") for s in wanted) and all(
        isinstance(s, ast.ImportFrom)
        and (s.module or "").startswith("triton.")
        and {alias.asname or alias.name for alias in s.names} <= names
        for s in handler.body
    )


def is_tried(node: ast.stmt, rest: Sequence[ast.stmt], lines: Sequence[str]) -> bool:
    """Whether a command that is put together here is started in a `try` below that goes on without it."""
    match node:
        case ast.Assign(targets=[ast.Name(id=target)]):
            command = lines[node.lineno - 1 : node.end_lineno]
        case _:
            return False
    if not any(map(_NVIDIA_TOOL.search, command)):
        return False
    name = re.compile(rf"\b{re.escape(target)}\b")
    uses = [s for s in rest if _says(s, name, lines)]
    return bool(uses) and all(
        any(_says(t, name, lines) and handles(t, lines, inside=True) for t in _tries(s)) for s in uses
    )


def _says(node: ast.stmt, name: re.Pattern[str], lines: Sequence[str]) -> bool:
    return any(map(name.search, lines[node.lineno - 1 : node.end_lineno]))


def _tries(node: ast.stmt) -> Iterator[ast.Try]:
    """The attempts that a statement is or holds."""
    if isinstance(node, ast.Try):
        yield node
    for block in ("body", "orelse", "finalbody"):
        for inner in getattr(node, block, ()):
            yield from _tries(inner)


def restores(node: ast.stmt, lines: Sequence[str]) -> bool:
    """Whether a statement puts an environment variable back in the end."""
    final = node.finalbody if isinstance(node, ast.Try) else []
    return any("environ" in line for s in final for line in lines[s.lineno - 1 : s.end_lineno])


def suppresses(node: ast.expr, names: Names) -> bool:
    """Whether a context manager takes the error of something that is missing."""
    if not isinstance(node, ast.Call):
        return False
    kinds = [e for a in node.args for e in (a.elts if isinstance(a, ast.Tuple) else [a])]
    raised = {names.dotted(kind).rsplit(".", 1)[-1] for kind in kinds}
    takes = names.callee(node.func).endswith(("suppress", "raises", "assertRaises", "assertRaisesRegex"))
    return takes and bool(raised & (_CATCHES_IMPORT | _CATCHES_MISSING))


def caught(handler: ast.ExceptHandler) -> set[str]:
    """The last parts of the names of the exceptions that a handler takes; the empty one for all."""
    kind = handler.type
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {"" if k is None else ast.unparse(k).rsplit(".", 1)[-1] for k in kinds}
