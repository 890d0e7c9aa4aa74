"""How a block of Python statements ends: whether it leaves, quietly or by giving up."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SKIPS = re.compile(r"(^|\.)(skip|skipTest|importorskip|xfail)$")
_EXITS = re.compile(r"(^|\.)(exit|_exit|abort)$")


def gives_up(body: Sequence[ast.stmt]) -> bool:
    """Whether a block ends in `raise` or the end of the process: what it tests for is demanded."""
    return bool(body) and (isinstance(body[-1], ast.Raise) or bool(_EXITS.search(_last_call(body))))


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
        return ast.unparse(last.value.func)
    return ""


def caught(handler: ast.ExceptHandler) -> set[str]:
    """The last parts of the names of the exceptions that a handler takes; the empty one for all."""
    kind = handler.type
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {"" if k is None else ast.unparse(k).rsplit(".", 1)[-1] for k in kinds}
