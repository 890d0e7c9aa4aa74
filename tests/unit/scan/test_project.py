"""What the files around one make of its names: shims, forced headers, translation, twins."""

from __future__ import annotations

import pytest

from rocm_ci.model.finding import Severity
from tests.unit.scan.trees import scan_all

SHIM = "#pragma once\n#define cudaFree hipFree\n#define cudaStream_t hipStream_t\n"
USE = "void f() { cudaFree(0); }\n"


def loud(files: dict[str, str]) -> list[str]:
    """Paths with an error or a warning of a CUDA name or header."""
    found = scan_all(files).findings
    topics = ("cuda-api", "cuda-include")
    return sorted({f.path for f in found if f.severity > Severity.NOTE and f.topic.value in topics})


@pytest.mark.parametrize(
    "shim",
    [
        "#define cudaFree hipFree\n",
        "#define cudaFree(p) \\\n  hipFree(p)\n",
        "inline hipError_t cudaFree(void* p) { return hipFree(p); }\n",
        "static inline hipError_t\ncudaFree(void* p)\n{\n  return hipFree(p);\n}\n",
        "constexpr auto& cudaFree = hipFree;\n",
        "#ifdef USE_ROCM\n#define cudaFree hipFree\n#endif\n",
        "#ifndef USE_CUDA\n#define cudaFree hipFree\n#endif\n",
    ],
)
def test_a_name_that_a_header_defines_is_legal_in_who_includes_it(shim: str) -> None:
    assert loud({"shim.h": shim, "mid.h": '#include "shim.h"\n', "a.cpp": f'#include "mid.h"\n{USE}'}) == []


@pytest.mark.parametrize(
    "shim",
    [
        "#ifdef USE_CUDA\n#define cudaFree tracked_free\n#endif\n",
        "#if !defined(USE_ROCM)\n#define cudaFree tracked_free\n#endif\n",
        "// #define cudaFree hipFree\n",
        "/*\n#define cudaFree hipFree\n*/\n",
        "#define cudaFreeHost hipFreeHost\n",
        "void g();\n",
    ],
)
def test_a_name_that_is_defined_for_nvidia_or_not_at_all_is_not(shim: str) -> None:
    assert "a.cpp" in loud({"shim.h": shim, "a.cpp": f'#include "shim.h"\n{USE}'})


@pytest.mark.parametrize(
    ("own", "use"),
    [
        ("struct cuDoubleComplex {\n  double x, y;\n};\n", "cuDoubleComplex z;\n"),
        ("union cuDoubleComplex\n{\n  double x[2];\n};\n", "cuDoubleComplex z;\n"),
        (
            "typedef enum {\n  CUDA_R_16F = 2,  // half\n  CUDA_R_32F,\n} cudaDataType;\n",
            "cudaDataType t = CUDA_R_32F;\n",
        ),
        ("enum class cudaDataType { CUDA_R_32F };\n", "auto t = cudaDataType::CUDA_R_32F;\n"),
        ("struct CUctx_st;\ntypedef CUctx_st* CUcontext;\n", "CUcontext c;\n"),
        (
            'extern "C" {\n  cudaError_t cudaFree(...) {\n    return 0;\n  }\n}\ntypedef int cudaError_t;\n',
            USE,
        ),
        ("using my::cudaStream_t;\n", "cudaStream_t s;\n"),
        ("typedef struct { int a; } cudaStream_t;\n", "cudaStream_t s;\n"),
    ],
)
def test_types_and_enumerators_that_the_project_declares_are_its_own(own: str, use: str) -> None:
    assert loud({"stub.h": own, "a.cpp": f'#include "stub.h"\n{use}'}) == []
    assert loud({"a.cpp": use}) == ["a.cpp"]


def test_a_header_may_rely_on_what_its_includer_includes_first() -> None:
    files = {"shim.h": SHIM, "k.cuh": USE, "a.cpp": '#include "shim.h"\n#include "k.cuh"\n'}

    assert loud(files) == []


