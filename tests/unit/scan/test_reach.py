"""Findings in files that ROCm never builds or reaches become notes; whatever may be built there stays."""

from __future__ import annotations

import pytest

from rocm_ci.model.finding import Severity
from tests.unit.scan.trees import scan_all

KERNEL = "#include <mma.h>\n__global__ void k(int *p) { *p = 1; }\n"
# Every project here knows of ROCm somewhere, unless a test says otherwise.
VLLM = """
if(HIP_FOUND)
  set(VLLM_GPU_LANG "HIP")
else()
  set(VLLM_GPU_LANG "CUDA")
endif()
set(VLLM_EXT_SRC
  "csrc/common.cu")
if(VLLM_GPU_LANG STREQUAL "CUDA")
  list(APPEND VLLM_EXT_SRC
    "csrc/marlin.cu")
  set(FP4_SRCS "csrc/fp4.cu")
  list(APPEND VLLM_EXT_SRC ${FP4_SRCS})
endif()
if(VLLM_GPU_LANG STREQUAL "HIP")
  list(APPEND VLLM_EXT_SRC "csrc/both.cu" "csrc/skinny.cu")
else()
  list(APPEND VLLM_EXT_SRC "csrc/both.cu")
endif()
define_gpu_extension_target(_C LANGUAGE ${VLLM_GPU_LANG} SOURCES ${VLLM_EXT_SRC} WITH_SOABI)
"""


def severities(files: dict[str, str | bytes]) -> dict[str, Severity]:
    """The worst finding of every file that has one."""
    worst: dict[str, Severity] = {}
    for finding in scan_all(files).findings:
        worst[finding.path] = max(finding.severity, worst.get(finding.path, Severity.NOTE))
    return worst


def with_kernels(build: str, text: str, *paths: str) -> dict[str, str | bytes]:
    return {build: text, **dict.fromkeys(paths, KERNEL)}


def test_a_source_that_cmake_lists_for_cuda_only_has_notes_that_say_where() -> None:
    found = scan_all(with_kernels("CMakeLists.txt", VLLM, "csrc/marlin.cu", "csrc/fp4.cu")).findings

    assert {(f.path, f.severity) for f in found} == {
        ("csrc/marlin.cu", Severity.NOTE),
        ("csrc/fp4.cu", Severity.NOTE),
    }
    assert {f.message.rpartition("(")[2] for f in found} == {
        "not built for ROCm: CMakeLists.txt:11)",
        "not built for ROCm: CMakeLists.txt:12)",
    }


@pytest.mark.parametrize("path", ["csrc/common.cu", "csrc/both.cu", "csrc/skinny.cu", "csrc/unlisted.cu"])
def test_a_source_of_the_common_list_of_both_branches_of_rocm_or_of_no_list_keeps_its_errors(
    path: str,
) -> None:
    assert severities(with_kernels("CMakeLists.txt", VLLM, path)) == {path: Severity.ERROR}


def test_where_no_build_file_knows_of_rocm_all_is_to_be_ported() -> None:
    text = "if(USE_CUDA)\n  add_library(k csrc/k.cu)\nendif()\n"

    assert severities(with_kernels("CMakeLists.txt", text, "csrc/k.cu")) == {"csrc/k.cu": Severity.ERROR}
    text += "if(USE_ROCM)\n  find_package(hip)\nendif()\n"
    assert severities(with_kernels("CMakeLists.txt", text, "csrc/k.cu")) == {"csrc/k.cu": Severity.NOTE}


def test_the_same_sources_globbed_for_a_hip_backend_keep_their_errors() -> None:
    files: dict[str, str | bytes] = {
        "CMakeLists.txt": "if(GGML_CUDA)\n add_subdirectory(ggml-cuda)\nendif()\n"
        "if(GGML_HIP)\n add_subdirectory(ggml-hip)\nendif()\n",
        "ggml-cuda/CMakeLists.txt": 'file(GLOB GGML_SOURCES_CUDA "*.cu")\n'
        'file(GLOB SRCS "template-instances/mmq*.cu")\nlist(APPEND GGML_SOURCES_CUDA ${SRCS})\n'
        "ggml_add_backend_library(ggml-cuda ${GGML_SOURCES_CUDA})\n",
        "ggml-hip/CMakeLists.txt": 'file(GLOB GGML_SOURCES_ROCM "../ggml-cuda/*.cu")\n'
        "ggml_add_backend_library(ggml-hip ${GGML_SOURCES_ROCM})\n",
        "ggml-cuda/mmq.cu": KERNEL,
        "ggml-cuda/template-instances/mmq-1.cu": KERNEL,
    }

    found = severities(files)
    assert found["ggml-cuda/mmq.cu"] is Severity.ERROR
    assert found["ggml-cuda/template-instances/mmq-1.cu"] is Severity.NOTE


