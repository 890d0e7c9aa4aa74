"""`__launch_bounds__` with a second argument, which counts something else on AMD."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments_and_end
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOUNDS = re.compile(r"__launch_bounds__(?<!define __launch_bounds__)(?<!\w__launch_bounds__)\s*\(")


class LaunchBounds:
    """A second argument of more than one, in code for both platforms."""

    name = "launch-bounds"
    needles = ("__launch_bounds__",)

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        for found, line, column in file.search(_BOUNDS, guards=(Guard.NONE,)):
            given, end = arguments_and_end(file.code, found.end())
            # One block, or one wave, is what there is anyway.
            if len(given) < 2 or file.constants.fold(given[1]).value in (0, 1) or "HIP" in given[1]:
                continue
            first = file.code[found.start() : end + 1].split("\n")[0]
            yield Match(line, column, column + len(first), f"__launch_bounds__({', '.join(given)})")


DETECTOR: Detector = LaunchBounds()
