"""Kernels that launch kernels: HIP has no launch from the device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_functions import Function

_CHEVRONS = re.compile("<<<")
_CALL = re.compile(
    r"\b(?P<call>hipLaunchKernelGGL|(?:cuda|hip)LaunchKernel(?:Ex\w*|ExC)?"
    r"|cudaLaunchDevice(?:V2)?|cudaGetParameterBuffer(?:V2)?)\s*\("
    r"|\b(?P<runtime>(?:cuda|hip)(?:DeviceSynchronize|StreamCreateWithFlags|StreamDestroy|EventCreateWithFlags))\s*\("
    r"|\b(?P<stream>cudaStream(?:TailLaunch|FireAndForget)\w*)\b"
)
_FOR_DEVICE = ("__global__", "__device__", "cudaStreamTailLaunch", "cudaStreamFireAndForget")
_RUNTIME = "`{match}` in device code belongs to dynamic parallelism, which HIP does not support"


_KERNEL = re.compile(r"\b(?P<kernel>[A-Za-z_]\w*)\s*(?:<[^<>;{}]*>\s*)?\Z")
_LONGEST_NAME = 200


class DeviceLaunch:
    """`<<<…>>>` and calls of the run time in functions that only the device runs."""

    name = "device-launch"
    needles = (
        *("<<<", "LaunchKernel", "LaunchDevice", "GetParameterBuffer", "DeviceSynchronize"),
        *("StreamCreateWithFlags", "StreamDestroy", "StreamTailLaunch", "StreamFireAndForget"),
    )
    also = _FOR_DEVICE

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile) or not any(word in file.code for word in _FOR_DEVICE):
            return
        for found, _, _ in file.search(_CHEVRONS):
            function = file.functions.at(found.start())
            if function is not None and _is_on_device(function, found):
                yield from _launch(file, found)
        for found, line, column in file.search(_CALL):
            function = None if found["stream"] else file.functions.at(found.start())
            if found["stream"] or (function is not None and _is_on_device(function, found)):
                text = found[0].split("\n")[0].rstrip().rstrip("( ")
                message = None if found["call"] else _RUNTIME
                yield Match(line, column, column + len(text), " ".join(text.split()), message=message)


def _launch(file: CFile, found: re.Match[str]) -> Iterator[Match]:
    """`kernel<<<`, from the name on."""
    named = _KERNEL.search(file.code, max(0, found.start() - _LONGEST_NAME), found.start())
    if named is not None:
        line, column = file.lexed.place(named.start())
        text = file.code[named.start() : found.end()].split("\n")[0].rstrip()
        yield Match(line, column, column + len(text), " ".join(text.split()))


def _is_on_device(function: Function, found: re.Match[str]) -> bool:
    return found.start() >= function.start and function.is_device_only


DETECTOR: Detector = DeviceLaunch()
