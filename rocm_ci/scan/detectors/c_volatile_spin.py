"""A flag that a kernel polls through `volatile`, with nothing that orders the data behind it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_CAST = re.compile(
    r"\bwhile\s*\(\s*(?:!\s*)?(?P<what>\*?\s*\(\s*(?:const\s+)?volatile\s+[\w: ]+\*?\s*\)[^;{}]*)"
)
_POINTER = re.compile(
    r"\bvolatile\s+(?:unsigned\s+)?\w+\s*\*\s*(?:const\s+|__restrict__\s+)?(?P<name>\w+)|\b\w+\s+volatile\s*\*\s*(?P<other>\w+)"
)
_ORDERS = re.compile(
    r"__threadfence\w*\s*\(|__hip_atomic_|__scoped_atomic_|__atomic_|__builtin_amdgcn_fence|\batomic(?:Add|CAS|Exch|Or|Load)\w*\s*\(|memory_order|\basm\b"
)


class VolatileSpin:
    """`while (*(volatile int*)flag == 0)` in a device function without a fence or an atomic."""

    name = "volatile-spin"
    needles = ("volatile",)
    also = ("__global__", "__device__")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        for function in file.functions.all:
            if not function.is_device_only or _ORDERS.search(file.code, function.start, function.end):
                continue
            patterns = [_CAST]
            names = {
                f["name"] or f["other"] for f in _POINTER.finditer(file.code, function.header, function.end)
            }
            if names:
                either = "|".join(sorted(map(re.escape, names)))
                patterns.append(
                    re.compile(rf"\bwhile\s*\(\s*(?:!\s*)?(?P<what>\*?\s*(?:{either})\b[^;{{}}]*)")
                )
            for pattern in patterns:
                for found in pattern.finditer(file.code, function.start, function.end):
                    line, column = file.lexed.place(found.start())
                    if file.guard_at(line) is Guard.NONE:
                        yield Match(line, column, column + len("while"), "while")


DETECTOR: Detector = VolatileSpin()