def test_sources_that_hipify_renames_for_the_rocm_branch_keep_their_errors() -> None:
    text = """
file(GLOB native_cuda_cu "native/cuda/*.cu")
file(GLOB native_hip_hip "native/hip/*.hip")
if(USE_CUDA)
  list(APPEND ATen_CUDA_SRCS ${native_cuda_cu})
endif()
if(USE_ROCM)
  list(APPEND ATen_HIP_SRCS ${native_hip_hip})
endif()
if(USE_CUDA)
  cuda_add_library(aten ${ATen_CUDA_SRCS})
endif()
if(USE_ROCM)
  hip_add_library(aten ${ATen_HIP_SRCS})
endif()
"""
    files = with_kernels("aten/CMakeLists.txt", text, "aten/native/cuda/Sort.cu", "aten/native/cuda_only.cu")
    assert severities(files)["aten/native/cuda/Sort.cu"] is Severity.ERROR


def test_a_folder_that_hipify_writes_for_rocm_excuses_nothing_in_the_one_it_is_written_from() -> None:
    files: dict[str, str | bytes] = {
        "CMakeLists.txt": "if(USE_ROCM)\n add_subdirectory(gpu-rocm)\nelse()\n add_subdirectory(gpu)\nendif()\n",
        "gpu/CMakeLists.txt": "add_library(gpu k.cu)\n",
        "gpu/k.cu": KERNEL,
    }
    assert severities(files) == {"gpu/k.cu": Severity.ERROR}
    files["gpu-rocm/CMakeLists.txt"] = "add_library(gpu k.hip)\n"
    files["gpu-rocm/k.hip"] = "int x;\n"
    assert severities(files).get("gpu/k.cu", Severity.NOTE) is Severity.NOTE


XFORMERS = """
import glob, os
import torch
from torch.utils.cpp_extension import CUDA_HOME, CUDAExtension, CppExtension

def get_extensions():
    extensions_dir = os.path.join("xformers", "csrc")
    sources = glob.glob(os.path.join(extensions_dir, "**", "*.cpp"), recursive=True)
    source_cuda = glob.glob(os.path.join(extensions_dir, "**", "*.cu"), recursive=True)
    source_hip = glob.glob(os.path.join(extensions_dir, "attention", "hip_*", "**", "*.cu"), recursive=True)
    source_cuda = list(set(source_cuda) - set(source_hip))
    extension = CppExtension
    if (
        torch.cuda.is_available() and CUDA_HOME is not None and torch.version.cuda is not None
    ) or os.getenv("FORCE_CUDA", "0") == "1":
        extension = CUDAExtension
        sources += source_cuda
    elif torch.version.hip:
        extension = CUDAExtension
        sources += source_hip
    return [extension("xformers._C", sorted(sources))]
"""


def test_globs_of_setup_py_are_followed_to_the_branch_that_uses_them() -> None:
    found = severities(
        with_kernels(
            "setup.py",
            XFORMERS,
            "xformers/csrc/sparse24/gemm.cu",
            "xformers/csrc/attention/hip_fmha/fmha.cu",
            "xformers/csrc/ops.cpp",
        )
    )
    assert found["xformers/csrc/sparse24/gemm.cu"] is Severity.NOTE
    assert found["xformers/csrc/attention/hip_fmha/fmha.cu"] is Severity.ERROR
    assert found["xformers/csrc/ops.cpp"] is Severity.ERROR


FLASH = """
import os
from torch.utils.cpp_extension import CUDAExtension, IS_HIP_EXTENSION

IS_ROCM = IS_HIP_EXTENSION
ext_modules = []
if not IS_ROCM:
    ext_modules.append(CUDAExtension(name="flash", sources=["csrc/flash_attn/api.cpp", "csrc/flash_attn/fwd.cu"]))
else:
    sources = ["csrc/flash_attn_ck/api.cpp"]
    ext_modules.append(CUDAExtension(name="flash", sources=sources))
setup(ext_modules=ext_modules)
"""


