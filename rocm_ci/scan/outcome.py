"""What a condition says about the machine, in any language: a pair of guards and their algebra."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Outcome:
    """The guard where a condition holds, and where it does not.

    `probe`: it asks for a tool, folder or package, not for the vendor: giving up when it is missing
    demands the tool instead of excusing the machine without it.
    """

    true: Guard = Guard.NONE
    false: Guard = Guard.NONE
    probe: bool = False

    def __invert__(self) -> Outcome:
        return Outcome(self.false, self.true, self.probe)

    def __bool__(self) -> bool:
        return self.true is not Guard.NONE or self.false is not Guard.NONE


UNKNOWN = Outcome()
IS_AMD = Outcome(Guard.AMD, Guard.NVIDIA)
IS_NVIDIA = Outcome(Guard.NVIDIA, Guard.AMD)
HAS_NVIDIA = Outcome(Guard.NVIDIA, Guard.NONE, probe=True)
HAS_AMD = Outcome(Guard.AMD, Guard.NVIDIA, probe=True)

_NVIDIA_THING = re.compile(
    r"(?i)nvcc|nvidia|/cuda|^cuda|libcuda|libcudart|pynvml|nsys|nsight|cuobjdump|libnv|libnccl|libcu|^ncu$"
    r"|(^|[^A-Za-z])CUDA_|^CUDNN|tensorrt|cupy_cuda|numba\.cuda|flashinfer|deep_gemm|transformer_engine"
    r"|^(cudf|cuml|cugraph|cuspatial|cucim|cuvs|cusignal|rmm|pycuda|nvtx|nvmath|kvikio|cutlass|dask_cudf)(\.|$)"
)
_AMD_THING = re.compile(
    r"(?i)rocm|(^|/)hip(cc|config)?($|[^a-z])|amd-?_?smi|amdgpu|amdhip|/dev/kfd|librccl|libhip|libroc|HIP_|roc(profv?\d?|minfo)"
    r"|amdclang|(^|[^a-z])aiter|^gfx"
)


def names_nvidia(text: str) -> bool:
    """Whether a tool, folder, library or package is one that only NVIDIA machines have."""
    return bool(_NVIDIA_THING.search(text))


def names_amd(text: str) -> bool:
    """Whether a tool, folder, library or package is one that only AMD machines have."""
    return bool(_AMD_THING.search(text))


def presence(texts: Iterable[str]) -> Outcome:
    """What it says that one of these tools, folders, libraries or packages is there."""
    some = list(texts)
    nvidia, amd = any(map(names_nvidia, some)), any(map(names_amd, some))
    if nvidia == amd:
        return UNKNOWN
    return HAS_NVIDIA if nvidia else HAS_AMD


def joined(parts: Sequence[Outcome], *, conjunction: bool) -> Outcome:
    """`and` (or, without `conjunction`, `or`) of several conditions."""
    if not parts:
        return UNKNOWN
    if not conjunction:
        return ~joined([~p for p in parts], conjunction=True)
    true, false = Guard.NONE, parts[0].false
    for part in parts:
        true = vendor.both(true, part.true)
        false = vendor.either(false, part.false)
    return Outcome(true, false, any(p.probe for p in parts))
