"""Cython → what it takes from C headers, as device source for the rules of C."""

from __future__ import annotations

from rocm_ci.scan.embedded import device_sources
from rocm_ci.scan.language import Parsed
from rocm_ci.scan.languages.python import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source

PXD = """# cudaMalloc
cdef extern from "cuda_runtime.h" nogil:
    ctypedef int cudaError_t
    cudaError_t cudaMalloc(void** p, size_t n)

cdef extern from "<nccl.h>":
    pass

def f():
    \"\"\"cudaFree(p)\"\"\"
    s = "cudaFree(p)"
    return cudaFree(NULL)
"""


def parsed(text: str, path: str = "a.pyx") -> Parsed:
    return LANGUAGE.parse(Source(path, text, tuple(text.split("\n"))))


def test_headers_and_functions_of_c_are_handed_out_where_they_stand() -> None:
    found = parsed(PXD)
    kernels = [(r.line, r.text) for r in found.regions if r.kind is RegionKind.KERNEL]

    assert kernels == [
        (2, '#include "cuda_runtime.h"'),
        (6, '#include "nccl.h"'),
        (4, "cudaMalloc()"),
        (12, "cudaFree()"),
    ]
    lines = PXD.split("\n")
    includes = [
        r for inner, _ in device_sources(found) for r in inner.regions if r.kind is RegionKind.INCLUDE
    ]
    assert [lines[r.line - 1][r.column - 1 :].split('"')[0].strip(":> ") for r in includes] == [
        "cuda_runtime.h",
        "nccl.h",
    ]


def test_imports_of_cython_are_imports() -> None:
    text = "from cuda.bindings.cydriver cimport CUstream\ncimport cython\nimport pynvml\n"

    assert [r.text for r in parsed(text).regions if r.kind is RegionKind.INCLUDE] == [
        "cuda.bindings.cydriver",
        "cython",
        "pynvml",
    ]


def test_compile_time_conditions_may_guard() -> None:
    text = "IF CUPY_HIP_VERSION > 0:\n    import a_lib\nELSE:\n    import pynvml\nimport nvtx\n"
    found = {r.text: r.guard for r in parsed(text, "a.pxi").regions}

    assert found == {"a_lib": Guard.EITHER, "pynvml": Guard.EITHER, "nvtx": Guard.NONE}


def test_build_options_in_comments_are_options() -> None:
    text = "# distutils: language = c++\n# distutils: libraries = cudart m\n# libraries = cublas\nx = 1\n"

    options = [
        (r.line, r.column, r.text, r.context) for r in parsed(text).regions if r.kind is RegionKind.VALUE
    ]
    assert options == [(2, 26, "cudart", ("kw:libraries",)), (2, 33, "m", ("kw:libraries",))]
