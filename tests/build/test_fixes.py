"""What `scan --fix` writes into C and HIP files compiles with the real hipcc where what stood there did not.

HIP here is older than the `_sync` functions, so those are declared as ROCm 7 does: a mask has 64 bits.
"""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.scan.engine import scan
from rocm_ci.scan.files import Folder
from rocm_ci.scan.fixes import fixes
from rocm_ci.scan.rulebook import RuleBook, shipped
from tests import require

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.changes import Changes
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.scanned import Scanned

pytestmark = pytest.mark.build

SYNC = """\
#pragma once
#include <hip/hip_runtime.h>
#define SYNC(name, lane) \\
  template <class M, class T> __device__ T name(M, T value, int) { \\
    static_assert(sizeof(M) == 8, "the mask must be a 64-bit integer"); \\
    return value; \\
  }
SYNC(__shfl_sync, 0)
SYNC(__shfl_xor_sync, 0)
SYNC(__shfl_down_sync, 0)
template <class M> __device__ unsigned long long __ballot_sync(M, int p) {
  static_assert(sizeof(M) == 8, "the mask must be a 64-bit integer");
  return __ballot(p);
}
"""
# What is only cut in silence is made loud, as a careful project does.
FLAGS = [
    "-fsyntax-only",
    "--offload-arch=gfx90a",
    "-std=c++17",
    "-include",
    "sync.h",
    "-Werror=shorten-64-to-32",
]

UNITS = {
    "runtime.hip": """\
#include <cuda_runtime.h>
void* grow(void* old, size_t n, cudaStream_t stream) {
  void* made = nullptr;
  if (cudaMalloc(&made, n) != cudaSuccess) return nullptr;
  cudaMemcpyAsync(made, old, n, cudaMemcpyDeviceToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaFree(old);
  return made;
}
""",
    "events.hip": """\
#include <cuda_runtime_api.h>
float took(cudaEvent_t a, cudaEvent_t b) {
  float ms = 0;
  return cudaEventElapsedTime(&ms, a, b) == cudaSuccess ? ms : -1;
}
int devices() { int n = 0; return cudaGetDeviceCount(&n) ? 0 : n; }
""",
    "properties.hip": """\
#include <hip/hip_runtime.h>
size_t memory() { cudaDeviceProp p; return cudaGetDeviceProperties(&p, 0) ? 0 : p.totalGlobalMem; }
const char* why(cudaError_t e) { return cudaGetErrorString(e); }
""",
    "driver.hip": """\
#include <cuda.h>
bool load(CUmodule* module, CUfunction* f, const void* image) {
  return cuInit(0) == CUDA_SUCCESS && cuModuleLoadData(module, image) == CUDA_SUCCESS &&
         cuModuleGetFunction(f, *module, "kernel") == CUDA_SUCCESS;
}
""",
    "half.hip": """\
#include <cuda_fp16.h>
__device__ __half twice(__half v) { return __hadd(v, v); }
""",
    "nvrtc.hip": """\
#include <nvrtc.h>
bool compile(const char* text) {
  nvrtcProgram program;
  return nvrtcCreateProgram(&program, text, "a", 0, nullptr, nullptr) == NVRTC_SUCCESS &&
         nvrtcCompileProgram(program, 0, nullptr) == NVRTC_SUCCESS;
}
""",
    "masks.hip": """\
__device__ float sum(float v) {
  v += __shfl_xor_sync(0xffffffff, v, 1);
  v += __shfl_xor_sync((unsigned)0xFFFFFFFFU, v, 2);
  return v + __shfl_down_sync(~0u, v, 4);
}
""",
    "named_mask.hip": """\
constexpr unsigned kAll = 0xffffffffu;
__device__ float sum(float v) { return v + __shfl_xor_sync(kAll, v, 1); }
""",
    "macro_mask.hip": """\
#define FULL_MASK 0xffffffff
__device__ float sum(float v) { return v + __shfl_xor_sync(FULL_MASK, v, 1); }
""",
    "local_mask.hip": """\
#include <cstdint>
__device__ float sum(float v) {
  const uint32_t mask = 0xffffffff;
  return v + __shfl_sync(mask, v, 0);
}
""",
    "votes.hip": """\
__device__ int count(bool b) {
  const unsigned votes = __ballot(b);
  if (votes == 0) return -1;
  return __popc(votes);
}
""",
    "ranks.hip": """\
__device__ int rank(bool b, int lane) {
  unsigned int votes = __ballot_sync(0xffffffffffffffffull, b);
  return __popc(votes & ((1u << lane) - 1));
}
""",
    "first.hip": """\
#include <cstdint>
__device__ int walk(bool b) {
  uint32_t votes = __ballot(b);
  int steps = 0;
  while (votes) {
    steps += __ffs(votes);
    votes &= votes - 1;
  }
  return steps;
}
""",
    "wrapped.hip": """\
__device__ int count(bool b) { return __popc(__ballot(b)); }
""",
    "kept.hip": """\
__device__ int first(bool b) {
  const unsigned long long votes = __ballot(b);
  return __ffs(votes) - 1;
}
""",
}


def rescan(source: FileSource, changes: Changes) -> Scanned:
    return scan(source, changes, ScanOptions(), ("gfx90a",), book=RuleBook(shipped()))


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same files as they are, and as the repairs leave them."""
    require.hipcc()
    before, after = (tmp_path_factory.mktemp(name) for name in ("before", "after"))
    for folder in (before, after):
        (folder / "sync.h").write_text(SYNC)
        for name, text in UNITS.items():
            (folder / name).write_text(text)
    changes = whole_tree(tuple(UNITS))
    source = Folder(before)
    found = fixes(source, changes, rescan(source, changes), rescan, unsafe=True)
    assert not found.refused
    for one in found.files:
        (after / one.path).write_bytes(one.after)
    return before, after


def errors(folder: Path, *names: str) -> str:
    """The compiler's errors; it stops at the first file that has some."""
    done = subprocess.run(
        ["hipcc", *FLAGS, *names],
        cwd=folder,
        env={**os.environ, "HIP_PLATFORM": "amd"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    told = "\n".join(line for line in done.stderr.splitlines() if "error:" in line)
    assert bool(told) == bool(done.returncode), done.stderr[-3000:]
    return told


def test_what_stood_there_does_not_compile(sides: tuple[Path, Path]) -> None:
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        told = dict(zip(UNITS, pool.map(lambda name: errors(sides[0], name), UNITS), strict=True))

    assert [name for name, text in told.items() if not text] == []


def test_what_the_repairs_leave_compiles(sides: tuple[Path, Path]) -> None:
    assert errors(sides[1], *UNITS) == ""


def test_nothing_is_left_to_find(sides: tuple[Path, Path]) -> None:
    left = rescan(Folder(sides[1]), whole_tree(tuple(UNITS))).findings

    assert [(f.path, f.line, f.rule) for f in left if f.severity.value == "error"] == []