def test_extensions_that_setup_py_makes_for_cuda_only_have_notes() -> None:
    paths = ("csrc/flash_attn/api.cpp", "csrc/flash_attn/fwd.cu", "csrc/flash_attn_ck/api.cpp")
    found = severities(with_kernels("setup.py", FLASH, *paths))

    assert found == dict(zip(paths, (Severity.NOTE, Severity.NOTE, Severity.ERROR), strict=True))


BUILDER = """
from .builder import CUDAOpBuilder

class FusedBuilder(CUDAOpBuilder):
    def sources(self):
        found = ["csrc/fused/common.cu"]
        if not self.is_rocm_pytorch():
            found.append("csrc/fused/cutlass.cu")
        return found

    def more_sources(self):
        if self.is_rocm_pytorch():
            return ["csrc/fused/hip.cu"]
        return ["csrc/fused/late.cu"]
"""


def test_sources_of_op_builders_follow_their_guards_and_early_returns() -> None:
    names = ("common", "cutlass", "hip", "late")
    found = severities(with_kernels("op_builder/fused.py", BUILDER, *(f"csrc/fused/{n}.cu" for n in names)))

    assert [found[f"csrc/fused/{n}.cu"] for n in names] == [
        Severity.ERROR,
        Severity.NOTE,
        Severity.ERROR,
        Severity.NOTE,
    ]


def test_sources_of_an_op_builder_that_refuses_rocm_have_notes() -> None:
    builder = """
class Common(Builder):
    def sources(self):
        return ["csrc/common.cu"]

    def is_compatible(self, verbose=False):
        if self.is_rocm_pytorch():
            self.warning("slow on ROCm")
        return super().is_compatible(verbose)

class Gds(Builder):
    def lib_sources(self):
        return super().lib_sources() + ["csrc/gds.cu"]

    def is_compatible(self, verbose=False):
        if self.is_rocm_pytorch():
            if verbose:
                self.warning("not compatible with ROCm")
            return False
        return super().is_compatible(verbose)
"""

    found = severities(with_kernels("op_builder/gds.py", builder, "csrc/common.cu", "csrc/gds.cu"))

    assert found == {"csrc/common.cu": Severity.ERROR, "csrc/gds.cu": Severity.NOTE}


def test_a_source_of_the_same_name_elsewhere_is_not_what_a_build_file_names() -> None:
    files = with_kernels("op_builder/fused.py", BUILDER, "csrc/fused/late.cu", "other/csrc/fused/late.cu")

    assert severities(files)["other/csrc/fused/late.cu"] is Severity.ERROR
    files |= with_kernels("hopper/setup.py", "CUDAExtension(sources=['late.cu'])\n", "hopper/late.cu")
    assert severities(files)["csrc/fused/late.cu"] is Severity.NOTE
    files |= with_kernels("hopper/setup.py", "CUDAExtension(sources=['fused/late.cu'])\n", "hopper/other.cu")
    assert severities(files)["csrc/fused/late.cu"] is Severity.ERROR


# headers


def test_a_header_is_excused_with_all_that_include_it() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/tile.cuh", "csrc/inner.cuh")
    files["csrc/marlin.cu"] = '#include "tile.cuh"\n'
    files["csrc/tile.cuh"] = f'#include "inner.cuh"\n{KERNEL}'

    found = scan_all(files).findings
    assert {f.path for f in found} == {"csrc/tile.cuh", "csrc/inner.cuh"}
    assert {f.severity for f in found} == {Severity.NOTE}
    assert all("csrc/marlin.cu" in f.message and "CMakeLists.txt:11" in f.message for f in found)


def test_a_header_that_a_common_source_includes_keeps_its_errors() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/tile.cuh")
    files["csrc/marlin.cu"] = '#include "tile.cuh"\n'
    files["csrc/common.cu"] = '#include "tile.cuh"\n'

    assert severities(files) == {"csrc/tile.cuh": Severity.ERROR}


def test_a_header_that_a_common_source_includes_for_cuda_only_is_excused() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/tile.cuh", "csrc/deep.cuh")
    files["csrc/common.cu"] = '#ifndef USE_ROCM\n#include "tile.cuh"\n#endif\n'
    files["csrc/tile.cuh"] = '#include "deep.cuh"\n'

    found = scan_all(files).findings
    assert [(f.path, f.severity) for f in found] == [("csrc/deep.cuh", Severity.NOTE)]
    assert "csrc/common.cu:2" in found[0].message


