"""Names of CUDA shared objects in C strings, where no AMD library is tried beside them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        strings = [r for r in parsed.regions if r.kind is RegionKind.STRING and _CUDA.search(r.text)]
        text = file.lexed.text if strings else ""
        amd = {
            _place(file, one.content_start)
            for one in (file.lexed.literals if _AMD.search(text) else ())
            if _AMD.search(text[one.content_start : one.content_end])
        }
        for region in strings:
            found = _CUDA.search(region.text)
            if found is None or region.guard is not Guard.NONE or "\n" in region.text:
                continue
            start = file.lexed.line_starts[region.line - 1] + region.column - 1
            if _place(file, start) not in amd:
                column = region.column + found.start()
                yield Match(region.line, column, column + len(found[0]), found[0])


def _place(file: CFile, offset: int) -> int | None:
    """What candidates of one list share: the function around them, or the whole file outside of any."""
    function = file.functions.at(offset)
    return function.start if function else None


DETECTOR: Detector = SharedObjects()
