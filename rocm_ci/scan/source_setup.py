"""What Python build files (setup.py, op_builder/*.py) list as sources, and under which conditions."""

from __future__ import annotations

import ast
import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from rocm_ci.scan import vendor
from rocm_ci.scan.languages.python import elsewhere
from rocm_ci.scan.outcome import IS_NVIDIA, Outcome
from rocm_ci.scan.python_exits import gives_up, leaves
from rocm_ci.scan.python_learning import learn
from rocm_ci.scan.python_names import Names
from rocm_ci.scan.python_statements import statements
from rocm_ci.scan.source import Guard, Source
from rocm_ci.scan.source_flow import Place, SourceFlow
from rocm_ci.scan.source_patterns import ABOVE, UNKNOWN, Pattern, is_source
from rocm_ci.scan.source_texts import Texts, bound_once, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocm_ci.scan.python_conditions import Conditions

_ADDS = frozenset({"append", "extend", "insert", "update", "add", "setdefault"})
_TAKES = frozenset({"remove", "pop", "discard", "clear", "sort", "reverse"})
_SAYS_NVIDIA = re.compile(
    r"\btorch\.version\.cuda\b|\bCUDA_HOME\b|\b\w*cuda_?home\b|\b(?:is|use|with|build)_cuda\b", re.IGNORECASE
)
_ANSWERS = re.compile(r"(?:is_|can_)?_?(?:compatible|supported|available|enabled|build)(?:_\w+)?")
_DEEPEST = 60
_MOST_STEPS = 20_000


class _Piece(NamedTuple):
    """A part of a value: sources that are written, or the variable that holds them."""

    text: str
    guard: Guard
    line: int
    is_name: bool = False


