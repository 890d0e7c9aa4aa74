"""Findings that are only notes, because AMD's compiler never sees the file as it is."""

from __future__ import annotations

import pytest

from rocm_ci.model.finding import Severity
from rocm_ci.model.scan_note import NoteKind
from tests.unit.scan.trees import scan_all

MASK = "__device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 1); }\n"
CALL = "void g() { cudaFree(0); }\n"
HEADER = "#include <cuda_runtime.h>\n"


def loud(files: dict[str, str]) -> set[str]:
    return {f.topic.value for f in scan_all(files).findings if f.severity > Severity.NOTE}


@pytest.mark.parametrize("folder", ["ggml-sycl", "src/vulkan", "backend_opencl", "csrc/xpu/deep", "metal"])
def test_in_the_folder_of_another_backend_only_headers_count(folder: str) -> None:
    found = scan_all({f"{folder}/a.cpp": HEADER + CALL + MASK}).findings

    assert {f.topic.value for f in found if f.severity > Severity.NOTE} == {"cuda-include"}
    assert any("backend)" in f.message for f in found)


def test_code_for_the_cpu_is_compiled_everywhere_but_has_no_lanes() -> None:
    topics = loud({"csrc/cpu/a.cpp": HEADER + CALL + MASK})

    assert "cuda-api" in topics
    assert "warp-size" not in topics


@pytest.mark.parametrize(
    "folder", ["sycl_and_cuda", "gpu", "csrc/kernels/cpu_gpu", "metallic", "npu_free/cuda_x"]
)
def test_a_name_that_also_means_the_gpu_excuses_nothing(folder: str) -> None:
    assert "warp-size" in loud({f"{folder}/a.hip": MASK})


def test_a_file_that_includes_sycl_is_one_of_its_backend() -> None:
    assert loud({"a.cpp": f"#include <sycl/sycl.hpp>\n{CALL}"}) == set()
    guarded = f"#ifndef A_H\n#define A_H\n#include <sycl/sycl.hpp>\n{CALL}#endif\n"
    assert loud({"a.h": guarded}) == set()
    assert "cuda-api" in loud({"a.cpp": f"#ifdef USE_SYCL\n#include <sycl/sycl.hpp>\n#endif\n{CALL}"})


def test_in_a_file_that_needs_cutlass_the_first_include_counts_and_the_rest_follows_from_it() -> None:
    text = "#include <cutlass/cutlass.h>\n#include <cute/tensor.hpp>\nusing cute::Tensor;\n" + MASK + CALL
    found = scan_all({"a.hip": text}).findings

    assert [(f.line, f.topic.value) for f in found if f.severity > Severity.NOTE] == [
        (1, "cuda-include"),
        (5, "cuda-api"),
    ]
    assert all("needs CUTLASS, see line 1" in f.message for f in found if f.severity is Severity.NOTE)


def test_a_guarded_include_of_cutlass_excuses_nothing() -> None:
    text = "#ifndef USE_ROCM\n#include <cutlass/cutlass.h>\n#endif\n" + MASK

    assert "warp-size" in loud({"a.hip": text})


def test_a_copy_is_told_with_the_file_it_is_a_copy_of() -> None:
    text = CALL + "// " + "a long file " * 200 + "\n"
    done = scan_all({"a/x.cpp": text, "b/x.cpp": text, "c/y.cpp": text, "d/x.cpp": text + "\n"})

    assert [f.path for f in done.findings] == ["a/x.cpp", "c/y.cpp", "d/x.cpp"]
    assert [(n.kind, n.path) for n in done.notes] == [(NoteKind.COPY, "b/x.cpp")]
    assert "a/x.cpp" in done.notes[0].reason


def test_small_files_that_are_the_same_are_no_copies() -> None:
    assert len(scan_all({"a/x.cpp": CALL, "b/x.cpp": CALL}).findings) == 2
