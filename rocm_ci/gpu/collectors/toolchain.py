"""Versions of the host's build tools."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rocm_ci.gpu.observation import Collector, Observation
from rocm_ci.gpu.quantity import version
from rocm_ci.gpu.reader import Tool

if TYPE_CHECKING:
    from rocm_ci.gpu.reader import Reader

# Tool → the shape of what `--version` prints. gcc's first line is searched past the packager's brackets.
_SHAPES = {
    "clang": r"^(?:\w+ )?(?:AMD )?clang version (\d[\w.+~-]{0,60})",
    "gcc": r"^gcc[\w.-]* \([^)\n]*\) (\d[\d.]{0,40})",
    "g++": r"^g\+\+[\w.-]* \([^)\n]*\) (\d[\d.]{0,40})",
    "cmake": r"^cmake version (\d[\w.+-]{0,40})",
    "ninja": r"^(\d+\.\d+\.\d+[\w.]{0,40})$",
    "ccache": r"^ccache version (\d[\w.+-]{0,40})",
    "git": r"^git version (\d[\w.+-]{0,40})",
    # Only that it is there matters: hipcc and hipconfig then choose the NVIDIA platform.
    "nvcc": r"^Cuda compilation tools, release (\d[\d.]{0,20})",
    "docker": r"^Docker version (\d[\w.+-]{0,40})",
}
# A bare number is ninja's output only if it was asked; as a recording it could be anything.
_UNNAMED = {"ninja", "clang"}


def collect(reader: Reader) -> Observation:
    """One `--version` per tool, side by side: their start-up is most of the cost."""
    with ThreadPoolExecutor(max_workers=len(_SHAPES)) as pool:
        found = list(pool.map(lambda item: _ask(reader, *item), _SHAPES.items()))
    return Observation(source="tools", tools={name: text for name, text in found if text})


def _ask(reader: Reader, name: str, shape: str) -> tuple[str, str | None]:
    pattern = re.compile(shape, re.MULTILINE)
    tool = Tool(
        name=name,
        commands=((name, "--version"),),
        recognise=lambda text: name not in _UNNAMED and bool(pattern.search(text[:4000])),
        timeout_s=4.0,
    )
    for output in reader.ask(tool).outputs:
        found = pattern.search(output.text[:4000])
        if found and output.exit_code in (0, None):
            return name, version(found.group(1)) or found.group(1)
    return name, None


COLLECTOR: Collector = Collector(name="toolchain", collect=collect)
