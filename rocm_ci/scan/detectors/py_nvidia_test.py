"""Python code that takes `torch.cuda.is_available()` for "this is an NVIDIA GPU"."""

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

_AVAILABLE = re.compile(r"(^|\.)torch\.cuda\.(is_available|device_count)$")
# `cuda` alone is what torch calls AMD devices as well.
_NVIDIA = re.compile(
    r"(?i)(^|[^a-z])(nvidia|nv_?gpu|tensor_?cores?|nvml|nvcc|geforce|rtx|turing|ampere|hopper)([^a-z]|$)"
)


class NvidiaTest:
    """The question is asked for a name, or answered with a text, that says NVIDIA."""

    name = "py-nvidia-test"
    needles = ("cuda.is_available", "cuda.device_count", "import is_available")
    also = (
        *("nvidia", "Nvidia", "NVIDIA", "nv_gpu", "nvgpu", "NV_GPU", "ensor_core", "TENSOR_CORE"),
        *("nvml", "NVML", "nvcc", "NVCC", "eforce", "GEFORCE", "rtx", "RTX", "uring", "TURING", "mpere"),
        *("AMPERE", "opper", "HOPPER", "ensorCore", "eForce", "ensorcore"),
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        tree = parsed.tree
        if not isinstance(tree, PythonTree):
            return
        if not _NVIDIA.search(parsed.source.text):
            return
        named = _named(tree)
        for site in tree.sites:
            if site.guard not in (Guard.NONE, Guard.AMD) or not isinstance(site.node, ast.Call):
                continue
            quiet = {"message", "beside-vendor", "test", "twin"} & set(site.context)
            if quiet or not _AVAILABLE.search(tree.names.callee(site.node.func)):
                continue
            assigned = any(c.startswith("assign:") and _NVIDIA.search(c[7:]) for c in site.context)
            if assigned or id(site.node) in named:
                yield match_of(site.node, parsed)


def _named(tree: PythonTree) -> frozenset[int]:
    """Calls that a function of such a name returns, or that choose such a text."""
    found: set[int] = set()
    for node in ast.walk(tree.module):
        match node:
            case ast.FunctionDef(name=name, body=[*_, ast.Return(value=ast.Call() as call)]):
                if _NVIDIA.search(name) and len(node.body) <= 3:
                    found.add(id(call))
            case ast.IfExp(test=ast.Call() as call, body=ast.Constant(value=str(text))):
                if _NVIDIA.search(text):
                    found.add(id(call))
            case ast.If(test=ast.Call() as call, body=[ast.Return(value=ast.Constant(value=str(text))), *_]):
                if _NVIDIA.search(text):
                    found.add(id(call))
            case ast.If(test=ast.Call() as call, body=[ast.Assign(value=ast.Constant(value=str(text))), *_]):
                if _NVIDIA.search(text):
                    found.add(id(call))
            case _:
                pass
    return frozenset(found)


DETECTOR: Detector = NvidiaTest()
