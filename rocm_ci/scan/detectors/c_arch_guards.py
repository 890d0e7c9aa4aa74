"""`#ifdef __CUDA_ARCH__` and friends without a HIP twin: on AMD the device path is silently lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_directives import Chain, chains
from rocm_ci.scan.c_macros import Vendor, vendor_of
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_PASS = re.compile(r"\b(?:__CUDA_ARCH__|__CUDACC__|__NVCC__)\b")
# A version is asked for: a fast path with a fallback, not the question «am I on the device?».
_VERSION = re.compile(r"__CUDA_ARCH__\s*(?:[<>]=?|==)\s*\d{2,}|\d{2,}\s*(?:[<>]=?|==)\s*__CUDA_ARCH__")
# Asked so that the host pass of nvcc leaves out what only a processor has.
_HOST = re.compile(
    r"\b(?:__ARM\w*|__aarch64__|__SSE\w*|__AVX\w*|__x86_64__|_M_X64|_MSC_VER|__riscv\w*|__F16C__|__POWER\w*)"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_HIP_HEADER = re.compile(r"[<\"]hip/")
_OF_HOST = (".c", ".cc", ".cpp", ".cxx", ".c++")
_DEVICE_WORDS = ("__global__", "__device__", "__host__", "__shared__", "<<<", "threadIdx")
_BESIDE = 2  # lines between two chains that belong together


class ArchGuards:
    """Conditions on the passes of the NVIDIA compiler in whose whole chain no AMD macro is named."""

    name = "arch-guards"
    needles = ("__CUDA_ARCH__", "__CUDACC__", "__NVCC__")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or file.defines & {"__CUDA_ARCH__", "__CUDACC__"}:
            return
        if parsed.source.path.endswith(_OF_HOST) and not any(word in file.code for word in _DEVICE_WORDS):
            return  # the compiler of the host reads it, which defines none of them on either platform
        found = list(chains(file.directives))
        twins = [chain for chain in found if _knows_amd(chain)]
        for chain in found:
            if _knows_amd(chain) or _has_fallback(chain) or any(_are_beside(chain, twin) for twin in twins):
                continue
            for one in chain.conditions:
                asked = _PASS.search(one.text)
                if (
                    asked
                    and one.guard is Guard.NONE
                    and not (_VERSION.search(one.text) or _HOST.search(one.text))
                ):
                    shown = f"#{one.name} {one.text}"
                    yield Match(one.line, one.column, one.column + len(shown), asked[0])
                    break


def _knows_amd(chain: Chain) -> bool:
    words = {word for one in chain.conditions for word in _WORD.findall(one.text)}
    return any(vendor_of(w, {}) is Vendor.AMD for w in words) or any(map(_HIP_HEADER.match, chain.includes))


def _has_fallback(chain: Chain) -> bool:
    """Whether the `#else` of `#ifdef __CUDACC__` defines the same macros with parameters: nothing is lost."""
    if not chain.has_else or len(chain.defines) != 2 or "__CUDA_ARCH__" in chain.conditions[0].text:
        return False
    one, other = ({name.split("(")[0] for name in names} for names in chain.defines)
    return bool(one) and one == other and all("(" in name for names in chain.defines for name in names)


def _are_beside(one: Chain, other: Chain) -> bool:
    """`#ifdef __HIPCC__ … #endif` right before or after: the twin stands on its own."""
    if one.depth != other.depth:
        return False
    gap = max(one.first_line - other.last_line, other.first_line - one.last_line)
    return 0 < gap <= _BESIDE


DETECTOR: Detector = ArchGuards()
