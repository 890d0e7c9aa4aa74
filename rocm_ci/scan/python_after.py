"""What must hold behind a Python statement, because it leaves or fails otherwise."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.python_exits import advises, gives_up, leaves
from rocm_ci.scan.python_learning import decorator_guard
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from rocm_ci.scan.python_conditions import Conditions
    from rocm_ci.scan.python_expressions import Cutter

# A module written in one of these is NVIDIA's from there on: saying so once is enough.
_DSL = frozenset({"cutlass"})
# Of a function that imports one of these, the rest runs on NVIDIA alone.
_BACKENDS = frozenset({"cutlass", "cute", "flashinfer", "deep_gemm", "flash_mla", "tensorrt_llm", "cute_dsl"})
_OPENS_NVML = re.compile(r"(?i)(^|[._])(nvmlInit\w*|(load|init|open)_?(py)?nvml)$")


def after(node: ast.stmt, cut: Cutter, *, inside: bool) -> Guard:
    """The guard of what follows a statement; `inside` a function."""
    conditions = cut.conditions
    match node:
        case ast.If():
            return _after_if(node, conditions, inside=inside)
        case ast.Assert(test=test):
            demanded = conditions.of(test)
            return Guard.NONE if demanded.probe else demanded.true
        case ast.Import(names=aliases) if any(a.name.split(".")[0] in _DSL for a in aliases):
            return Guard.NVIDIA
        case ast.ImportFrom(module=str(module)):
            parts = module.split(".")
            needs = parts[0] in _DSL or (inside and not _BACKENDS.isdisjoint(parts))
            return Guard.NVIDIA if needs else Guard.NONE
        case ast.Expr(value=ast.Call(func=func)):
            return _after_call(func, cut, inside=inside)
        case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
            guard = Guard.NONE
            for mark in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
                guard = vendor.both(guard, decorator_guard(mark, cut.names, conditions))
            return guard
        case ast.Assign(value=ast.Call(func=func)) if inside and _OPENS_NVML.search(cut.names.callee(func)):
            return Guard.NVIDIA
        case _:
            return Guard.NONE


def _after_call(func: ast.expr, cut: Cutter, *, inside: bool) -> Guard:
    full = cut.names.callee(func)
    needed = cut.conditions.known(f"{full} leaves")
    if needed is not None:
        return needed.true
    if inside and _OPENS_NVML.search(full):
        return Guard.NVIDIA
    return Guard.EITHER if full.endswith("importorskip") else Guard.NONE


def _after_if(node: ast.If, conditions: Conditions, *, inside: bool) -> Guard:
    outcome = conditions.of(node.test)
    for body, rest in ((node.body, outcome.false), (node.orelse, outcome.true)):
        # Whoever demands a tool excuses nothing; a function that says which package it needs does.
        demands = gives_up(body) and outcome.probe and not (inside and advises(body, "ImportError"))
        if leaves(body) and not demands:
            return rest
    return Guard.NONE
