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
    from rocm_ci.scan.python_names import Names
    from rocm_ci.scan.source import Source

Context = tuple[str, ...]

# Calls whose arguments are words for people.
MESSAGE_CALLEE = re.compile(
    r"(^|[._])(print|pprint|log|debug|info|warning|warn|error|exception|critical|fatal|echo|secho|fail|skip|skipTest"
    r"|log_\w+|\w*_once|banner|panel|write_log|exit|die)$|(Error|Exception|Warning|Exit)$"
)
_DEVICE_SOURCE = re.compile(r"__global__|__device__\s+\w|__shared__\s+\w")
_DEVICE_CALLS = re.compile(
    r"(^|\.)(RawKernel|RawModule|ElementwiseKernel|ReductionKernel|SourceModule|nvrtcCreateProgram|hiprtcCreateProgram"
    r"|_compile_kernel)$"
)
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
            named = [k.value for k in node.keywords if k.arg in ("code", "operation", "source")]
            for argument in (*node.args, *named):
                literal = self.texts.get(argument.id) if isinstance(argument, ast.Name) else argument
                if literal is not None and is_text(literal) and _looks_like_c(literal):
                    self._whole(argument, RegionKind.KERNEL, guard, context)

    def _whole(self, node: ast.expr, kind: RegionKind, guard: Guard, context: Context) -> None:
        """Hand out a literal, also one behind a name or a method call, as assembly or device source."""
        literal: ast.expr | None = node if is_text(node) else None
        if isinstance(node, ast.Name):
            literal = self.texts.get(node.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            literal = node.func.value if is_text(node.func.value) else None
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
    return not isinstance(text, str) or any(sign in text for sign in ";{=")
