"""Collects the regions of a Python file: literals, names and device source, where they stand."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.scan.python_names import is_text
from rocm_ci.scan.python_strings import column_of, pieces
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.python_names import Names
    from rocm_ci.scan.source import Source

Context = tuple[str, ...]

# Calls whose arguments are words for people.
MESSAGE_CALLEE = re.compile(
    r"(^|[._])(print|pprint|log|debug|info|warning|warn|error|exception|critical|fatal|echo|secho|fail|skip|skipTest"
    r"|log_\w+|\w*_once|banner|panel|write_log|exit|die)$|(Error|Exception|Warning|Exit)$"
)
_DEVICE_SOURCE = re.compile(
    r"__global__|__device__\s+\w|__shared__\s+\w"
    r"|^[ \t]*#[ \t]*include[ \t]*<(?:cu|nv|cooperative_groups|mma\.h|thrust/|hip/)",
    re.MULTILINE,
)
# Calls that compile device source, and which of their arguments are such source.
_DEVICE_CALLS = re.compile(
    r"(^|\.)(RawKernel|RawModule|ElementwiseKernel|ReductionKernel|SourceModule|DynamicSourceModule|CudaModule"
    r"|nvrtcCreateProgram|hiprtcCreateProgram|_compile_kernel|load_inline|compile_with_cache|import_source|Program"
    r"|pragma_import_c|declare_device|func_native|CUSource)$"
)
COMPILES = re.compile(
    r"Raw(Kernel|Module)|ElementwiseKernel|ReductionKernel|SourceModule|rtcCreateProgram|_compile_kernel|load_inline"
    r"|compile_with_cache|cpp_extension|CUSource|hipcc|nvcc|CUDAExtension"
)
_DEVICE_KEYWORDS = frozenset({
    "code", "operation", "source", "kernel_source", "cuda_sources", "cpp_sources", "preamble",
    "map_expr", "reduce_expr", "post_map_expr", "cuda_source", "header_code", "src", "snippet",
})  # fmt: skip
_ASM_CALLEE = re.compile(r"(^|\.)inline_asm_elementwise$|^\.inline_asm$")
_FOLLOWED = ("torch.version.cuda", "torch.utils.cpp_extension.CUDA_HOME")


@dataclass(frozen=True, slots=True)
class Site:
    """A node that detectors may look at, with its guard and context."""

    node: ast.AST
    guard: Guard
    context: Context


@dataclass(slots=True)
class Collector:
    """What has been found in one file so far. `texts` are the literals behind names."""

    source: Source
    names: Names
    texts: dict[str, ast.expr]
    requirement_nodes: frozenset[int] = frozenset()
    regions: list[Region] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    calls: dict[str, list[Guard]] = field(default_factory=dict)
    compiles: bool = True  # whether the file compiles device source at all
    _resolved: set[int] = field(default_factory=set)

    def note(self, node: ast.AST, guard: Guard, context: Context) -> None:
        """Remember a node for the detectors."""
        self.sites.append(Site(node, guard, context))

    def add(
        self, kind: RegionKind, text: str, place: tuple[int, int], guard: Guard, context: Context
    ) -> None:
        """Hand out one region that begins at `place` (line, column)."""
        self.regions.append(Region(kind, text, *place, guard, context))

    def text(self, node: ast.expr, guard: Guard, context: Context) -> None:
        """A string literal, unless it is a message or was handed out as something else."""
        if id(node) in self._resolved or "message" in context:
            return
        for piece in pieces(node, self.source.lines):
            if not piece.text.strip():
                continue
            kind = RegionKind.STRING
            if _DEVICE_SOURCE.search(piece.text):
                if "test" in context and not self.compiles:
                    continue  # what a test of some tool feeds it
                kind = RegionKind.KERNEL
            elif "requirement" in context:
                kind = RegionKind.REQUIREMENT
            self.add(kind, piece.text, (piece.line, piece.column), guard, context)

    def name(self, node: ast.Name | ast.Attribute, guard: Guard, context: Context, use: str) -> bool:
        """A dotted name; False when it is an attribute of something computed."""
        full = self.names.dotted(node)
        if not full:
            return False
        if isinstance(node, ast.Attribute):
            owner = self.names.dotted(node.value)
            if owner in _FOLLOWED:
                self._name_region(node.value, owner, guard, (*context, "use:attribute"))
                return True
        if isinstance(node.ctx, ast.Load):
            self._name_region(node, full, guard, (*context, f"use:{use}"))
        return True

    def _name_region(self, node: ast.expr, full: str, guard: Guard, context: Context) -> None:
        if len(full) > 3:
            column = column_of(self.source.lines, node.lineno, node.col_offset) + 1
            self.regions.append(Region(RegionKind.CODE, full, node.lineno, column, guard, context))

    def device_text(self, node: ast.Call, full: str, guard: Guard, context: Context) -> None:
        """Assembly and device source among the arguments of a call, also behind a name."""
        if _ASM_CALLEE.search(full):
            named = [k.value for k in node.keywords if k.arg == "asm"]
            for argument in (*node.args[:1], *named):
                self._whole(argument, RegionKind.ASM, guard, context)
        elif _DEVICE_CALLS.search(full):
            named = [k.value for k in node.keywords if k.arg in _DEVICE_KEYWORDS]
            for argument in (*node.args, *named):
                for literal in self._literals(argument):
                    if _looks_like_c(literal):
                        self._whole(literal, RegionKind.KERNEL, guard, context)

    def _literals(self, node: ast.expr) -> Iterator[ast.expr]:
        """The string literals that an argument is made of: behind names, in lists, joined, formatted."""
        match node:
            case ast.Name(id=name):
                if name in self.texts:
                    yield self.texts[name]
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                for part in parts:
                    yield from self._literals(part)
            case ast.BinOp(left=left, right=right):
                yield from self._literals(left)
                yield from self._literals(right)
            case ast.Call(func=ast.Attribute(value=value), args=arguments):
                yield from self._literals(value)
                for argument in arguments[:1]:
                    yield from self._literals(argument)
            case ast.Call(args=[first, *_]):
                yield from self._literals(first)
            case _:
                if is_text(node):
                    yield node

    def _whole(self, node: ast.expr, kind: RegionKind, guard: Guard, context: Context) -> None:
        """Hand out a literal, also one behind a name or a method call, as assembly or device source."""
        literal = next(self._literals(node), None)
        if literal is None or id(literal) in self._resolved:
            return
        found = list(pieces(literal, self.source.lines))
        if kind is RegionKind.KERNEL and any(_DEVICE_SOURCE.search(p.text) for p in found):
            return  # says so itself, and is handed out where it stands
        self._resolved.add(id(literal))
        for piece in found:
            self.add(kind, piece.text, (piece.line, piece.column), guard, context)


def _looks_like_c(node: ast.expr) -> bool:
    text = node.value if isinstance(node, ast.Constant) else ""
    return isinstance(node, ast.JoinedStr) or any(sign in str(text) for sign in ";{=")
