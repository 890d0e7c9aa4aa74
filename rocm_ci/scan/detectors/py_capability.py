"""Python code that takes the compute capability for a feature."""

from __future__ import annotations

import ast
import re
from itertools import chain
from typing import TYPE_CHECKING, cast

from rocm_ci.scan import python_capability as capability
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.python_places import match_of
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.python_regions import Site

NEEDLES = (
    "get_device_capability",
    "get_device_properties",
    "compute_capability",
    "getDeviceProperties",
    "get_cuda_capability",
    "getDeviceCapability",
    "get_arch_list",
    "get_current_target",
)
# A question for a library of NVIDIA is asked there alone: `_has_cusparselt()`. What a warm-up asks decides
# what is compiled ahead of time, and a mistake costs no more than that time.
_ASIDE = re.compile(
    r"(?i)def:(?:_*(has|is|can|use|check|supports?)_.*(cusparse|cudnn|cublas|cutlass|nvjpeg|cutensor)|\w*warm_?up)"
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_QUIET = frozenset({"message", "beside-vendor", "test", "script"})


class Capability:
    """Follows the value through the variables of a module; the vendor guard of the comparison counts."""

    name = "py-capability"
    needles = NEEDLES

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        for node, weak in decisions(parsed):
            if not weak:
                yield match_of(node, parsed)


def decisions(parsed: Parsed) -> Iterator[tuple[ast.expr, bool]]:
    """Every decision that a capability makes on AMD; `weak` where it is right there, or only a test's."""
    tree = parsed.tree
    if not isinstance(tree, PythonTree):
        return
    found = tree.memo.get("capability")
    if found is None:
        found = tree.memo["capability"] = tuple(_decisions(parsed, tree))
    yield from cast("tuple[tuple[ast.expr, bool], ...]", found)


def _decisions(parsed: Parsed, tree: PythonTree) -> Iterator[tuple[ast.expr, bool]]:
    sites = {id(s.node): s for s in tree.sites if _may_decide(s, tree)}
    if not sites:
        return
    values = capability.Values(tree.module, tree.names, parsed.source.text)
    module_level = values.tainted(values.scopes[0])
    told: dict[int, tuple[ast.expr, bool]] = {}
    for nodes in values.scopes:
        refusals = _refusals(nodes)
        tainted = module_level if nodes is values.scopes[0] else values.tainted(nodes)
        unread = set() if nodes is values.scopes[0] else _unread(nodes)
        for node in nodes:
            site = sites.get(id(node))
            if site is None or not isinstance(node, (ast.Compare, ast.Call)) or id(node) in refusals:
                continue
            strong = _strength(node, values, tainted)
            if strong is not None:
                weak = (
                    not strong
                    or id(node) in unread
                    or any(c in _QUIET or _ASIDE.match(c) for c in site.context)
                )
                if node.lineno not in told or (told[node.lineno][1] and not weak):
                    told[node.lineno] = (node, weak)
    yield from _without_repeats(list(told.values()))


def _without_repeats(found: list[tuple[ast.expr, bool]]) -> Iterator[tuple[ast.expr, bool]]:
    """Of advice on neighbouring lines, `is_sm80 = …`, `is_sm90 = …`, the first is enough."""
    last = -2
    for node, weak in sorted(found, key=lambda one: one[0].lineno):
        if not weak or node.lineno - last > 1:
            yield node, weak
        last = node.lineno


def _may_decide(site: Site, tree: PythonTree) -> bool:
    """Whether a comparison or conversion is reached on AMD without a question for the vendor beside it."""
    if site.guard not in (Guard.NONE, Guard.AMD) or {"message", "beside-vendor"} & set(site.context):
        return False
    if isinstance(site.node, ast.Call):
        return tree.names.dotted(site.node.func) in ("int", "float")
    return isinstance(site.node, ast.Compare)


def _strength(
    node: ast.Compare | ast.Call, values: capability.Values, tainted: frozenset[str]
) -> bool | None:
    """True for a decision that misjudges AMD, False for one that does not; None for no decision."""
    if isinstance(node, ast.Call):
        full = values.names.callee(node.func)
        parses = full in ("int", "float") and node.args and _is_text_capability(node.args[0])
        return True if parses else None
    if capability.decides(node, values, tainted):
        # An AMD target of Triton is a text, which no number can be held against.
        texts = (n for s in (node.left, *node.comparators) for n in ast.walk(s))
        is_text = any(isinstance(n, ast.Attribute) and n.attr == "arch" for n in texts)
        return is_text or not capability.is_floor(node)
    asked = [c for c in node.comparators if isinstance(c, ast.Call)]
    listed = any(values.names.callee(c.func).endswith("cuda.get_arch_list") for c in asked)
    named = isinstance(node.left, ast.Constant) and re.match(r"(sm|compute)_\d", str(node.left.value))
    return True if listed and named else None


def _is_text_capability(node: ast.expr) -> bool:
    """`device.compute_capability`, as it is or with the dot taken out: JAX says "gfx942" there."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("replace", "split", "strip") and _is_text_capability(node.func.value)
    if isinstance(node, ast.Subscript):
        return _is_text_capability(node.value)
    return isinstance(node, ast.Attribute) and node.attr == "compute_capability"


def _unread(nodes: list[ast.AST]) -> set[int]:
    """Comparisons of a function whose outcome gets a name that nothing in it reads."""
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in nodes):
        return set()
    inner = (one for node in nodes if isinstance(node, _SCOPES) for one in ast.walk(node))
    read = {
        one.id
        for one in chain(nodes, inner)
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    }
    return {
        id(one)
        for node in nodes
        if isinstance(node, ast.Assign)
        and all(isinstance(target, ast.Name) and target.id not in read for target in node.targets)
        for one in ast.walk(node.value)
        if isinstance(one, (ast.Compare, ast.Call))
    }


def _refusals(nodes: list[ast.AST]) -> set[int]:
    """Comparisons that turn every other GPU away: `if cap != (10, 3): raise …` refuses AMD, as it should."""
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
            found |= {
                id(one)
                for one in ast.walk(node.test)
                if isinstance(one, ast.Compare)
                and all(isinstance(op, (ast.NotEq, ast.NotIn)) for op in one.ops)
            }
    return found


DETECTOR: Detector = Capability()
