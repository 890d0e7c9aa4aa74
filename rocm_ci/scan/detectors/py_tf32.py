"""Python code that turns TF32 on, which AMD GPUs have in another form or not at all."""

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

_SWITCH = re.compile(r"(^|\.)torch\.backends\.(\w+\.)*allow_tf32$")
_PRECISION = re.compile(r"(^|\.)torch\.backends\.(\w+\.)*fp32_precision$")
_CALL = re.compile(r"(^|\.)torch\.set_float32_matmul_precision$")
_KEYWORDS = {"allow_tf32": (True,), "input_precision": ("tf32", "tf32x3")}


class Tf32:
    """Switches of torch and of Triton's `dot`; turning TF32 off is right everywhere."""

    name = "py-tf32"
    needles = ("allow_tf32", "fp32_precision", "set_float32_matmul_precision", "input_precision")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree):
            return
        for site in tree.sites:
            if site.guard in (Guard.NONE, Guard.AMD) and "message" not in site.context:
                node = _turns_on(site, tree)
                if node is not None:
                    yield match_of(node, parsed)


def _turns_on(site: Site, tree: PythonTree) -> ast.expr | None:
    match site.node:
        case ast.Assign(targets=[target], value=ast.Constant(value=value)):
            name = tree.names.dotted(target)
            on = (value is True and _SWITCH.search(name)) or (value == "tf32" and _PRECISION.search(name))
            return target if on else None
        case ast.Call(func=func, args=[ast.Constant(value="high" | "medium")]) as call:
            return call if _CALL.search(tree.names.callee(func)) else None
        case ast.Call(func=func, keywords=keywords) if tree.names.callee(func).endswith(".dot"):
            asked = (
                k.value
                for k in keywords
                if isinstance(k.value, ast.Constant) and k.value.value in _KEYWORDS.get(k.arg or "", ())
            )
            return next(asked, None)
        case _:
            return None


DETECTOR: Detector = Tf32()
