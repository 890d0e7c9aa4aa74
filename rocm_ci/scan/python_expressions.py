"""Cuts Python expressions into regions, each with its guard and with what surrounds it.

Context entries, outermost first: `assign:NAME`, `call:FULL.NAME`, `arg:N`, `kw:NAME`, `item:N` (of a
list or tuple), `key` / `key:TEXT` (of a dictionary), `compare`, `operand`, `store`, `probe` (a
question whether something is there), `default` (a fallback value), `twin` (the same function knows
the AMD counterpart), `test` (a test file), and for names `use:…` — how the value is used: `callee`,
`attribute`, `argument`, `subscript`, `order`, `operand`, `test`, `format`, `path` (the root of a
formatted path), `value`. `beside-vendor`: another operand of the same `and` / `or` tests the vendor.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, ClassVar

from rocm_ci.scan import vendor
from rocm_ci.scan.python_regions import MESSAGE_CALLEE, Collector, Context
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocm_ci.scan.python_conditions import Conditions
    from rocm_ci.scan.python_names import Names
    from rocm_ci.scan.source import Source

# What is started or opened runs, also where only its outcome is printed.
_STARTS = re.compile(
    r"(^|\.)(run|call|check_call|check_output|Popen|popen|system|getoutput|getstatusoutput|create_subprocess_\w+"
    r"|CDLL|LoadLibrary|import_module)$"
)
_MESSAGE_KEYWORD = frozenset({
    "help", "description", "long_description", "reason", "doc", "msg", "message", "epilog", "usage",
    "title", "deprecated", "classifiers", "keywords", "url", "project_urls", "hint", "note", "summary",
    "comment", "author", "metavar", "match",
})  # fmt: skip
_PROBE = re.compile(
    r"(^|\.)(which|find_executable|find_library|find_spec|exists|isfile|isdir|is_file|is_dir|lexists|access|hasattr"
    r"|is_\w*available|importorskip|glob|iglob|get_distribution|distribution|version)$"
)
_AMD_NAME = re.compile(
    r"^(/opt/rocm|lib(amdhip|hip|roc|rccl|miopen)\w*|ROCM_\w+|HIP_\w+|hipcc|hipconfig|amdclang\S*|rocm-?smi|amd-?smi"
    r"|amdsmi|rocminfo|rocprof\w*|roc\w*|rccl|hip|amd|amdgpu|(ROCM|MIGraphX)ExecutionProvider)\b|^-l(amdhip|hip|roc|rccl)|/(hipcc|amd-smi|rocm-smi)$"
)
_NVIDIA_NAME = re.compile(r"(?i)cuda|nvcc|nvidia|nccl|nvrtc|cublas|nvml|nsys|^ncu$|^cu")
_COMPILED_WITH = frozenset({
    "include_dirs", "library_dirs", "runtime_library_dirs", "libraries", "extra_objects", "extra_link_args",
    "extra_compile_args", "CPPPATH", "LIBPATH", "RPATH", "LIBS", "CXX", "CC", "CXXFLAGS", "CCFLAGS", "CFLAGS",
    "CPPFLAGS", "LINKFLAGS", "SHLINKFLAGS", "includes", "libpath", "lib", "cxxflags", "linkflags",
})  # fmt: skip
_DEFAULTS = ("environ.get", "getenv", ".get", ".setdefault", ".pop")


class Cutter(Collector):
    """Walks expressions. Statements are the business of `Flow`."""

    __slots__ = ("conditions",)

    def __init__(
        self,
        source: Source,
        names: Names,
        conditions: Conditions,
        texts: dict[str, ast.expr],
        requirement_nodes: frozenset[int],
    ) -> None:
        super().__init__(source, names, texts, requirement_nodes)
        self.conditions = conditions

    def visit(self, node: ast.AST | None, guard: Guard, context: Context, use: str = "value") -> None:
        """Cut one expression and everything below it."""
        kind = type(node).__name__
        if kind in ("NoneType", "Load", "Store"):
            return
        handler = self._HANDLERS.get(kind)
        if handler is not None:
            handler(self, node, guard, context, use)
        elif node is not None:
            for child in ast.iter_child_nodes(node):
                self.visit(child, guard, context)

    def _constant(self, node: ast.Constant, guard: Guard, context: Context, _: str) -> None:
        if isinstance(node.value, (str, bytes)):
            self.text(node, guard, context)

    def _joined(self, node: ast.JoinedStr, guard: Guard, context: Context, _: str) -> None:
        self.text(node, guard, context)
        for index, value in enumerate(node.values):
            if isinstance(value, ast.FormattedValue):
                after = node.values[index + 1] if index + 1 < len(node.values) else None
                is_root = isinstance(after, ast.Constant) and str(after.value).startswith("/")
                self.visit(value.value, guard, context, "path" if is_root else "format")

    def _name(self, node: ast.Name | ast.Attribute, guard: Guard, context: Context, use: str) -> None:
        if not self.name(node, guard, context, use) and isinstance(node, ast.Attribute):
            self.visit(node.value, guard, context, "attribute")

    def _if(self, node: ast.IfExp, guard: Guard, context: Context, use: str) -> None:
        outcome = self.conditions.of(node.test)
        self.visit(node.test, guard, context, "test")
        context = (*context, "beside-vendor") if outcome else context
        self.visit(node.body, vendor.both(guard, outcome.true), context, use)
        self.visit(node.orelse, vendor.both(guard, outcome.false), context, use)

    def _items(self, node: ast.List | ast.Tuple | ast.Set, guard: Guard, context: Context, _: str) -> None:
        inner = self._candidates(node.elts, guard, context)
        asked = False  # what follows a variable in a list of places is its default
        for index, item in enumerate(node.elts):
            mine = (*context, f"item:{index}", "default") if asked else (*context, f"item:{index}")
            self.visit(item, inner, mine)
            asked = asked or (
                isinstance(item, ast.Call) and self.names.callee(item.func).endswith(_DEFAULTS[:2])
            )

    def _operation(self, node: ast.BinOp, guard: Guard, context: Context, _: str) -> None:
        self.note(node, guard, context)
        for side in (node.left, node.right):
            self.visit(side, guard, (*context, "operand"), "operand")

    def _unary(self, node: ast.UnaryOp, guard: Guard, context: Context, _: str) -> None:
        self.visit(node.operand, guard, context, "test" if isinstance(node.op, ast.Not) else "operand")

    def _subscript(self, node: ast.Subscript, guard: Guard, context: Context, _: str) -> None:
        stored = {"Load": "load", "Store": "store"}.get(type(node.ctx).__name__, "delete")
        self.visit(node.value, guard, context, "subscript")
        self.visit(node.slice, guard, (*context, f"subscript:{self.names.dotted(node.value)}", stored))

    def _passed(self, node: ast.Starred | ast.Await, guard: Guard, context: Context, use: str) -> None:
        self.visit(node.value, guard, context, use)

    def _call(self, node: ast.Call, guard: Guard, context: Context, _: str) -> None:
        full = self.names.callee(node.func)
        self.note(node, guard, context)
        self.calls.setdefault(full.removeprefix("self.").removeprefix("cls."), []).append(guard)
        self.visit(node.func, guard, context, "callee")
        guard = vendor.both(guard, self._call_guard(full))
        if _STARTS.search(full):
            context = tuple(c for c in context if c != "message")
        inner = (*context, f"call:{full or '?'}")
        if _PROBE.search(full):
            inner = (*inner, "probe")
        self.device_text(node, full, guard, inner)
        is_message = bool(MESSAGE_CALLEE.search(full))
        defaults = full.endswith(_DEFAULTS)
        for index, argument in enumerate(node.args):
            mine = (*inner, f"arg:{index}")
            if id(argument) in self.requirement_nodes:
                mine = (*mine, "requirement")
            if is_message:
                mine = (*mine, "message")
            if defaults and index >= 1:
                mine = (*mine, "default")
            self.visit(argument, guard, mine, "argument")
        for keyword in node.keywords:
            self._keyword(keyword, full, guard, inner)

    def _keyword(self, node: ast.keyword, full: str, guard: Guard, context: Context) -> None:
        if node.arg in _COMPILED_WITH:
            # What goes to the compiler goes there, whatever else the lines around it know.
            context = tuple(c for c in context if c != "twin")
        context = (*context, f"kw:{node.arg}")
        if node.arg in _MESSAGE_KEYWORD:
            context = (*context, "message")
        if node.arg == "default":
            context = (*context, "default")
        if id(node.value) in self.requirement_nodes:
            context = (*context, "requirement")
        if node.arg in ("extras_require", "tests_require") and full.endswith("setup"):
            guard = vendor.both(guard, Guard.EITHER)
        self.visit(node.value, guard, context, "argument")

    @staticmethod
    def _call_guard(full: str) -> Guard:
        """Build-file helpers that pick one vendor's list: `if_cuda([...])` of Bazel."""
        last = full.rsplit(".", 1)[-1]
        return vendor.of(last) if last.startswith("if_") else Guard.NONE

    def _bool(self, node: ast.BoolOp, guard: Guard, context: Context, _: str) -> None:
        """Each operand is reached only when the ones before it decided nothing."""
        guard = self._candidates(node.values, guard, context)
        here = guard
        outcomes = list(map(self.conditions.of, node.values))
        if any(outcomes):
            context = (*context, "beside-vendor")
        for value, outcome in zip(node.values, outcomes, strict=True):
            is_replaced = isinstance(node.op, ast.Or) and value is not node.values[-1]
            self.visit(value, here, _unpassed(context) if is_replaced else context, "test")
            here = vendor.both(here, outcome.true if isinstance(node.op, ast.And) else outcome.false)

    def _compare(self, node: ast.Compare, guard: Guard, context: Context, _: str) -> None:
        self.note(node, guard, context)
        ordered = any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops)
        searched = isinstance(node.ops[0], (ast.In, ast.NotIn))
        for index, side in enumerate((node.left, *node.comparators)):
            use = "order" if ordered else "contains" if searched and index else "test"
            self.visit(side, guard, (*context, "compare"), use)

    def _dict(self, node: ast.Dict, guard: Guard, context: Context, _: str) -> None:
        """Values under the name of a vendor belong to it; a table with both vendors is data."""
        self.note(node, guard, context)
        keys = [
            k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else "" for k in node.keys
        ]
        dispatched = "call:select" in context or any(vendor.of(k) is Guard.AMD for k in keys)
        inner = self._candidates([*filter(None, node.keys), *node.values], guard, context)
        for key, name, value in zip(node.keys, keys, node.values, strict=True):
            named = vendor.of(name) if dispatched else Guard.NONE
            mine = vendor.both(guard, named) if named is not Guard.NONE else inner
            self.visit(key, mine, (*context, "key"))
            self.visit(value, mine, (*context, f"key:{name}") if name else context)

    def _candidates(self, items: Iterable[ast.expr], guard: Guard, context: Context) -> Guard:
        """EITHER for alternatives that know both vendors, e.g. `("nvidia-smi", "rocm-smi")`."""
        if guard not in (Guard.NONE, Guard.AMD) or "requirement" in context:
            return guard
        texts = [
            n.value
            for i in items
            for n in ast.walk(i)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        if any(_AMD_NAME.search(t) for t in texts) and any(_NVIDIA_NAME.search(t) for t in texts):
            return Guard.EITHER
        if any("CUDA" in t and t.replace("CUDA", "HIP") in texts for t in texts):
            return Guard.EITHER  # the same option for both
        return guard

    # By the name of the node's class: one lookup instead of a chain of tests.
    _HANDLERS: ClassVar[dict[str, Callable[..., None]]] = {
        "Constant": _constant,
        "JoinedStr": _joined,
        "Name": _name,
        "Attribute": _name,
        "Call": _call,
        "BoolOp": _bool,
        "IfExp": _if,
        "Compare": _compare,
        "Dict": _dict,
        "List": _items,
        "Tuple": _items,
        "Set": _items,
        "BinOp": _operation,
        "UnaryOp": _unary,
        "Subscript": _subscript,
        "Starred": _passed,
        "Await": _passed,
        "FormattedValue": _passed,
    }


def _unpassed(context: Context) -> Context:
    """For `value or "…"`: it is not this value that a call is given where it is None."""
    return tuple(c for c in context if not c.startswith(("call:", "arg:")))
