"""Names of CUDA shared objects in C strings, where no AMD library is tried beside them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.source import Region

_CUDA = re.compile(
    r"(?<![\w-])(?:lib(?:cudart|cuda|nvrtc|nvrtc-builtins|cublas|cublasLt|cudnn\w*|cufft\w*|curand|cusparse\w*|cusolver\w*|nvidia-ml"
    r"|nvToolsExt|nvJitLink|nvshmem\w*|nccl|cupti|cufile)\.so(?:\.\d+)*|(?:nvcuda|nvml|cudart64_\d+|nvrtc64_\d+\w*)\.dll)\b"
)
_AMD = re.compile(
    r"lib(?:amdhip64|hip\w+|roc\w+|rccl|MIOpen|amd_smi\w*|rocm_smi\w*|hsa-runtime64)\b|amdhip64\w*\.dll"
)


class SharedObjects:
    """A list of candidates that also names the AMD library is a probe, and right."""

    name = "shared-objects"
    needles = (".so", ".dll")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        strings = [r for r in parsed.regions if r.kind is RegionKind.STRING]
        amd = {_place(parsed.tree, r) for r in strings if _AMD.search(r.text)}
        for region in strings:
            found = _CUDA.search(region.text)
            if found is None or region.guard is not Guard.NONE or "\n" in region.text:
                continue
            if _place(parsed.tree, region) not in amd:
                column = region.column + found.start()
                yield Match(region.line, column, column + len(found[0]), found[0])


def _place(tree: object, region: Region) -> int | None:
    """What candidates of one list share: the function around them, or the whole file outside of any."""
    if not isinstance(tree, CFile):
        return None
    function = tree.functions.at(tree.lexed.line_starts[region.line - 1] + region.column - 1)
    return function.start if function else None


DETECTOR: Detector = SharedObjects()