def test_but_not_on_what_comes_after_it() -> None:
    files = {"shim.h": SHIM, "k.cuh": USE, "a.cpp": '#include "k.cuh"\n#include "shim.h"\n'}

    assert loud(files) == ["k.cuh"]


def test_it_may_rely_on_an_includer_of_its_includer() -> None:
    files = {
        "shim.h": SHIM,
        "deep/k.cuh": USE,
        "deep/all.cuh": '#include "k.cuh"\n',
        "a.cpp": '#include "shim.h"\n#include "deep/all.cuh"\n',
    }

    assert loud(files) == []


def test_headers_that_include_each_other_are_no_endless_search() -> None:
    files = {"a.cuh": f'#include "b.cuh"\n{USE}', "b.cuh": f'#include "a.cuh"\n{USE}'}

    assert loud(files) == ["a.cuh", "b.cuh"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "CMakeLists.txt",
            "target_compile_options(x PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/compat/shim.h)\n",
        ),
        ("CMakeLists.txt", 'set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -include compat/shim.h")\n'),
        ("CMakeLists.txt", "target_precompile_headers(x PRIVATE compat/shim.h)\n"),
        ("Makefile", "CXXFLAGS += -include compat/shim.h\n"),
        ("setup.py", "Extension('x', extra_compile_args=['-include', 'compat/shim.h'])\n"),
    ],
)
def test_a_header_that_the_build_puts_before_every_source_counts(name: str, text: str) -> None:
    files = {name: text, "compat/shim.h": SHIM, "src/deep/a.cpp": USE}

    assert loud(files) == []
    assert loud({**files, name: "# " + text}) == ["src/deep/a.cpp"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists.txt", "include_directories(${PROJECT_SOURCE_DIR}/lib/headers)\n"),
        (
            "CMakeLists.txt",
            "target_include_directories(x PUBLIC\n  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib/headers>)\n",
        ),
        ("Makefile", "CFLAGS += -Ilib/headers -O2\n"),
        ("setup.py", "include_dirs = [os.path.join(here, 'lib', 'headers')]\n"),
    ],
)
def test_include_folders_of_the_build_are_searched(name: str, text: str) -> None:
    files = {name: text, "lib/headers/my/shim.h": SHIM, "src/a.cpp": f"#include <my/shim.h>\n{USE}"}

    assert loud(files) == []


def test_a_toolkit_header_that_the_project_brings_itself_is_its_own() -> None:
    files = {"CMakeLists.txt": "include_directories(compat)\n", "a.cpp": "#include <cuda_runtime.h>\n"}

    assert loud({**files, "compat/cuda_runtime.h": "#include <hip/hip_runtime.h>\n"}) == []
    assert loud(files) == ["a.cpp"]


def test_a_library_that_is_carried_along_is_not_the_projects_own() -> None:
    files = {
        "CMakeLists.txt": "include_directories(third_party/cutlass/include)\n",
        "third_party/cutlass/include/cutlass/gemm/gemm.h": "",
        "a.hip": '#include "cutlass/gemm/gemm.h"\n',
    }

    assert loud(files) == ["a.hip"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", "from torch.utils.cpp_extension import CUDAExtension\next = CUDAExtension\n"),
        ("setup.py", "from torch.utils import cpp_extension\nm = cpp_extension.load('m', ['a.cu'])\n"),
        ("setup.py", "from torch.utils.hipify import hipify_python\n"),
        ("CMakeLists.txt", "execute_process(COMMAND ${PYTHON} -m hipify_torch ${SRC})\n"),
        ("cmake/hip.cmake", "add_custom_command(OUTPUT a.hip COMMAND hipify-perl a.cu -o a.hip)\n"),
        ("Makefile", "%.hip: %.cu\n\thipify-perl $< > $@\n"),
        ("tools/amd_build/build_amd.py", "from hipify import hipify_python\n"),
        ("scripts/hipify.sh", "#!/bin/sh\nhipify-perl -inplace *.cu\n"),
    ],
)
def test_names_in_a_project_that_is_translated_are_notes(name: str, text: str) -> None:
    files = {name: text, "csrc/a.cu": USE}

    assert loud(files) == []
    assert [f.severity for f in scan_all(files).findings if f.path == "csrc/a.cu"] == [Severity.NOTE]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists.txt", "# TODO: hipify this\n"),
        ("Makefile", "examine:\n\thipify-perl -examine a.cu\n"),
        ("README.md", "We hipify.\n"),
        ("CMakeLists.txt", "set_source_files_properties(csrc/a.cu PROPERTIES LANGUAGE HIP)\n"),
    ],
)
def test_a_mere_word_about_translation_changes_nothing(name: str, text: str) -> None:
    assert loud({name: text, "csrc/a.cu": USE}) == ["csrc/a.cu"]


