"""Cuts Python expressions into regions, each with its guard and with what surrounds it.

Context entries, outermost first: `assign:NAME`, `call:FULL.NAME`, `arg:N`, `kw:NAME`, `item:N` (of a
list or tuple), `key` / `key:TEXT` (of a dictionary), `compare`, `store`, `probe` (a question whether something is there),
`default` (a fallback value), `twin` (the same function knows the AMD counterpart), and for names
`use:…` — how the value is used: `callee`, `attribute`, `argument`, `subscript`, `order`, `operand`,
`test`, `format`, `value`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.python_names import is_text
from rocm_ci.scan.python_strings import column_of, pieces
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.scan.python_conditions import Conditions
    from rocm_ci.scan.python_names import Names
    from rocm_ci.scan.source import Source

Context = tuple[str, ...]

_DEVICE_SOURCE = re.compile(r"__global__|__device__\s+\w|__shared__\s+\w")
_MESSAGE_CALLEE = re.compile(
    r"(^|[._])(print|pprint|log|debug|info|warning|warn|error|exception|critical|fatal|echo|secho|fail|skip|skipTest"
    r"|log_\w+|\w*_once|banner|panel|write_log|exit|die)$|(Error|Exception|Warning|Exit)$"
)
_MESSAGE_KEYWORD = frozenset({
    "help", "description", "long_description", "reason", "doc", "msg", "message", "epilog", "usage", "title",
    "deprecated", "classifiers", "keywords", "url", "project_urls", "hint", "note", "summary", "comment", "metavar",
    "author", "match",
})  # fmt: skip
_PROBE = re.compile(
    r"(^|\.)(which|find_executable|find_library|find_spec|exists|isfile|isdir|is_file|is_dir|lexists|access|hasattr"
    r"|is_\w*available|importorskip|glob|iglob|get_distribution|distribution|version)$"
)
_AMD_NAME = re.compile(
    r"^(/opt/rocm|lib(amdhip|hip|roc|rccl|miopen)\w*|ROCM_\w+|HIP_\w+|hipcc|hipconfig|amdclang\S*|rocm-?smi|amd-?smi"
    r"|amdsmi|rocminfo|rocprof\w*|roc\w*|rccl|hip|amd|amdgpu)\b|/(hipcc|amd-smi|rocm-smi)$"
)
_NVIDIA_NAME = re.compile(r"(?i)cuda|nvcc|nvidia|nccl|nvrtc|cublas|nvml|nsys|^ncu$|^cu")
_DEVICE_CALLS = re.compile(
    r"(^|\.)(RawKernel|RawModule|ElementwiseKernel|ReductionKernel|SourceModule|nvrtcCreateProgram|hiprtcCreateProgram|_compile_kernel)$"
)
ASM_CALLEE = re.compile(r"(^|\.)inline_asm_elementwise$|^\.inline_asm$")


@dataclass(frozen=True, slots=True)
class Site:
    """A node that detectors may look at, with its guard and context."""

    node: ast.AST
    guard: Guard
    context: Context


@dataclass(slots=True)
class Cutter:
    """Collects the regions of one file."""

    source: Source
    names: Names
    conditions: Conditions
    texts: dict[str, ast.expr]
    requirement_nodes: frozenset[int] = frozenset()
    regions: list[Region] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    calls: dict[str, list[Guard]] = field(default_factory=dict)
    _resolved: set[int] = field(default_factory=set)

    def visit(self, node: ast.AST | None, guard: Guard, context: Context, use: str = "value") -> None:
        """Cut one expression and everything below it."""
        match node:
            case None | ast.Lambda(body=None):
                return
            case ast.Constant(value=str()):
                self._text(node, guard, context)
            case ast.Constant():
                return
            case ast.JoinedStr(values=values):
                self._text(node, guard, context)
                for value in values:
                    if isinstance(value, ast.FormattedValue):
                        self.visit(value.value, guard, context, "format")
            case ast.Name() | ast.Attribute():
                self._name(node, guard, context, use)
            case ast.Call():
                self._call(node, guard, context)
            case ast.BoolOp():
                self._bool(node, guard, context)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                outcome = self.conditions.of(test)
                self.visit(test, guard, context, "test")
                self.visit(body, vendor.both(guard, outcome.true), context, use)
                self.visit(orelse, vendor.both(guard, outcome.false), context, use)
            case ast.Compare():
                self._compare(node, guard, context)
            case ast.Dict():
                self._dict(node, guard, context)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                inner = self._candidates(items, guard, context)
                for index, item in enumerate(items):
                    self.visit(item, inner, (*context, f"item:{index}"))
            case ast.BinOp(left=left, right=right):
                self.sites.append(Site(node, guard, context))
                for side in (left, right):
                    self.visit(side, guard, (*context, "operand"), "operand")
            case ast.UnaryOp(operand=operand):
                self.visit(operand, guard, context, "test" if isinstance(node.op, ast.Not) else "operand")
            case ast.Subscript(value=value, slice=index):
                name = self.names.dotted(value)
                stored = "store" if isinstance(node.ctx, (ast.Store, ast.Del)) else "load"
                self.visit(value, guard, context, "subscript")
                self.visit(index, guard, (*context, f"subscript:{name}", stored))
            case ast.Starred(value=value) | ast.Await(value=value) | ast.FormattedValue(value=value):
                self.visit(value, guard, context, use)
            case _:
                for child in ast.iter_child_nodes(node):
                    self.visit(child, guard, context)

    def note(self, node: ast.AST, guard: Guard, context: Context) -> None:
        """Remember a node for the detectors."""
        self.sites.append(Site(node, guard, context))

    def add(
        self, kind: RegionKind, text: str, line: int, column: int, guard: Guard, context: Context
    ) -> None:
        """Hand out one region."""
        self.regions.append(Region(kind, text, line, column, guard, context))

    def _text(self, node: ast.expr, guard: Guard, context: Context) -> None:
        if id(node) in self._resolved or (context and "message" in context):
            return
        for piece in pieces(node, self.source.lines):
            if not piece.text.strip():
                continue
            kind = RegionKind.STRING
            if _DEVICE_SOURCE.search(piece.text):
                kind = RegionKind.KERNEL
            elif "requirement" in context:
                kind = RegionKind.REQUIREMENT
            self.add(kind, piece.text, piece.line, piece.column, guard, context)

    def _whole(self, node: ast.expr, kind: RegionKind, guard: Guard, context: Context) -> None:
        """Hand out a literal, also one behind a name, as assembly or device source."""
        if isinstance(node, ast.Name):
            literal = self.texts.get(node.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            literal = node.func.value if is_text(node.func.value) else None
        else:
            literal = node if is_text(node) else None
        if literal is None or id(literal) in self._resolved:
            return
        found = list(pieces(literal, self.source.lines))
        if kind is RegionKind.KERNEL and any(_DEVICE_SOURCE.search(p.text) for p in found):
            return  # says so itself, and is handed out where it stands
        self._resolved.add(id(literal))
        for piece in found:
            self.add(kind, piece.text, piece.line, piece.column, guard, context)

    def _name(self, node: ast.Name | ast.Attribute, guard: Guard, context: Context, use: str) -> None:
        full = self.names.dotted(node)
        if not full:
            assert isinstance(node, ast.Attribute)  # noqa: S101 - a plain name always has a full one
            self.visit(node.value, guard, context, "attribute")
            return
        if isinstance(node, ast.Attribute):
            owner = self.names.dotted(node.value)
            if owner in ("torch.version.cuda", "torch.utils.cpp_extension.CUDA_HOME"):
                self._name_region(node.value, owner, guard, (*context, "use:attribute"))
                return
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            return
        self._name_region(node, full, guard, (*context, f"use:{use}"))

    def _name_region(self, node: ast.expr, full: str, guard: Guard, context: Context) -> None:
        if len(full) > 3:
            column = column_of(self.source.lines, node.lineno, node.col_offset) + 1
            self.add(RegionKind.CODE, full, node.lineno, column, guard, context)

    def _call(self, node: ast.Call, guard: Guard, context: Context) -> None:
        full = self.names.callee(node.func)
        self.sites.append(Site(node, guard, context))
        self.calls.setdefault(full.removeprefix("self.").removeprefix("cls."), []).append(guard)
        self.visit(node.func, guard, context, "callee")
        guard = vendor.both(guard, self._call_guard(full))
        inner = (*context, f"call:{full or '?'}")
        if _PROBE.search(full):
            inner = (*inner, "probe")
        is_message = bool(_MESSAGE_CALLEE.search(full))
        default_from = 1 if full.endswith(("environ.get", "getenv", ".get", ".setdefault", ".pop")) else None
        self._device_text(node, full, guard, inner)
        for index, argument in enumerate(node.args):
            mine = (*inner, f"arg:{index}")
            if id(argument) in self.requirement_nodes:
                mine = (*mine, "requirement")
            if is_message:
                mine = (*mine, "message")
            if default_from is not None and index >= default_from:
                mine = (*mine, "default")
            self.visit(argument, guard, mine, "argument")
        for keyword in node.keywords:
            mine = (*inner, f"kw:{keyword.arg}")
            if keyword.arg in _MESSAGE_KEYWORD:
                mine = (*mine, "message")
            if keyword.arg == "default":
                mine = (*mine, "default")
            if id(keyword.value) in self.requirement_nodes:
                mine = (*mine, "requirement")
            extras = keyword.arg in ("extras_require", "tests_require") and full.endswith("setup")
            self.visit(keyword.value, vendor.both(guard, Guard.EITHER) if extras else guard, mine, "argument")

    @staticmethod
    def _call_guard(full: str) -> Guard:
        """Build-file helpers that pick one vendor's list: `if_cuda([...])` of Bazel."""
        last = full.rsplit(".", 1)[-1]
        return vendor.of(last) if last.startswith("if_") else Guard.NONE

    def _device_text(self, node: ast.Call, full: str, guard: Guard, context: Context) -> None:
        if ASM_CALLEE.search(full):
            named = [k.value for k in node.keywords if k.arg == "asm"]
            for argument in (*node.args[:1], *named):
                self._whole(argument, RegionKind.ASM, guard, context)
        elif _DEVICE_CALLS.search(full):
            for argument in (
                *node.args,
                *(k.value for k in node.keywords if k.arg in ("code", "operation", "source")),
            ):
                literal = self.texts.get(argument.id) if isinstance(argument, ast.Name) else argument
                if literal is not None and is_text(literal) and _looks_like_c(literal):
                    self._whole(argument, RegionKind.KERNEL, guard, context)

    def _bool(self, node: ast.BoolOp, guard: Guard, context: Context) -> None:
        """Each operand is reached only when the ones before it decided nothing."""
        guard = self._candidates(node.values, guard, context)
        here = guard
        for value in node.values:
            self.visit(value, here, context, "test")
            outcome = self.conditions.of(value)
            here = vendor.both(here, outcome.true if isinstance(node.op, ast.And) else outcome.false)

    def _compare(self, node: ast.Compare, guard: Guard, context: Context) -> None:
        self.sites.append(Site(node, guard, context))
        ordered = any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops)
        for side in (node.left, *node.comparators):
            self.visit(side, guard, (*context, "compare"), "order" if ordered else "test")

    def _dict(self, node: ast.Dict, guard: Guard, context: Context) -> None:
        """Values under the name of a vendor belong to it; a table with both vendors is data."""
        keys = [
            k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else "" for k in node.keys
        ]
        dispatched = "call:select" in context or any(vendor.of(k) is Guard.AMD for k in keys)
        inner = self._candidates([*filter(None, node.keys), *node.values], guard, context)
        for key, name, value in zip(node.keys, keys, node.values, strict=True):
            mine = vendor.both(inner, vendor.of(name)) if dispatched else inner
            self.visit(key, mine, (*context, "key"))
            self.visit(value, mine, (*context, f"key:{name}") if name else context)

    def _candidates(self, items: Iterable[ast.expr], guard: Guard, context: Context) -> Guard:
        """EITHER for alternatives that know both vendors: `("nvidia-smi", "rocm-smi")`. Requirements are no alternatives."""
        if guard is not Guard.NONE or "requirement" in context:
            return guard
        texts = [
            n.value
            for i in items
            for n in ast.walk(i)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        if any(_AMD_NAME.search(t) for t in texts) and any(_NVIDIA_NAME.search(t) for t in texts):
            return Guard.EITHER
        return guard


def _looks_like_c(node: ast.expr) -> bool:
    text = node.value if isinstance(node, ast.Constant) else ""
    return not isinstance(text, str) or any(sign in text for sign in ";{=")
