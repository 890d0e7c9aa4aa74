"""Lines of Python that name the AMD counterpart of what CUDA code asks for."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.literal_search import lines_with
from rocm_ci.scan.python_names import target_name
from rocm_ci.scan.python_strings import has_line
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.scan.python_names import Names

_AMD_TWIN = re.compile(
    r"\b(ROCM_(HOME|PATH|ROOT)|HIP_PATH|hipcc|hipconfig|(amd|rocm)[-_]?smi|libamdhip64|librccl|rocminfo|HIP_VERSION"
    r"|ROCMExecutionProvider|MIGraphXExecutionProvider|ROCR_VISIBLE_DEVICES|HIP_VISIBLE_DEVICES|PYTORCH_ROCM_ARCH)\b|/opt/rocm|torch\.version\.hip|\bis_(rocm|hip|amd)\b|fnuz"
)
# One of these is in every match.
_AMD_SIGNS = (
    *(
        "ROCM_",
        "HIP_",
        "ROCR_",
        "ROCMEx",
        "MIGraphX",
        "hipcc",
        "hipconfig",
        "smi",
        "amdhip64",
        "librccl",
        "rocminfo",
    ),
    *("/opt/rocm", "version.hip", "is_rocm", "is_hip", "is_amd", "fnuz"),
)


def twin_lines(text: str) -> list[int]:
    """The sorted 1-based lines that do."""
    return lines_with(_AMD_TWIN, text, _AMD_SIGNS)


def stands_apart(node: ast.stmt, twins: Sequence[int], lines: Sequence[str], names: Names) -> bool:
    """Whether the lines that name the counterpart have nothing to do with a constant of the module."""
    if not isinstance(node, ast.Assign) or has_line(twins, node.lineno, node.end_lineno):
        return False
    own = [name for target in node.targets if (name := target_name(target, names))]
    return not any(
        vendor.of(name) is Guard.NVIDIA
        or any(re.search(rf"\b{re.escape(name)}\b", lines[twin - 1]) for twin in twins)
        for name in own
    )


def has_namesake(node: ast.stmt, text: str) -> bool:
    """Whether a text is one of two that are named alike but for the vendor: `_CUDA = "…"`, `_HIP = "…"`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return False
    target = node.targets[0]
    if not isinstance(target, ast.Name) or not isinstance(node.value.value, str):
        return False
    before, cuda, after = re.split(r"(?i)(cuda|nvidia)", f"{target.id}cuda", maxsplit=1)
    if not after:
        return False
    amd = "(?:HIP|ROCM|AMD)" if cuda.isupper() else "(?:hip|rocm|amd)"
    other = re.escape(before) + amd + re.escape(after.removesuffix("cuda"))
    return re.search(rf"^[ \t]*{other}\s*=[^=]", text, re.MULTILINE) is not None


def has_sister(function: str, text: str) -> bool:
    """Whether a function has one named alike but for the vendor, anywhere in the module.

    `installed_cuda_version` beside `OpBuilder.installed_rocm_version`.
    """
    before, _, after = re.split(r"(cuda|nvidia)", f"{function}cuda", maxsplit=1)
    if not after:
        return False
    other = re.escape(before) + "(?:hip|rocm|amd)" + re.escape(after.removesuffix("cuda"))
    return re.search(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{other}[ \t]*\(", text, re.MULTILINE) is not None
