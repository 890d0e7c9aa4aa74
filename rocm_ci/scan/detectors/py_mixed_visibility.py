"""Python that selects devices by more than one variable in one mapping or by several calls."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_places import match_of
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARIABLES = frozenset({"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"})
_SETTERS = frozenset({"setdefault", "putenv", "setenv"})
# A table that tells how a variable is called says nothing about setting it.
_NAMES = frozenset({"cuda", "rocm", "hip", "nvidia", "amd"})


class MixedVisibilityInPython:
    """`dict(env, A=…, B=…)`, `{"A": …, "B": …}` and `os.environ.setdefault("A", …)` twice in a function."""

    name = "py-mixed-visibility"
    needles = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
    also = ("_VISIBLE_DEVICES",)  # the lines of the third one are wanted as well

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree):
            return
        called: dict[tuple[Guard, tuple[str, ...]], set[str]] = {}
        for site in tree.sites:
            if site.guard is Guard.NVIDIA or {"message", "compare"} & set(site.context):
                continue
            if isinstance(site.node, ast.Dict):
                yield from _second(_values_of(site.node), parsed)
            elif isinstance(site.node, ast.Call):
                named = [(k.arg, k.value) for k in site.node.keywords if k.arg in _VARIABLES]
                yield from _second([(name, value) for name, value in named if name], parsed)
                full = tree.names.callee(site.node.func)
                name = _text(site.node.args[0]) if site.node.args else ""
                if full.rsplit(".", 1)[-1] in _SETTERS and name in _VARIABLES and len(site.node.args) > 1:
                    scope = tuple(c for c in site.context if c.startswith("def:"))
                    before = called.setdefault((site.guard, scope), set())
                    if before - {name}:
                        yield match_of(site.node.args[0], parsed)
                    before.add(name)


def _values_of(node: ast.Dict) -> list[tuple[str, ast.expr]]:
    """Keys of the three that get a value; a key whose value names a variable is a table of names."""
    return [
        (_text(key), key)
        for key, value in zip(node.keys, node.values, strict=True)
        if key is not None and _text(key) in _VARIABLES and _text(value) not in _VARIABLES | _NAMES
    ]


def _second(named: list[tuple[str, ast.expr]], parsed: Parsed) -> Iterator[Match]:
    for _, place in named[1:]:
        yield match_of(place, parsed)


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


DETECTOR: Detector = MixedVisibilityInPython()
