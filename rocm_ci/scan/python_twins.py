"""Lines of Python that name the AMD counterpart of what CUDA code asks for."""

from __future__ import annotations

import re

from rocm_ci.scan.literal_search import lines_with

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
