"""Whose a preprocessor macro is: by its name, or by what a file teaches about its own macros."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Vendor(enum.Enum):
    """Whose macro a name is."""

    AMD = "amd"
    NVIDIA = "nvidia"


_BACKEND = (
    r"(?:USE|ENABLE|WITH|HAVE|HAS|BUILD|BACKEND|PLATFORM|GPU|DEVICE|COMPILER|TARGET|IS|FOR|ON|ARCH|LANG)"
)
_STATE = r"(?:ENABLED?|BACKEND|PLATFORM|DEVICE|SUPPORT|SUPPORTED|FOUND|COMPILER|BUILD|ON)"
_AMD = re.compile(
    r"__HIP_PLATFORM_(?:AMD|HCC)__|__HIPCC__|__HIPCC_RTC__|__HIP__|__HIP_DEVICE_COMPILE__|__HIP_ARCH__"
    r"|__AMDGCN__|__AMDGPU__|__HCC__|__HIP_NO_IMAGE_SUPPORT(?:__)?|HIP_VERSION\w*|TORCH_HIP_VERSION|ROCM_VERSION\w*"
    r"|__AMDGCN_WAVEFRONT_SIZE(?:__)?|HIPRT_\w+|__HIPSYCL_ENABLE_HIP_TARGET__"
    rf"|(?:\w*_)?{_BACKEND}_?(?:HIP|ROCM|AMD|AMDGPU|HCC|HIPCC)(?:_{_STATE})?_*"
    rf"|(?:HIP|ROCM|AMDGPU)_{_STATE}|\w+_(?:HIP|ROCM|HIPCC)_*|(?:HIP|ROCM)(?:_ENABLED)?"
)
# Only some AMD targets define these, so their absence does not mean NVIDIA.
AMD_SOME = re.compile(r"__gfx\w+__|__GFX\w+__|__AMDGCN_\w+")
_NVIDIA = re.compile(
    r"__CUDACC__|__CUDACC_\w+|__CUDA_ARCH__|__CUDA_ARCH_\w+|__NVCC__|__CUDA__|CUDA_VERSION|CUDART_VERSION"
    r"|CUDNN_VERSION|CUDNN_MAJOR|CUBLAS_VER\w*|__HIP_PLATFORM_(?:NVIDIA|NVCC)__|__NVCOMPILER|__CUDA_NO_\w+"
    rf"|(?:\w*_)?{_BACKEND}_?(?:CUDA|NVIDIA|NVCC|NVGPU|CUDACC)(?:_{_STATE})?_*"
    rf"|(?:CUDA|NVIDIA)_{_STATE}|\w+_(?:CUDA|NVCC)_*|(?:CUDA|NVCC)(?:_ENABLED)?"
)
# The device pass or one compiler of an NVIDIA build defines these, the host pass does not.
NVIDIA_SOME = re.compile(r"__CUDA_ARCH\w*|__CUDACC\w*|__NVCC__|__CUDA__|__NVCOMPILER")


def vendor_of(macro: str, learnt: Mapping[str, Vendor | None]) -> Vendor | None:
    """Whose macro it is by its name, or by what the file taught; None for any other macro."""
    if macro in learnt:
        return learnt[macro]
    if _AMD.fullmatch(macro) or AMD_SOME.fullmatch(macro):
        return Vendor.AMD
    return Vendor.NVIDIA if _NVIDIA.fullmatch(macro) else None


def is_certain(macro: str) -> bool:
    """Whether every compilation for its vendor defines a macro, so that its absence tells."""
    return _AMD.fullmatch(macro) is not None or not (
        AMD_SOME.fullmatch(macro) or NVIDIA_SOME.fullmatch(macro)
    )


_CUDA_HEADER = re.compile(r"cuda|cu(?:blas|dnn|fft|rand|sparse|solver|b/|te/|tlass/)|nv|mma\.h|nccl")
_HIP_HEADER = re.compile(r"hip|roc|rccl")


def vendor_of_header(target: str) -> Vendor | None:
    """Whose header an include names."""
    if _HIP_HEADER.match(target):
        return Vendor.AMD
    return Vendor.NVIDIA if _CUDA_HEADER.match(target) else None
