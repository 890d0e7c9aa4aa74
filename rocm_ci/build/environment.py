"""The environment of a build: AMD platform, the arch list in every spelling, job count, compiler cache."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Each build system reads its own variable; all say the same. Separators as each of them expects.
_ARCH_VARIABLES = {
    "PYTORCH_ROCM_ARCH": ";",  # torch.utils.cpp_extension, and what is built on it
    "GPU_ARCHS": ";",  # aiter, flash-attention
    "HIP_ARCHITECTURES": " ",  # xFormers
    "BNB_ROCM_ARCH": ";",  # bitsandbytes
    "CMAKE_HIP_ARCHITECTURES": ";",
    "AMDGPU_TARGETS": ";",
    "GPU_TARGETS": ";",
}
_LAUNCHERS = ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_HIP_COMPILER_LAUNCHER")
_BYTES_PER_JOB = 2_000_000_000


def environment(
    base: Mapping[str, str],
    *,
    root: Path,
    archs: tuple[str, ...],
    jobs: int,
    cache: Path,
    own: Mapping[str, str],
) -> dict[str, str]:
    """What a build command gets, from the child environment `base` and the step's `own` variables.

    HIP_PLATFORM is always `amd`, whatever a step says: with nvcc on the machine hipcc would build for
    NVIDIA. HCC_AMDGPU_TARGET is left alone on purpose: it would hide a call of hipcc that names no target.
    With ccache on PATH, CMake uses it, in the folder `cache` unless CCACHE_DIR names another one; paths
    below `root` count as equal, so that the merge base's build finds what the head's has compiled.
    """
    values = dict(base)
    values |= {name: sign.join(archs) for name, sign in _ARCH_VARIABLES.items()}
    values["ROCM_CI_OFFLOAD_FLAGS"] = " ".join(offload_flags(archs))
    values |= {"MAX_JOBS": str(jobs), "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs)}
    # The messages of gcc and ld are translated; ours are read in English.
    values |= {"LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1", "GIT_TERMINAL_PROMPT": "0"}
    ccache = shutil.which("ccache", path=base.get("PATH", ""))
    if ccache and "CCACHE_DISABLE" not in values:
        for name in _LAUNCHERS:
            values.setdefault(name, ccache)
        if "CCACHE_DIR" not in values:
            values |= {"CCACHE_DIR": str(cache), "CCACHE_BASEDIR": str(root), "CCACHE_NOHASHDIR": "1"}
    return values | dict(own) | {"HIP_PLATFORM": "amd"}


def offload_flags(archs: tuple[str, ...]) -> list[str]:
    """What hipcc must be told."""
    return [f"--offload-arch={arch}" for arch in archs]


def jobs(wanted: int, *, cpus: int | None, memory_bytes: int | None) -> int:
    """How many compilers may run at once: as wanted, or one per processor as far as memory allows."""
    if wanted:
        return wanted
    count = cpus or len(os.sched_getaffinity(0))
    return max(1, min(count, memory_bytes // _BYTES_PER_JOB) if memory_bytes else count)
