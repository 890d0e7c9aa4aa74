"""What stays an error in a project that translates: the names that its translator does not know."""

from __future__ import annotations

import pytest

from rocm_ci.model.finding import Severity
from tests.unit.scan.trees import scan_all

# torch's map has cudaMalloc; HIPIFY alone knows cuMemcpy2D (torch writes a name that HIP lacks) and
# cusolverDn.h; torch alone knows cuda_bf16.h and cusparseLt; none of them the last.
SOURCE = """\
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <cuda_bf16.h>
void f(void* p) {
  cudaMalloc(&p, 4);
  cuMemcpy2D(0);
  cusparseLtInit(0);
  cuFileDriverOpen();
}
"""
COMMON = {1, 5}
TORCH = COMMON | {3, 7}
HIPIFY = COMMON | {2, 6}
EVERY = TORCH | HIPIFY | {8}


def known(build: str, text: str, **more: str) -> set[int]:
    """Lines whose names the build translates, by what is no error."""
    files: dict[str, str | bytes] = {build: text, "csrc/a.cu": SOURCE, **more}
    found = [f for f in scan_all(files).findings if f.path == "csrc/a.cu"]
    assert {f.line for f in found} == EVERY
    return EVERY - {f.line for f in found if f.severity is Severity.ERROR}


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            "setup.py",
            "from torch.utils.cpp_extension import CUDAExtension\nx = [CUDAExtension('a', ['csrc/a.cu'])]\n",
        ),
        ("setup.py", "import torch.utils.cpp_extension as cpp_extension\ncpp_extension.load(name='a')\n"),
        ("op_builder/builder.py", "from torch.utils.hipify import hipify_python\n"),
        ("cmake/hipify.py", "from torch.utils.hipify.hipify_python import hipify\n"),
        ("CMakeLists.txt", "execute_process(COMMAND ${PYTHON} -m hipify_torch ${SRC})\n"),
        ("tools/amd_build/build_amd.py", "from hipify import hipify_python\n"),
    ],
)
def test_torch_translates_the_names_of_its_own_map(build: str, text: str) -> None:
    assert known(build, text) == TORCH


@pytest.mark.parametrize(
    ("build", "text"),
    [
        ("Makefile", "%.hip: %.cu\n\thipify-perl $< > $@\n"),
        ("scripts/hipify.sh", "#!/bin/sh\nhipify-clang --cuda-path=$CUDA csrc/a.cu\n"),
        ("cmake/hip.cmake", "add_custom_command(OUTPUT a.hip COMMAND hipify-perl a.cu -o a.hip)\n"),
    ],
)
def test_hipify_translates_the_names_of_its_tables(build: str, text: str) -> None:
    assert known(build, text) == HIPIFY


@pytest.mark.parametrize(
    ("build", "text"),
    [
        ("tools/cuda2hip.py", "print('turn cuda into hip')\n"),
        ("CMakeLists.txt", "include(cmake/ours.cmake)\nhipify(${SOURCES})\n"),
        ("setup.py", "from hipify_torch import hipify_python\nhipify_python.hipify(custom_map_list=ours)\n"),
        (
            "scripts/hipify.sh",
            "hipify-perl -inplace csrc/*.cu\nsed -i 's/cuFileDriverOpen/hipFileDriverOpen/' csrc/*.cu\n",
        ),
        (
            "setup.py",
            "from torch.utils.hipify import hipify_python\ntext = text.replace('cuMemcpy2D', 'hipMemcpyParam2D')\n",
        ),
    ],
)
def test_of_a_translator_with_names_of_its_own_nobody_knows_what_it_leaves(build: str, text: str) -> None:
    assert known(build, text) == EVERY


def test_a_build_file_that_only_speaks_of_hipify_does_not_hide_which_one_it_is() -> None:
    cmake = "add_custom_target(hipify_all COMMAND ${PYTHON} cmake/hipify.py)\n"

    assert (
        known(
            "CMakeLists.txt", cmake, **{"cmake/hipify.py": "from torch.utils.hipify import hipify_python\n"}
        )
        == TORCH
    )


def test_the_message_names_the_translator_that_leaves_a_name() -> None:
    setup = "from torch.utils.cpp_extension import CUDAExtension\n"

    found = scan_all({"setup.py": setup, "csrc/a.cu": "int f() { return cuMemcpy2D(0); }\n"}).findings

    assert [f.message for f in found] == [
        (
            "`cuMemcpy2D` is a name of the CUDA driver API; HIP's is `hipMemcpyParam2D`"
            " (torch's hipify, which this project runs, does not make that of it)"
        )
    ]
    assert "behind `USE_ROCM`" in (found[0].fix or "")


def test_of_two_translators_each_does_its_part() -> None:
    setup = "from torch.utils.cpp_extension import CUDAExtension\n"

    assert known("setup.py", setup, Makefile="a.hip:\n\thipify-perl csrc/a.cu > a.hip\n") == TORCH | HIPIFY
