"""`torch.utils.hipify` of a torch wheel as rows, read without importing anything."""

from __future__ import annotations

import ast
import re
import zipfile
from typing import TYPE_CHECKING

from tools.api_table.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FILE = "torch/utils/hipify/cuda_to_hip_mappings.py"
# The other maps are about torch's own names, which its extensions keep on ROCm.
_MAPS = {"CUDA_TYPE_NAME_MAP": "type", "CUDA_IDENTIFIER_MAP": "function", "CUDA_INCLUDE_MAP": "header",
         "CUDA_SPECIAL_MAP": "function"}  # fmt: skip
_PAIR = 2
# Two headers stand there as the directive has them: `include <cuda.h`, `<nccl.h>`.
_WRITTEN_HEADER = re.compile(r"^(?:include )?[<\"]([\w./]+?)>?$")
_LIBRARIES = (
    (re.compile(r"nvtx|NVTX|nvToolsExt"), "nvtx"),
    (re.compile(r"nvml|NVML"), "nvml"),
    (re.compile(r"nccl|NCCL"), "nccl"),
    (re.compile(r"(?i)cublas"), "cublas"),
    (re.compile(r"(?i)curand"), "curand"),
    (re.compile(r"(?i)cusparse"), "cusparse"),
    (re.compile(r"(?i)cusolver"), "cusolver"),
    (re.compile(r"(?i)cufft"), "cufft"),
    (re.compile(r"(?i)cub(?:/|::)|^cub$"), "cub"),
    (re.compile(r"thrust"), "thrust"),
    (re.compile(r"(?i)nvrtc"), "nvrtc"),
    (re.compile(r"__"), "device"),
    (re.compile(r"cuda|CUDA"), "runtime"),
)


def source(place: Path) -> str:
    """The mapping file of a wheel, of a folder that holds the package, or itself."""
    if place.is_dir():
        found = next(iter(sorted(place.rglob("cuda_to_hip_mappings.py"))), None)
        if found is None:
            message = f"{place}: no cuda_to_hip_mappings.py below"
            raise FileNotFoundError(message)
        return found.read_text(encoding="utf-8")
    if place.suffix == ".whl":
        with zipfile.ZipFile(place) as wheel:
            return wheel.read(_FILE).decode("utf-8")
    return place.read_text(encoding="utf-8")


def rows(text: str) -> dict[str, Row]:
    """Every CUDA name of the maps."""
    found: dict[str, Row] = {}
    for kind, written, theirs in _entries(ast.parse(text)):
        name = _WRITTEN_HEADER.sub(r"\1", written) if kind == "header" else written
        hip = _WRITTEN_HEADER.sub(r"\1", theirs)
        library = next((lib for pattern, lib in _LIBRARIES if pattern.search(name)), "driver")
        kind_of = "header" if kind == "header" else "type" if name.endswith("_t") else kind
        found.setdefault(name, Row(name=name, library=library, kind=kind_of, hip=hip, source="torch"))
    return found


def _entries(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """(kind, CUDA name, HIP name or nothing) of the maps, in file order."""
    chosen: dict[str, ast.expr] = {}  # what another name than its value stands for outside of Meta
    for statement in tree.body:
        if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
            continue
        if isinstance(statement.value, ast.IfExp):
            chosen[statement.targets[0].id] = statement.value.orelse
        kind = _MAPS.get(statement.targets[0].id)
        if kind is None:
            continue
        for pair in ast.walk(statement.value):
            if (
                isinstance(pair, ast.Tuple)
                and len(pair.elts) == _PAIR
                and isinstance(pair.elts[0], ast.Constant)
            ):
                target = pair.elts[1]
                if isinstance(target, ast.Name):
                    target = chosen.get(target.id, target)
                yield kind, str(pair.elts[0].value), _hip(target)


def _hip(target: ast.expr) -> str:
    """Newer releases write the HIP name alone, older ones `(name, kind, library[, HIP_UNSUPPORTED])`."""
    if isinstance(target, ast.Tuple):
        if any(isinstance(word, ast.Name) and word.id == "HIP_UNSUPPORTED" for word in target.elts[1:]):
            return ""
        target = target.elts[0]
    return target.value if isinstance(target, ast.Constant) and isinstance(target.value, str) else ""