def test_a_source_that_cmake_compiles_as_hip_is_not_translated_whatever_setup_py_does_with_others() -> None:
    files = {
        "setup.py": "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('x', ['b.cu'])\n",
        "CMakeLists.txt": "set_source_files_properties(a.cu PROPERTIES LANGUAGE HIP)\n",
        "a.cu": USE,
        "b.cu": USE,
    }

    assert loud(files) == ["a.cu"]


@pytest.mark.parametrize(
    ("nvidia", "amd"),
    [
        ("src/cuda/a.cpp", "src/hip/a.cpp"),
        ("src/a_cuda.cpp", "src/a_rocm.cpp"),
        ("src/a.cu", "src/a.hip"),
        ("src/a.cuda.cpp", "src/a.amd.cpp"),
        ("cuda/deep/cuda_a.h", "rocm/deep/rocm_a.h"),
    ],
)
def test_the_nvidia_twin_is_left_alone(nvidia: str, amd: str) -> None:
    assert loud({nvidia: USE, amd: ""}) == []
    assert loud({nvidia: USE, "other.txt": ""}) == [nvidia]


def test_twins_are_known_in_every_language() -> None:
    text = "RUN pip install nvidia-ml-py\n"
    alone = {"docker/Dockerfile.cuda": f"FROM ubuntu\n{text}"}

    assert scan_all({**alone, "docker/Dockerfile.rocm": "FROM rocm/dev\n"}).findings == ()


def test_a_header_that_is_only_included_for_nvidia_holds_notes() -> None:
    files = {
        "a.cu": '#ifndef USE_ROCM\n#include "k.cuh"\n#endif\n',
        "k.cuh": f'#include "deeper.cuh"\n{USE}',
        "deeper.cuh": USE,
    }

    assert loud(files) == []
    assert loud({**files, "b.cpp": '#include "deeper.cuh"\n'}) == ["deeper.cuh"]


@pytest.mark.parametrize(
    "definition",
    [
        "typedef void (*cudaHostFn_t)(void* user);\n",
        "typedef void (CUDART_CB *cudaHostFn_t)(void* user);\n",
    ],
)
def test_a_function_pointer_that_a_header_declares_is_the_projects_own(definition: str) -> None:
    files = {"a.h": definition, "a.cpp": '#include "a.h"\ncudaHostFn_t kept;\n'}

    assert loud(files) == []


def test_a_plain_word_that_a_stub_declares_is_the_projects_own() -> None:
    stub = (
        "typedef enum libraryPropertyType_t {\n  MAJOR\n} libraryPropertyType;\ntypedef void* gesvdjInfo_t;\n"
    )

    assert loud({"stub/cuda_common.h": stub}) == []


def test_a_header_may_use_what_a_cython_module_declares_before_it() -> None:
    module = "cdef extern from '../complex.h':\n    pass\ncdef extern from '../sparse.h' nogil:\n    pass\n"
    files = {
        "complex.h": "struct cuComplex{\n  float x, y;\n};\n",
        "sparse.h": "void axpy(cuComplex* x);\n",
        "libs/sparse.pyx": module,
    }

    assert loud(files) == []
    assert loud(files | {"libs/sparse.pyx": module.partition("\n    pass\n")[2]}) == ["sparse.h"]