class _Reader:
    def __init__(self, source: Source, module: ast.Module) -> None:
        found = statements(module)
        self._source = source
        self._names = Names(found)
        self._conditions: Conditions = learn(found, self._names, source.text, elsewhere(source, self._names))
        self._texts = Texts(self._names, bound_once(found.assigns))
        self._functions = {f.name for f in found.functions}
        self._steps = 0
        self.flow = SourceFlow()
        self.flow.knows_amd = any(_names_amd(node) for node in ast.walk(module))

    def body(self, statements: Sequence[ast.stmt], guard: Guard, function: str) -> None:
        for statement in statements:
            self._statement(statement, guard, function)
            if isinstance(statement, ast.If):
                guard = vendor.both(guard, self._after(statement))

    def _statement(self, node: ast.stmt, guard: Guard, function: str) -> None:
        match node:
            case ast.If():
                outcome = self._outcome(node)
                self.body(node.body, vendor.both(guard, outcome.true), function)
                self.body(node.orelse, vendor.both(guard, outcome.false), function)
            case ast.FunctionDef(name=name, body=body) | ast.AsyncFunctionDef(name=name, body=body):
                self.body(body, guard, name)
            case ast.ClassDef(body=body) if any(map(self._refuses_amd, body)):
                self.body(body, vendor.both(guard, Guard.NVIDIA), function)
            case ast.Return(value=ast.expr() as value):
                self._into(f"{function}()", value, guard)
            case ast.For(target=target, iter=values):
                self._into(name_of(target), values, guard)
                self.body([*node.body, *node.orelse], guard, function)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self._assignment(node, guard)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method), args=args)):
                self._method(node.value, name_of(owner), method, args, guard)
            case _:
                self._inside(node, guard, function)

    def _refuses_amd(self, node: ast.stmt) -> bool:
        """Whether it is a builder's method that says no for ROCm: `if is_rocm_pytorch(): return False`."""
        return (
            isinstance(node, ast.FunctionDef)
            and _ANSWERS.fullmatch(node.name) is not None
            and any(
                isinstance(one, ast.If)
                and self._conditions.of(one.test).true is Guard.AMD
                and isinstance(last := one.body[-1], ast.Return)
                and isinstance(last.value, ast.Constant)
                and last.value.value is False
                for one in node.body
            )
        )

    def _inside(self, node: ast.AST, guard: Guard, function: str) -> None:
        """Whatever a statement holds, in its order: expressions are used, blocks are gone through."""
        for field in ast.iter_fields(node):
            parts = field[1] if isinstance(field[1], list) else [field[1]]
            self.body([part for part in parts if isinstance(part, ast.stmt)], guard, function)
            for part in parts:
                if isinstance(part, ast.expr):
                    self._into(None, part, guard)
                elif isinstance(part, (ast.excepthandler, ast.match_case)):
                    self._inside(part, guard, function)

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, guard: Guard) -> None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if node.value is not None:
                self._into(name_of(target), node.value, guard)

    def _method(
        self, call: ast.expr, owner: str, method: str, arguments: Sequence[ast.expr], guard: Guard
    ) -> None:
        if method in _TAKES:
            if method == "remove" and owner and guard is Guard.AMD and arguments:
                self._take_out(owner, arguments[0])
            return
        if method in _ADDS and owner:
            for argument in arguments:
                self._into(owner, argument, guard)
        else:
            self._into(None, call, guard)

    def _take_out(self, owner: str, argument: ast.expr) -> None:
        text = self._texts.fold(argument)
        if is_source(text):
            place = Place(self._source.path, argument.lineno)
            self.flow.take_out(f"{self._source.path}:{owner}", self._pattern(text), place)

    def _pattern(self, text: str) -> Pattern:
        # Where a build is started is not known: here, or in a folder around. `./` came of `__file__`.
        is_fixed = "/" not in text or text.startswith((".", UNKNOWN))
        return Pattern(posixpath.dirname(self._source.path), text if is_fixed else f"{ABOVE}/{text}")

    def _outcome(self, node: ast.If) -> Outcome:
        """A branch that asks for CUDA, among others, beside one that asks for HIP is not HIP's."""
        outcome = self._conditions.of(node.test)
        if outcome or not _SAYS_NVIDIA.search(ast.unparse(node.test)):
            return outcome
        other = node.orelse[0] if len(node.orelse) == 1 else None
        if isinstance(other, ast.If) and self._conditions.of(other.test).true is Guard.AMD:
            return Outcome(IS_NVIDIA.true, Guard.NONE)
        return outcome

    def _after(self, node: ast.If) -> Guard:
        outcome = self._conditions.of(node.test)
        if leaves(node.body) and not (gives_up(node.body) and outcome.probe):
            return outcome.false
        if leaves(node.orelse) and not (gives_up(node.orelse) and outcome.probe):
            return outcome.true
        return Guard.NONE

    def _into(self, variable: str | None, node: ast.expr, guard: Guard) -> None:
        mine = f"{self._source.path}:"
        end = None if not variable else mine + variable
        for piece in self._pieces(node, guard, 0):
            place = Place(self._source.path, piece.line)
            if piece.is_name:
                self.flow.pass_on(mine + piece.text, end, piece.guard, place)
            elif is_source(piece.text):
                self.flow.name(self._pattern(piece.text), end, piece.guard, place)

    def _pieces(self, node: ast.expr, guard: Guard, depth: int) -> Iterator[_Piece]:
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            raise RecursionError
        match node:
            case ast.BinOp(left=left, op=ast.Sub()):
                yield from self._pieces(left, guard, depth + 1)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                outcome = self._conditions.of(test)
                yield from self._pieces(body, vendor.both(guard, outcome.true), depth + 1)
                yield from self._pieces(orelse, vendor.both(guard, outcome.false), depth + 1)
            case ast.Constant() | ast.JoinedStr():
                yield _Piece(self._texts.fold(node), guard, node.lineno)
            case _:
                yield from self._named(node, guard)
                text = self._texts.fold(node)
                if is_source(text):
                    yield _Piece(text, guard, node.lineno)
                    return
                for child in _inner(node):
                    yield from self._pieces(child, guard, depth + 1)

    def _named(self, node: ast.expr, guard: Guard) -> Iterator[_Piece]:
        """The variable that an expression is, or the function of this file that it calls."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield _Piece(name_of(node), guard, node.lineno, is_name=True)
        elif isinstance(node, ast.Call) and name_of(node.func) in self._functions:
            yield _Piece(f"{name_of(node.func)}()", guard, node.lineno, is_name=True)


def _inner(node: ast.expr) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value
        elif isinstance(child, ast.comprehension):
            yield child.iter


def _names_amd(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=text) | ast.Attribute(attr=text) | ast.Constant(value=str(text)) if len(text) < 80:
            return vendor.of(text) is Guard.AMD
        case _:
            return False


def listing(
    path: str, text: str, read: Callable[[str], bytes | None], memo: dict[str, object]
) -> SourceFlow | None:
    """What one Python build file lists; None when that cannot be told."""
    source = Source(path, text, tuple(text.split("\n")), read=read, memo=memo)
    try:
        module = ast.parse(text)
        reader = _Reader(source, module)
        reader.body(module.body, Guard.NONE, "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return reader.flow
