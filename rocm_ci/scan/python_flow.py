"""Follows the statements of a Python module and knows at each one on which vendor it is reached."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, ClassVar

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import UNKNOWN, joined
from rocm_ci.scan.python_after import after
from rocm_ci.scan.python_conditions import asks_for_amd_later, is_switch
from rocm_ci.scan.python_exits import falls_back, gives_up, handles, is_tried, restores, suppresses
from rocm_ci.scan.python_learning import decorator_guard, refuses_amd
from rocm_ci.scan.python_names import is_text, target_name
from rocm_ci.scan.python_regions import COMPILES
from rocm_ci.scan.python_strings import column_of, has_line
from rocm_ci.scan.python_twins import has_namesake, has_sister, stands_apart, twin_lines
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocm_ci.scan.outcome import Outcome
    from rocm_ci.scan.python_expressions import Cutter
    from rocm_ci.scan.python_regions import Context

# Programs that somebody starts by hand on the machine that they are for.
_SCRIPT = re.compile(r"(?i)(^|/)(bench(mark)?s?|profil(er|ing)|microbench\w*)(/|_)|(^|/)bench(mark)?_[^/]*$")
_FIXTURE = re.compile(r"\bfixture\b")
# The names of formats in a test: who asks for one by name gets that one.
_FORMAT = re.compile(r"(?i)[\"'][^\"']*(?:fp8|float8|e4m3|e5m2)[^\"']*[\"']")


class Flow:
    """One walk over the statements of a module."""

    def __init__(self, cutter: Cutter, *, excused: frozenset[str] = frozenset()) -> None:
        self._cut = cutter
        self._excused = excused  # functions that only NVIDIA branches call
        self._in_test = bool(re.search(r"(^|/)(tests?/|test_|conftest)|_test\.py$", cutter.source.path))
        marks = {"test": self._in_test, "script": bool(_SCRIPT.search(cutter.source.path))}
        self._whole: Context = tuple(mark for mark, holds in marks.items() if holds)
        text = cutter.source.text
        self._twins = twin_lines(text)
        self.defined: set[str] = set()
        cutter.compiles = not self._in_test or bool(COMPILES.search(text))

    def body(self, statements: Sequence[ast.stmt], guard: Guard, context: Context = ()) -> None:
        """Statements in order; what one of them rules out holds for the ones after it."""
        if not context:
            context = self._whole
        beside = "twin" not in context and self._knows_amd(statements)
        outside = context == self._whole  # of every definition and condition
        alone, context = context, (*context, "twin") if beside else context
        lines = self._cut.source.lines
        end = statements[-1].end_lineno if statements else 0
        if "inside" in context and any(restores(s, lines) for s in statements):
            context = (*context, "restored")
        for number, statement in enumerate(statements):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._definition(statement, guard, context, statements)
                if any("autouse=True" in lines[d.lineno - 1] for d in statement.decorator_list):
                    demanded = self._cut.conditions.known(f"{statement.name} leaves")
                    guard = vendor.both(guard, demanded.true) if demanded is not None else guard
                continue
            if self._holds_hit(statement):
                tried = is_tried(statement, statements[number + 1 :], lines)
                reached = vendor.both(guard, Guard.EITHER) if tried else guard
                apart = beside and outside and stands_apart(statement, self._twins, lines, self._cut.names)
                self._statement(statement, reached, alone if apart else context)
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                self._cut.note(statement, guard, context)
            if self._is_hit((statement.end_lineno or statement.lineno) + 1, end):
                guard = vendor.both(guard, after(statement, self._cut, inside="inside" in context))

    def _knows_amd(self, statements: Sequence[ast.stmt]) -> bool:
        """Whether the plain statements of a body, definitions left out, name the AMD counterpart."""
        return bool(self._twins) and any(
            has_line(self._twins, s.lineno, s.end_lineno)
            for s in statements
            if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        )

    def _definition(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        guard: Guard,
        context: Context,
        siblings: Sequence[ast.stmt],
    ) -> None:
        self.defined.add(node.name)
        if not self._holds_hit(node):
            return
        for decorator in node.decorator_list:
            self._cut.visit(decorator, guard, (*context, "decorator"))
            guard = vendor.both(guard, decorator_guard(decorator, self._cut.names, self._cut.conditions))
        if node.name in self._excused or (
            vendor.of(node.name) is Guard.NVIDIA
            and (_names_amd(siblings) or has_sister(node.name, self._cut.source.text))
        ):
            guard = vendor.both(guard, Guard.NVIDIA)
        if isinstance(node, ast.ClassDef):
            if re.search(r"(?i)nvidia|nvml", node.name) or refuses_amd(node, self._cut.conditions):
                guard = vendor.both(guard, Guard.NVIDIA)
            for base in node.bases:
                self._cut.visit(base, guard, context)
        else:
            self._cut.note(node, guard, context)
            defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            for default in defaults:
                self._cut.visit(default, guard, (*context, "default"))
        # `twin` is about this body alone; what stands around the definition says nothing about it.
        inner = tuple(c for c in context if c != "twin")
        if not isinstance(node, ast.ClassDef) and "inside" not in inner:
            inner = (*inner, "inside")
        if any(_FIXTURE.search(self._cut.source.lines[d.lineno - 1]) for d in node.decorator_list):
            inner = (*inner, "fixture")
        inner = (*inner, f"def:{node.name}")
        self.body(node.body, guard, inner)

    def _holds_hit(self, node: ast.stmt) -> bool:
        """Whether a statement, decorators included, holds a line that a rule needs."""
        first = node.lineno
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min((d.lineno for d in node.decorator_list), default=first)
        return self._is_hit(first, node.end_lineno)

    def _is_hit(self, first: int, last: int | None) -> bool:
        hits = self._cut.source.hits
        return hits is None or self._cut.names.follows or has_line(hits, first, last)

    def _statement(self, node: ast.stmt, guard: Guard, context: Context) -> None:
        handler = self._HANDLERS.get(type(node).__name__)
        if handler is not None:
            handler(self, node, guard, context)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._cut.visit(child, guard, context)

    def _if(self, node: ast.If | ast.While, guard: Guard, context: Context) -> None:
        outcome = self._cut.conditions.of(node.test)
        demands = outcome.probe and outcome.true is not Guard.NVIDIA and gives_up(node.body)
        asks = "demand" if demands else "condition"
        if self._is_hit(node.test.lineno, node.test.end_lineno):
            self._cut.visit(node.test, guard, (*context, asks), "test")
        inner = context
        if _FORMAT.search(self._cut.source.lines[node.test.lineno - 1]):
            inner = (*inner, "asked-format")
        if "inside" in context and is_switch(node.test):
            inner = (*inner, "switch")
        if not outcome and asks_for_amd_later(node, self._cut.conditions):
            inner = (*inner, "beside-amd")
        self.body(node.body, vendor.both(guard, outcome.true), inner)
        self.body(node.orelse, vendor.both(guard, outcome.false), context)

    def _with(self, node: ast.With | ast.AsyncWith, guard: Guard, context: Context) -> None:
        for item in node.items:
            self._cut.visit(item.context_expr, guard, context)
            if suppresses(item.context_expr, self._cut.names):
                guard = vendor.both(guard, Guard.EITHER)
        self.body(node.body, guard, context)

    def _for(self, node: ast.For | ast.AsyncFor, guard: Guard, context: Context) -> None:
        self._cut.visit(node.iter, guard, context)
        self.body(node.body, guard, context)
        self.body(node.orelse, guard, context)

    def _match(self, node: ast.Match, guard: Guard, context: Context) -> None:
        self._cut.visit(node.subject, guard, (*context, "condition"), "test")
        for case in node.cases:
            outcome = self._case(node.subject, case.pattern)
            self.body(case.body, vendor.both(guard, outcome.true), context)
            guard = vendor.both(guard, outcome.false) if case.guard is None else guard

    def _raise(self, node: ast.Raise, guard: Guard, context: Context) -> None:
        self._cut.visit(node.exc, guard, (*context, "message"))

    def _expression(self, node: ast.Expr | ast.Return, guard: Guard, context: Context) -> None:
        # A string that stands alone is a docstring or a comment.
        if node.value is not None and not (isinstance(node, ast.Expr) and is_text(node.value)):
            self._cut.visit(node.value, guard, context)

    def _assign(
        self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, guard: Guard, context: Context
    ) -> None:
        cut = self._cut
        if has_namesake(node, cut.source.text):
            guard = vendor.both(guard, Guard.NVIDIA)
        cut.note(node, guard, context)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target_name(t, cut.names) for t in targets]
        for target in targets:
            cut.visit(target, guard, (*context, "store"))
        # What is stored in an environment is set, whatever the lines around it ask for.
        stored = any(isinstance(t, ast.Subscript) for t in targets)
        known = tuple(c for c in context if c != "twin") if stored else context
        inner = (*known, *(f"assign:{n}" for n in names if n))
        if node.value is not None and id(node.value) in cut.requirement_nodes:
            inner = (*inner, "requirement")
        if any(
            n.endswith("__doc__")
            or re.fullmatch(
                r"(?i)_?(doc|desc|description|help|usage|epilog)\w*|\w*_?(prompt|message|msg|hint)", n
            )
            for n in names
        ):
            inner = (*inner, "message")
        cut.visit(node.value, guard, inner)

    def _import(self, node: ast.Import | ast.ImportFrom, guard: Guard, context: Context) -> None:
        if self._in_test and _is_faked(node, self._cut.source.text):
            guard = vendor.both(guard, Guard.EITHER)
        for alias in node.names:
            full = alias.name
            if isinstance(node, ast.ImportFrom):
                start = "." * node.level + (node.module or "")
                full = f"{start}{'' if start.endswith('.') or not start else '.'}{alias.name}"
            line = self._cut.source.lines[alias.lineno - 1]
            column = column_of(self._cut.source.lines, alias.lineno, alias.col_offset) + 1
            if isinstance(node, ast.ImportFrom) and node.module:
                # The module is what is missing; a name in a later line of the same statement adds nothing.
                line = self._cut.source.lines[node.lineno - 1]
                found = line.find(node.module)
                column = found + 1 if found >= 0 else column
                self._cut.add(RegionKind.INCLUDE, full, (node.lineno, column), guard, context)
            else:
                self._cut.add(RegionKind.INCLUDE, full, (alias.lineno, column), guard, context)

    def _try(self, node: ast.Try, guard: Guard, context: Context) -> None:
        handled = handles(node, self._cut.source.lines, inside="inside" in context)
        self.body(node.body, vendor.both(guard, Guard.EITHER) if handled else guard, context)
        for handler in node.handlers:
            reached = vendor.both(guard, Guard.EITHER) if falls_back(node, handler) else guard
            self.body(handler.body, reached, context)
        # The `else` part runs only after the body succeeded: on NVIDIA, if the body needs it.
        self.body(node.orelse, vendor.both(guard, Guard.EITHER) if handled else guard, context)
        self.body(node.finalbody, guard, context)

    def _assert(self, node: ast.Assert, guard: Guard, context: Context) -> None:
        outcome = self._cut.conditions.of(node.test)
        absent = isinstance(node.test, ast.UnaryOp) or any(
            isinstance(n, (ast.IsNot, ast.NotIn, ast.Is)) for n in ast.walk(node.test)
        )
        if self._in_test or (absent and outcome.false is Guard.NVIDIA):
            guard = vendor.both(guard, Guard.EITHER)
        self._cut.visit(node.test, guard, (*context, "demand"), "test")

    def _case(self, subject: ast.expr, pattern: ast.pattern) -> Outcome:
        patterns = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
        values: list[ast.expr] = []
        for one in patterns:
            if isinstance(one, ast.MatchValue):
                values.append(one.value)
            elif isinstance(one, ast.MatchSingleton):
                values.append(ast.Constant(one.value))
            else:
                return UNKNOWN
        tests = [ast.Compare(left=subject, ops=[ast.Eq()], comparators=[v]) for v in values]
        return joined([self._cut.conditions.of(t) for t in tests], conjunction=False)

    # By the name of the node's class: one lookup, and `TryStar` exists from Python 3.11 on only.
    _HANDLERS: ClassVar[dict[str, Callable[..., None]]] = {
        "Import": _import,
        "ImportFrom": _import,
        "If": _if,
        "While": _if,
        "Try": _try,
        "TryStar": _try,
        "With": _with,
        "AsyncWith": _with,
        "For": _for,
        "AsyncFor": _for,
        "Match": _match,
        "Assert": _assert,
        "Raise": _raise,
        "Assign": _assign,
        "AnnAssign": _assign,
        "AugAssign": _assign,
        "Return": _expression,
        "Expr": _expression,
    }


def _names_amd(statements: Sequence[ast.stmt]) -> bool:
    """Whether one of some definitions is AMD's by its name."""
    return any(
        vendor.of(s.name) is Guard.AMD
        for s in statements
        if isinstance(s, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
    )


def _is_faked(node: ast.Import | ast.ImportFrom, text: str) -> bool:
    """Whether a test puts a module of its own in the place of the imported one."""
    name = (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
    root = re.escape(name.partition(".")[0])
    return "sys.modules" in text and bool(re.search(rf"sys\.modules\b[^\n]{{0,40}}[\"']{root}\b", text))
