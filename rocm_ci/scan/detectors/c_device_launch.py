"""Kernels that launch kernels: HIP has no launch from the device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_KERNEL = re.compile(r"\b__global__\b[^;{}]*\{")
_LAUNCH = re.compile(r"\b\w+\s*(?:<[^<>;{}]*>\s*)?<<<")
_BRACE = re.compile(r"[{}]")


class DeviceLaunch:
    """`<<<…>>>` inside the body of a `__global__` function."""

    name = "device-launch"
    needles = ("<<<",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        for kernel, _, _ in file.search(_KERNEL):
            for launch in _LAUNCH.finditer(file.code, kernel.end(), _end_of_body(file.code, kernel.end())):
                line, column = file.lexed.place(launch.start())
                text = launch[0].split("\n")[0]
                yield Match(line, column, column + len(text), " ".join(launch[0].split()))


def _end_of_body(code: str, start: int) -> int:
    """The closing brace, or one in the first column: branches of `#if` may open more than they close."""
    depth = 1
    outer = code.find("\n}", start)
    for found in _BRACE.finditer(code, start):
        depth += 1 if found[0] == "{" else -1
        if not depth or found.start() - 1 == outer:
            return found.start()
    return len(code)


DETECTOR: Detector = DeviceLaunch()
