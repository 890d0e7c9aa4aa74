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


BALLOT = "template <typename T>\n__device__ int f(T v) { return __popc(__ballot_sync(0xffffffff, v > 0)); }\n"


def test_a_template_that_is_used_for_cuda_only_has_no_instance_on_amd() -> None:
    text = BALLOT + "#ifndef USE_ROCM\n__global__ void k(int* p) { *p = f<int>(1); }\n#endif\n"
    found = scan_all({"a.cu": text}).findings

    assert found
    assert all(f.severity is Severity.NOTE for f in found if f.line == 2)
    assert any("used for CUDA only, in line 4" in f.message for f in found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.cu", BALLOT),
        ("a.cu", BALLOT + "__global__ void k(int* p) { *p = f<int>(1); }\n"),
        ("a.cuh", BALLOT + "#ifndef USE_ROCM\n__global__ void k(int* p) { *p = f<int>(1); }\n#endif\n"),
        (
            "a.cu",
            BALLOT.partition("\n")[2].replace("T v", "int v")
            + "#ifndef USE_ROCM\nint g() { return f(1); }\n#endif\n",
        ),
    ],
)
def test_what_may_have_an_instance_or_needs_none_counts(path: str, text: str) -> None:
    assert "warp-size" in loud({path: text})


def test_the_bound_of_a_saturating_conversion_is_no_scale() -> None:
    limit = "__device__ char f(float v) {\n  constexpr float kFp8Max = 448.0f;\n"

    assert "precision" in loud({"a.hip": limit + "  return to_fp8(v * kFp8Max);\n}\n"})
    assert "precision" in loud({"a.hip": limit + "  return to_fp8(v, fmaxf(amax(v), 1e-6f) / kFp8Max);\n}\n"})
    assert "precision" not in loud(
        {"a.hip": limit + "  return to_fp8(fminf(fmaxf(v, -kFp8Max), kFp8Max));\n}\n"}
    )
