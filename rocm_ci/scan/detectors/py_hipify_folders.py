"""Include folders of torch extensions that hipify rewrites though it should not, or misses."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_places import match_of
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocm_ci.scan.python_regions import Site

_EXTENSION = re.compile(r"(^|\.)(CUDAExtension|cpp_extension\.load)$")
_FOLDERS, _SWITCHES = ("include_dirs", "extra_include_paths"), ("extra_compile_args", "extra_cuda_cflags")
_VENDORED = re.compile(
    r"(?i)(^|[/\\])(third_?party|3rd_?party|externals?|extern|vendor(ed)?|submodules?|deps|dependencies|glm|eigen3?)([/\\]|$)"
)
_OWN = re.compile(r"(?i)^-I(?!/usr|/opt)(.*[/\\])?(include|csrc|src|inc|headers?)([/\\]|$)")
_REWRITTEN = "hipify rewrites the headers below `{match}` in place, as all of include_dirs, whosever they are"
_MISSED = "hipify does not see the headers below `{match}`: it knows only those of include_dirs"
_DEEPEST = 3  # variables that stand for one another


class HipifyFolders:
    """`CUDAExtension(include_dirs=[".../third_party/glm"])` and own headers behind `-I`."""

    name = "py-hipify-folders"
    needles = ("CUDAExtension", "cpp_extension")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree):
            return
        values = _values(tree.sites)
        told: set[int] = set()
        for site in tree.sites:
            call = site.node
            if not isinstance(call, ast.Call) or site.guard not in (Guard.NONE, Guard.AMD):
                continue
            if not _EXTENSION.search(tree.names.callee(call.func)):
                continue
            for keyword in call.keywords:
                for node, message in _suspects(keyword, values):
                    if node.lineno not in told:
                        told.add(node.lineno)
                        yield replace(match_of(node, parsed), message=message)


def _values(sites: tuple[Site, ...]) -> Mapping[str, list[ast.expr]]:
    """What is assigned to each plain name, where AMD gets to."""
    found: dict[str, list[ast.expr]] = {}
    for site in sites:
        match site.node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if site.guard is not Guard.NVIDIA:
                found.setdefault(name, []).append(value)
            case _:
                pass
    return found


def _suspects(node: ast.keyword, values: Mapping[str, list[ast.expr]]) -> Iterator[tuple[ast.expr, str]]:
    if node.arg in _FOLDERS:
        yield from ((one, _REWRITTEN) for one in _folders(node.value, values) if _is_vendored(one))
    elif node.arg in _SWITCHES:
        yield from ((one, _MISSED) for one in ast.walk(node.value) if _is_own_switch(one))  # type: ignore[misc]


def _folders(node: ast.expr, values: Mapping[str, list[ast.expr]], depth: int = 0) -> Iterator[ast.expr]:
    """The single folders of an expression, behind names and in lists."""
    match node:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for one in elements:
                yield from _folders(one, values, depth)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            yield from _folders(left, values, depth)
            yield from _folders(right, values, depth)
        case ast.Starred(value=value):
            yield from _folders(value, values, depth)
        case ast.Name(id=name) if name in values and depth < _DEEPEST:
            for one in values[name]:
                yield from _folders(one, values, depth + 1)
        case _:
            yield node


def _is_vendored(node: ast.expr) -> bool:
    """Whether some part of a path is the folder of other people's code."""
    texts = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return any(map(_VENDORED.search, texts))


def _is_own_switch(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(v.value) if isinstance(v, ast.Constant) else "x" for v in node.values)
        return bool(_OWN.match(text))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(_OWN.match(node.value))


DETECTOR: Detector = HipifyFolders()
