"""Which Python packages a project wants on NVIDIA alone, by its requirement files for both vendors."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocm_ci.scan.inventory import Inventory

_FOLDERS = ("requirements", "")
_CUDA = re.compile(r"(?<![A-Za-z])(?:cuda|nvidia)(?![A-Za-z])")
_REQUIREMENTS = re.compile(r"(?:requirements?[-_.]?)?[\w.-]*\.(?:txt|in)")
_NAME = re.compile(r"^[ \t]*([A-Za-z][\w.-]*)", re.MULTILINE)
_INCLUDED = re.compile(r"^[ \t]*(?:-r|--requirement)[ =]+(\S+)", re.MULTILINE)
_ENDINGS = re.compile(r"[-_](?:kernels?|python|dsl|cu\d*|cuda\d*|gpu|lib)$")
# Images for ROCm bring these along or build them, so that a list for ROCm need not name them.
_COMMON = frozenset({
    "torch", "torchvision", "torchaudio", "torchcodec", "triton", "numpy", "numba", "transformers", "ray",
    "accelerate", "flash_attn", "xformers", "bitsandbytes", "deepspeed", "apex", "vllm", "jax", "tensorflow",
    "onnxruntime", "setuptools", "fastsafetensors", "build", "cmake", "wheel", "ninja", "packaging", "pytest",
    "requests", "jinja2", "datasets",
})  # fmt: skip
_SHORTEST = 5  # letters: shorter names are words of any project
_FEWEST = 3  # packages in a list for ROCm that tells anything
_DEEPEST = 5


class NvidiaPackages:
    """Read when first asked."""

    def __init__(self, read: Callable[[str], bytes | None], inventory: Inventory) -> None:
        self._read = read
        self._inventory = inventory

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of a module → the list that alone wants its package: `humming` → `requirements/cuda.txt`."""
        found: dict[str, str] = {}
        for folder in _FOLDERS:
            names = self._inventory.names(folder)
            for name in sorted(n for n in names if _REQUIREMENTS.fullmatch(n) and _CUDA.search(n)):
                path = posixpath.join(folder, name)
                twins = {_CUDA.sub(amd, name) for amd in ("rocm", "amd", "hip")} & names
                amd = {one for twin in twins for one in self._packages(posixpath.join(folder, twin))}
                if len(amd) < _FEWEST:
                    continue
                for package in sorted(set(self._packages(path, _DEEPEST)) - amd):
                    module = _ENDINGS.sub("", package).replace("-", "_").replace(".", "_")
                    if len(module) >= _SHORTEST and module not in _COMMON:
                        found.setdefault(module, path)
        return found

    def _packages(self, path: str, depth: int = 0) -> Iterator[str]:
        """The packages of a list and, up to a depth of `_DEEPEST`, of those that it includes."""
        text = (self._read(path) or b"").decode("utf-8", "replace")
        for name in _NAME.findall(text):
            yield name.lower().replace("_", "-")
        for other in _INCLUDED.findall(text) if depth < _DEEPEST else ():
            yield from self._packages(
                posixpath.normpath(posixpath.join(posixpath.dirname(path), other)), depth + 1
            )