def test_a_header_that_nobody_includes_or_that_an_unlisted_source_does_keeps_its_errors() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/alone.cuh", "csrc/tile.cuh")
    files["csrc/marlin.cu"] = '#include "tile.cuh"\n'
    files["tests/test_tile.cu"] = '#include "../csrc/tile.cuh"\n'

    assert severities(files) == {"csrc/alone.cuh": Severity.ERROR, "csrc/tile.cuh": Severity.ERROR}


def test_an_include_that_is_commented_out_excuses_nothing() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/old.cuh")
    files["csrc/common.cu"] = '/*\n#include "old.cuh"\n*/\nint x;\n'

    assert severities(files) == {"csrc/old.cuh": Severity.ERROR}


def test_headers_that_include_each_other_are_excused_with_the_only_source_that_includes_one() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/a.cuh")
    files["csrc/a.cuh"] = f'#pragma once\n#include "b.cuh"\n{KERNEL}'
    files["csrc/b.cuh"] = '#pragma once\n#include "a.cuh"\n'
    files["csrc/marlin.cu"] = '#include "a.cuh"\n'

    assert severities(files) == {"csrc/a.cuh": Severity.NOTE}


def test_a_script_that_writes_sources_counts_as_what_runs_it_says() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/marlin/template.h")
    files["csrc/marlin/generate.py"] = "HEAD = '#include \"template.h\"'\n"
    files["csrc/marlin/kernel.h"] = "int x;\n"
    files["csrc/marlin.cu"] = '#include "marlin/template.h"\n'
    assert severities(files) == {"csrc/marlin/template.h": Severity.NOTE}  # nothing runs it
    files["Makefile"] = "all:\n\tpython3 csrc/marlin/generate.py\n"
    assert severities(files) == {"csrc/marlin/template.h": Severity.ERROR}
    del files["Makefile"], files["csrc/marlin.cu"]
    assert severities(files) == {"csrc/marlin/template.h": Severity.ERROR}

    files["CMakeLists.txt"] = VLLM + (
        'if(VLLM_GPU_LANG STREQUAL "CUDA")\n'
        " set(GEN ${CMAKE_CURRENT_SOURCE_DIR}/csrc/marlin/generate.py)\n"
        " execute_process(COMMAND python3 ${GEN})\nendif()\n"
    )
    assert severities(files) == {"csrc/marlin/template.h": Severity.NOTE}


# hostile and broken build files


@pytest.mark.parametrize(
    "text",
    [
        "if(" * 3000,
        "set(A ${A})\nset(A ${B})\nset(B ${A})\nadd_library(x ${A})\n" * 200,
        "include(CMakeLists.txt)\nadd_subdirectory(.)\n",
        'file(GLOB X "' + "*" * 300 + '.cu")\nadd_library(x ${X})\nif(USE_ROCM)\nendif()\n',
        "list(APPEND",
        "set(X ${" * 2000,
    ],
)
def test_a_strange_cmake_file_costs_nothing_but_its_own_knowledge(text: str) -> None:
    assert severities(with_kernels("CMakeLists.txt", text, "a/k.cu")) == {"a/k.cu": Severity.ERROR}


def test_a_setup_py_that_cannot_be_understood_leaves_everything_as_it_is() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/marlin.cu")
    files["setup.py"] = "def f(:\n  'a.cu'\n"
    assert severities(files)["csrc/marlin.cu"] is Severity.ERROR

    files["setup.py"] = f"import torch\nx = {'[' * 90}'a.cu'{']' * 90}\n"
    assert severities(files)["csrc/marlin.cu"] is Severity.ERROR


def test_a_build_file_of_any_size_is_not_read() -> None:
    files = with_kernels("CMakeLists.txt", VLLM, "csrc/marlin.cu")
    files["cmake/huge.cmake"] = "# " + "x" * 700_000

    assert severities(files) == {"csrc/marlin.cu": Severity.ERROR}


REMOVED = """
file(GLOB SRCS csrc/*.cu csrc/{folder}/*.cu)
set(ONLY_CUDA csrc/turing.cu)
if(USE_ROCM)
  {command}
endif()
add_library(ext ${{SRCS}})
"""


