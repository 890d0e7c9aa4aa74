"""What a Python module teaches about itself before its regions are cut: constants, helpers, marks."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from rocm_ci.scan.literal_search import lines_with
from rocm_ci.scan.outcome import HAS_NVIDIA, UNKNOWN, Outcome
from rocm_ci.scan.python_conditions import Conditions
from rocm_ci.scan.python_exits import leaves
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocm_ci.scan.python_names import Names
    from rocm_ci.scan.python_statements import Statements

_SUITABLE = re.compile(
    r"_?(is|can|check)_(compatible|supported|available|applicable|implement|usable|enabled)"
)
_LONGEST_HELPER = 6
_TELLS = re.compile(
    r"(?i)hip|roc|amd|cuda|nv|sm_?\d|gfx|fnuz|hopper|ampere|blackwell|which|skip|find_|exists|getenv|environ"
)
_SKIP_WHEN = re.compile(r"(^|[._])skip_?[iI]f$")
_SKIP_UNLESS = re.compile(r"(^|[._])skip_?[uU]nless$")
_NVIDIA_MARK = re.compile(
    r"(?i)(requires?|needs?|only|skip_?unless|run_?on|require)_*(cuda|nvidia|nvml|nvcc|tensorrt|sm_?\d+|hopper|blackwell|ampere)"
    r"|skip_?(if_?)?(on_?)?(rocm|hip|amd)|(cuda|nvidia)_?only"
)
_LOOKS_FOR = re.compile(r"(^|\.)(find_spec|import_module|__import__|which|find_executable|find_loader)$")
_ASKS = re.compile(r"find_|import_module|__import__|which")
_ABSENT_WITHOUT_NVIDIA = re.compile(
    r"^(pynvml|py3nvml|nvidia_smi|pycuda|cuda|nvidia|tensorrt|numba\.cuda|cudnn|cutlass|flashinfer|deep_gemm|deep_ep"
    r"|transformer_engine|nvtx|nvshmem|cuml|cudf|rmm)(\.|$)"
)


def learn(
    found: Statements,
    names: Names,
    text: str,
    resolve: Callable[[str], Outcome] | None = None,
) -> Conditions:
    """The conditions of a module, with its own constants and helper functions understood.

    `resolve` answers for names that the module imports from others of the project.
    """
    conditions = Conditions(names, resolve)
    lines = text.split("\n")
    assigns = [n for n in found.assigns if n.value is not None and _may_tell(n.value, names, lines)]
    asks = lines_with(_ASKS, text)
    for _ in range(2):  # a helper may stand below the constant that calls it
        before = conditions.size
        for node in assigns:
            if isinstance(node, ast.Assign):
                _assignment(node.targets, node.value, names, conditions)
            elif node.value is not None:
                _assignment([node.target], node.value, names, conditions)
        for function in found.functions:
            conditions.learn(f"{function.name} leaves", _demanded(function, conditions))
            if len(function.body) <= _LONGEST_HELPER:
                conditions.learn(f"{function.name}()", _returned(function, conditions))
                conditions.learn(f"{function.name}", _property(function, names, conditions))
                if _asks_within(asks, function) and _is_probe(function, names):
                    conditions.learn_probe(function.name)
        for one in found.tries:
            _tried(one, names, conditions)
        if conditions.size == before:
            break  # nothing that a second look could make use of
    return conditions


def _may_tell(node: ast.expr, names: Names, lines: Sequence[str]) -> bool:
    """Whether a value can be a test at all: most assignments of a module are not worth a look."""
    if isinstance(node, (ast.Constant, ast.List, ast.Dict, ast.BinOp, ast.JoinedStr, ast.Subscript)):
        return False
    if isinstance(node, ast.Call):
        if not node.args and not node.keywords and names.is_imported(names.callee(node.func)):
            return True
        return any(_TELLS.search(line) for line in lines[node.lineno - 1 : node.end_lineno])
    return True


def _assignment(targets: list[ast.expr], value: ast.expr, names: Names, conditions: Conditions) -> None:
    outcome = conditions.of(value)
    if not outcome and isinstance(value, ast.Call):
        excused = decorator_guard(value, names, conditions)
        outcome = Outcome(excused, Guard.NONE) if excused is not Guard.NONE else outcome
    for target in targets:
        full = names.dotted(target)
        if full and outcome:
            conditions.learn(full, outcome)


def _returned(function: ast.FunctionDef | ast.AsyncFunctionDef, conditions: Conditions) -> Outcome:
    """What the answer of a small helper says: `return torch.version.hip is not None`."""
    body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    body = [s for s in body if not isinstance(s, (ast.Import, ast.ImportFrom))]
    match body:
        case [ast.Return(value=ast.expr() as value)]:
            return conditions.of(value)
        case [ast.Try(body=[*_, ast.Return(value=ast.expr() as value)])]:
            return conditions.of(value)
        case [ast.If(test=test, body=[ast.Return(value=ast.Constant(value=bool(answer)))]) as first, *after]:
            other = [*first.orelse, *after]
            if other and isinstance(other[0], ast.Return) and isinstance(other[0].value, ast.Constant):
                outcome = conditions.of(test)
                return outcome if answer else ~outcome
            # `if not is_cuda(): return False`, and more is asked after that.
            outcome = UNKNOWN if answer or not after else ~conditions.of(test)
            return Outcome(outcome.true, Guard.NONE, probe=outcome.probe) if outcome else UNKNOWN
        case _:
            return UNKNOWN


def _demanded(function: ast.FunctionDef | ast.AsyncFunctionDef, conditions: Conditions) -> Outcome:
    """What holds after a call of a helper that skips, raises or exits otherwise."""
    for statement in function.body:
        if isinstance(statement, ast.If) and leaves(statement.body):
            returns = isinstance(statement.body[-1], (ast.Return, ast.Continue, ast.Break))
            outcome = conditions.of(statement.test)
            if outcome and not returns and not outcome.probe:
                return Outcome(outcome.false, Guard.NONE)
        elif isinstance(statement, ast.Assert):
            return Outcome(conditions.of(statement.test).true, Guard.NONE)
    return UNKNOWN


def refuses_amd(node: ast.ClassDef, conditions: Conditions) -> bool:
    """Whether a class says of itself that it is not for AMD: `is_compatible` answers False there."""
    for function in node.body:
        if isinstance(function, ast.FunctionDef) and _SUITABLE.fullmatch(function.name):
            for test in (s for s in function.body if isinstance(s, ast.If)):
                match test.body[-1]:
                    case ast.Return(value=ast.Constant(value=False)):
                        if conditions.of(test.test).true is Guard.AMD:
                            return True
                    case _:
                        pass
    return False


def _property(
    function: ast.FunctionDef | ast.AsyncFunctionDef, names: Names, conditions: Conditions
) -> Outcome:
    """A property answers without being called."""
    marks = {names.dotted(d).rsplit(".", 1)[-1] for d in function.decorator_list}
    return _returned(function, conditions) if marks & {"property", "cached_property"} else UNKNOWN


def _asks_within(asks: Sequence[int], function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    at = bisect_left(asks, function.lineno)
    return at < len(asks) and asks[at] <= (function.end_lineno or function.lineno)


def _is_probe(function: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> bool:
    """`def have(name): return find_spec(name) is not None`: what it is given is what it looks for."""
    parameters = {a.arg for a in function.args.args}
    for node in ast.walk(function) if parameters else ():
        match node:
            case ast.Call(func=func, args=[ast.Name(id=name), *_]) if name in parameters:
                if _LOOKS_FOR.search(names.callee(func)):
                    return True
    return False


def _tried(node: ast.Try, names: Names, conditions: Conditions) -> None:
    """`try: import pynvml … except ImportError: pynvml = None`: the name and a flag set there are probes."""
    imported = [a for s in node.body if isinstance(s, (ast.Import, ast.ImportFrom)) for a in _imported(s)]
    if not any(_ABSENT_WITHOUT_NVIDIA.match(full) for _, full in imported):
        return
    for name in {n for s in (*node.body, *node.orelse) for n, truth in _constants(s) if truth}:
        conditions.learn(name, HAS_NVIDIA)
    unset = {n for h in node.handlers for s in h.body for n, truth in _constants(s) if not truth}
    for name, full in imported:
        if name in unset and _ABSENT_WITHOUT_NVIDIA.match(full):
            conditions.learn(names.dotted(ast.Name(id=name)) or name, HAS_NVIDIA)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterable[tuple[str, str]]:
    """(bound name, full name) of every import of a statement."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
        else:
            yield alias.asname or alias.name.split(".")[0], alias.name


def _constants(node: ast.stmt) -> Iterable[tuple[str, bool]]:
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, bool(node.value.value)


def decorator_guard(node: ast.expr, names: Names, conditions: Conditions) -> Guard:
    """The guard of what a decorator or mark stands on: `@skipIf(IS_HIP, …)`, `@needs_nvidia`."""
    call = node if isinstance(node, ast.Call) else None
    full = names.callee(call.func) if call else names.dotted(node)
    if call and call.args:
        if _SKIP_WHEN.search(full):
            return conditions.of(call.args[0]).false
        if _SKIP_UNLESS.search(full):
            return conditions.of(call.args[0]).true
    if full.endswith("mark.parametrize"):
        return Guard.NONE
    known = conditions.known(full)
    if known is not None:
        return known.true
    return Guard.NVIDIA if _NVIDIA_MARK.search(full.rsplit(".", 1)[-1]) else Guard.NONE
