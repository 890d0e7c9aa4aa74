"""Python code that scales to 448, the largest number of the OCP 8 bit float."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_places import match_of
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.python_regions import Site

_FP8 = re.compile(r"(?i)fp_?8|float_?8|e4m3")
_LIMIT = re.compile(r"(?i)max|limit|range|bound|clip|largest")
_LARGEST = 448.0


class Fp8Limit:
    """448 under a name, or for a parameter, that speaks of 8 bit floats; or divided by in such a function."""

    name = "py-fp8-limit"
    needles = ("448",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree):
            return
        for site in tree.sites:
            quiet = {"message", "twin", "test", "script", "beside-vendor"} & set(site.context)
            if site.guard is Guard.NONE and not quiet:
                for node in _limits(site, tree):
                    yield match_of(node, parsed)


def _limits(site: Site, tree: PythonTree) -> Iterator[ast.expr]:
    match site.node:
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            if _is_largest(value) and _is_limit(tree.names.dotted(target)):
                yield value
        case ast.Call(keywords=keywords):
            yield from (k.value for k in keywords if k.arg and _is_limit(k.arg) and _is_largest(k.value))
        case ast.FunctionDef(args=arguments):
            named = (
                [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) :]
                if arguments.defaults
                else []
            )
            pairs = [
                *zip(named, arguments.defaults, strict=True),
                *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
            ]
            yield from (d for a, d in pairs if d is not None and _is_limit(a.arg) and _is_largest(d))
        case ast.BinOp(right=right, op=ast.Div()):
            if _is_largest(right) and any(c.startswith("def:") and _FP8.search(c) for c in site.context):
                yield right
        case _:
            return


def _is_limit(name: str) -> bool:
    return bool(_FP8.search(name) and _LIMIT.search(name))


def _is_largest(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and len(node.args) == 1:  # `tl.constexpr(448.0)`, `float(448)`
        return _is_largest(node.args[0])
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
        and node.value == _LARGEST
    )


DETECTOR: Detector = Fp8Limit()
