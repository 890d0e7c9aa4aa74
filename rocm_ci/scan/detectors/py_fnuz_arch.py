"""Python code that takes GPUs with OCP 8 bit floats for ones with the fnuz kind."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.literal_search import lines_with
from rocm_ci.scan.python_places import placed
from rocm_ci.scan.python_strings import column_of, has_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# gfx950 and gfx12 compute in the OCP kind.
_OCP = re.compile(r"gfx(?:95|12)\w*")
_FNUZ = re.compile(r"(?i)fnuz")
_POSITIVE, _NEGATIVE = (ast.Eq, ast.In, ast.Is), (ast.NotEq, ast.NotIn, ast.IsNot)
_ASKS = frozenset({"startswith", "any", "bool", "search", "match", "fullmatch", "count", "find"})


class FnuzArch:
    """A test for such a GPU, alone or among others, that leads to a fnuz type or to "is fnuz"."""

    name = "py-fnuz-arch"
    needles = ("gfx95", "gfx12")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree) or not _FNUZ.search(parsed.source.text):
            return
        told: set[int] = set()
        for test in _tests(tree.module, lines_with(_OCP, parsed.source.text)):
            for node in _named(test, holds=True):
                if node.lineno not in told:
                    told.add(node.lineno)
                    yield _match_of(node, parsed)


def _holding(root: ast.AST, lines: Sequence[int]) -> Iterator[ast.AST]:
    """The nodes that hold one of some sorted lines."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            first = getattr(child, "lineno", None)
            if first is None or has_line(lines, first, getattr(child, "end_lineno", first)):
                stack.append(child)


def _tests(module: ast.Module, lines: Sequence[int]) -> Iterator[ast.expr]:
    """Every condition that, where it holds, chooses the fnuz kind or says that it is the right one."""
    for node in _holding(module, lines):
        match node:
            case ast.If(test=test, body=body) if _chooses(body):
                yield test
            case ast.IfExp(test=test, body=value) if _is_fnuz(value):
                yield test
            case ast.FunctionDef(name=name, body=body) if _FNUZ.search(name):
                yield from _answers(body)
            case ast.Assign(targets=[target], value=value) if _is_fnuz(target):
                yield value
            case _:
                pass


def _chooses(body: Sequence[ast.stmt]) -> bool:
    """Whether a block returns or stores a fnuz type."""
    return any(
        isinstance(s, (ast.Return, ast.Assign, ast.AnnAssign)) and s.value is not None and _is_fnuz(s.value)
        for s in body
    )


def _answers(body: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    """What a function `is_…fnuz` answers with, and what it asks before it answers True."""
    for statement in body:
        match statement:
            case ast.Return(value=ast.expr() as value):
                yield value
            case ast.If(test=test, body=[ast.Return(value=ast.Constant(value=True))]):
                yield test
            case _:
                pass


def _is_fnuz(node: ast.expr) -> bool:
    """`torch.float8_e4m3fnuz`, a name or text that says so, or a pair of them."""
    match node:
        case ast.Name(id=text) | ast.Attribute(attr=text) | ast.Constant(value=str(text)):
            return bool(_FNUZ.search(text))
        case ast.Tuple(elts=elements):
            return any(map(_is_fnuz, elements))
        case _:
            return False


def _named(test: ast.expr, *, holds: bool) -> Iterator[ast.Constant]:
    """The architectures of the OCP kind of which a test says that it is (`holds`) one of them."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _named(operand, holds=not holds)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _named(value, holds=holds)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            if isinstance(op, _POSITIVE if holds else _NEGATIVE):
                yield from _constants(left)
                yield from _constants(right)
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args):
            if name not in _ASKS:
                return
            for argument in args:
                if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
                    yield from _of_comprehension(argument, holds=holds)
                elif holds:
                    yield from _constants(argument)
        case _:
            return


def _of_comprehension(node: ast.GeneratorExp | ast.ListComp, *, holds: bool) -> Iterator[ast.Constant]:
    """`any(a in name for a in ("gfx94", "gfx95"))`."""
    asks = isinstance(node.elt, ast.Compare) and isinstance(node.elt.ops[0], _POSITIVE)
    if holds and (asks or isinstance(node.elt, ast.Call)):
        yield from _constants(node.generators[0].iter)
    yield from _named(node.elt, holds=holds)


def _constants(node: ast.expr) -> Iterator[ast.Constant]:
    for one in node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and _OCP.match(one.value):
            yield one


def _match_of(node: ast.Constant, parsed: Parsed) -> Match:
    text = str(node.value)
    start = column_of(parsed.source.lines, node.lineno, node.col_offset)
    return placed(
        parsed, node.lineno, max(parsed.source.lines[node.lineno - 1].find(text, start), start), text
    )


DETECTOR: Detector = FnuzArch()