@pytest.mark.parametrize(
    ("command", "removed"),
    [
        ("list(REMOVE_ITEM SRCS csrc/hopper.cu)", {"csrc/hopper.cu"}),
        (
            "list(REMOVE_ITEM SRCS ${CMAKE_CURRENT_SOURCE_DIR}/csrc/hopper.cu ${ONLY_CUDA})",
            {"csrc/hopper.cu", "csrc/turing.cu"},
        ),
        ('list(FILTER SRCS EXCLUDE REGEX ".*/sm90/.*")', {"csrc/sm90/wide.cu"}),
        ('list(FILTER SRCS EXCLUDE REGEX "hopper\\\\.cu$")', {"csrc/hopper.cu"}),
        ('list(FILTER SRCS INCLUDE REGEX "hopper")', set()),
        ('list(FILTER SRCS EXCLUDE REGEX "(a+)+$")', set()),
        ("list(REMOVE_ITEM OTHERS csrc/hopper.cu)", set()),
        ("list(REMOVE_ITEM SRCS csrc/hopper.cu)\n  list(APPEND SRCS csrc/hopper.cu)", set()),
    ],
)
def test_what_is_taken_out_of_a_list_for_rocm_is_not_built_there(command: str, removed: set[str]) -> None:
    paths = ("csrc/common.cu", "csrc/hopper.cu", "csrc/turing.cu", "csrc/sm90/wide.cu")
    text = REMOVED.format(folder="sm90", command=command)

    worst = severities(with_kernels("CMakeLists.txt", text, *paths))

    assert {path for path, severity in worst.items() if severity is Severity.NOTE} == removed


def test_what_is_taken_out_of_a_list_for_every_backend_says_nothing_about_rocm() -> None:
    text = REMOVED.format(folder="x", command="").replace(
        "add_library", "list(REMOVE_ITEM SRCS csrc/hopper.cu)\nadd_library"
    )

    assert severities(with_kernels("CMakeLists.txt", text, "csrc/hopper.cu")) == {
        "csrc/hopper.cu": Severity.ERROR
    }


def test_a_source_that_setup_py_takes_out_for_rocm_has_notes() -> None:
    text = """
import torch
from setuptools import setup
sources = ["csrc/common.cu", "csrc/hopper.cu"]
if torch.version.hip:
    sources.remove("csrc/hopper.cu")
setup(ext_modules=[make_extension("ext", sources)])
"""

    worst = severities(with_kernels("setup.py", text, "csrc/common.cu", "csrc/hopper.cu"))

    assert worst == {"csrc/common.cu": Severity.ERROR, "csrc/hopper.cu": Severity.NOTE}


SETUP = """
import glob, os.path as osp
import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

BUILD_NO_CUDA = os.getenv("BUILD_NO_CUDA", "0") == "1"

def get_extensions():
    folder = osp.join("pkg", "cuda", "csrc")
    {sources}
    sources = [path for path in sources if "hip" not in path]
    macros = [("USE_ROCM", None)] if torch.version.hip else []
    return [CUDAExtension("pkg.csrc", sources, define_macros=macros)]

setup(ext_modules=get_extensions() if {condition} else [])
"""
CUDA_PROJECT = """
project(pkg LANGUAGES CXX CUDA)
file(GLOB_RECURSE SOURCES ${CMAKE_SOURCE_DIR}/*.cu)
add_library(pkg STATIC ${SOURCES})
"""


@pytest.mark.parametrize(
    "sources",
    [
        'sources = glob.glob(osp.join(folder, "*.cu")) + glob.glob(osp.join(folder, "*.cpp"))',
        'sources = list(glob.glob("pkg/cuda/csrc/*.cu")) + list(glob.glob("pkg/cuda/csrc/*.cpp"))',
        'sources = ["pkg/cuda/csrc/k.cu"] + glob.glob(osp.join(folder, "*.cpp"))',
        'cu = glob.glob("pkg/cuda/csrc/*.cu")\n    cpp = glob.glob("pkg/cuda/csrc/*.cpp")\n    sources = cu + cpp',
    ],
)
@pytest.mark.parametrize(
    ("condition", "severity"),
    [("not BUILD_NO_CUDA", Severity.ERROR), ("torch.version.cuda", Severity.NOTE)],
)
def test_a_source_that_one_build_file_makes_for_both_is_built_whatever_another_says(
    sources: str, condition: str, severity: Severity
) -> None:
    setup = SETUP.replace("{sources}", sources).replace("{condition}", condition)
    files: dict[str, str | bytes] = {
        "setup.py": setup,
        "pkg/cuda/csrc/CMakeLists.txt": CUDA_PROJECT,
        "pkg/cuda/csrc/k.cu": KERNEL,
    }

    assert severities(files)["pkg/cuda/csrc/k.cu"] is severity
