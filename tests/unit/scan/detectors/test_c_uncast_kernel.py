"""Kernels handed to HIP by name, and the cast that mends it."""

from __future__ import annotations

import pytest

from rocm_ci.model.edit import patched
from rocm_ci.model.finding import Severity
from rocm_ci.scan.detectors import c_uncast_kernel
from tests.unit.scan.detectors.seen import seen
from tests.unit.scan.trees import scan_all

SET = "hipFuncSetAttribute"
KERNELS = "__global__ void k(int* p) {}\ntemplate <typename T, int N> __global__ void t(T* p) {}\n"


@pytest.mark.parametrize(
    "call",
    [
        "hipFuncSetAttribute(k, kind, 1);",
        "hipFuncSetAttribute(&k, kind, 1);",
        "hipFuncSetAttribute(t<float, 4>, kind, 1);",
        "hipFuncSetAttribute(ns::t<std::pair<int, int>, 4>, kind, 1);",
        "auto kernel = t<float, 4>; hipFuncSetAttribute(kernel, kind, 1);",
        "constexpr auto kernel = k; hipFuncSetAttribute(kernel, kind, 1);",
        "hipFuncSetAttribute(elsewhere, kind, 1); elsewhere<<<1, 64>>>(p);",
        "Chosen kernel = choose(); hipFuncSetAttribute(kernel, kind, 1); kernel<<<1, 64>>>(p);",
        "void (*kernel)(int*) = k; hipFuncSetAttribute(kernel, kind, 1);",
    ],
)
def test_a_kernel_is_known_by_its_template_its_definition_or_its_variable(call: str) -> None:
    assert seen(c_uncast_kernel.DETECTOR, f"{KERNELS}void f() {{ {call} }}") == [(3, SET)]


@pytest.mark.parametrize(
    "call",
    [
        "hipFuncSetAttribute((const void*)k, kind, 1);",
        "hipFuncSetAttribute((void*)t<float, 4>, kind, 1);",
        "hipFuncSetAttribute(reinterpret_cast<const void*>(&k), kind, 1);",
        "hipFuncSetAttribute(unknown, kind, 1);",
        "const void* k = other(); hipFuncSetAttribute(k, kind, 1);",
        "auto kernel = reinterpret_cast<void*>(t<float, 4>); hipFuncSetAttribute(kernel, kind, 1);",
        "auto kernel = k; hipFuncSetAttribute(&kernel, kind, 1);",
        "hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 64, 0);",
        "object.hipFuncSetAttribute(k, kind, 1);",
    ],
)
def test_a_cast_an_unknown_name_and_functions_with_a_template_are_left_alone(call: str) -> None:
    assert seen(c_uncast_kernel.DETECTOR, f"{KERNELS}void f() {{ {call} }}") == []


def build(translator: str) -> dict[str, str | bytes]:
    text = f"{KERNELS}void f() {{\n  CHECK(cudaFuncSetAttribute(t<float, 4>, kind, 1));\n}}\n"
    return {"setup.py": f'from {translator}\nx = CUDAExtension("x", ["x.cu"])\n', "x.cu": text}


def test_the_repair_is_the_cast_and_as_right_for_nvidia() -> None:
    files = build("torch.utils.cpp_extension import CUDAExtension")
    (found,) = [f for f in scan_all(files).findings if f.rule == "uncast-kernel"]

    assert found.severity is Severity.ERROR
    assert not found.unsafe
    assert "USE_ROCM" not in (found.fix or "")
    mended = patched(str(files["x.cu"]).split("\n"), found.edits)
    assert mended[3] == "  CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(t<float, 4>), kind, 1));"


def test_a_kernel_that_is_written_over_lines_is_mended_in_place() -> None:
    text = f"{KERNELS}void f() {{\n  hipFuncGetAttributes(&a,\n    t<float,\n      4>);\n}}\n"
    (found,) = [f for f in scan_all({"x.hip": text}).findings if f.rule == "uncast-kernel"]

    mended = patched(text.split("\n"), found.edits)
    assert mended[4:6] == ["    reinterpret_cast<const void*>(t<float,", "      4>));"]


def test_hipify_perl_writes_the_cast_itself() -> None:
    files: dict[str, str | bytes] = {
        "build.sh": "hipify-perl x.cu > x.hip\n",
        "x.cu": build("x import y")["x.cu"],
    }
    (found,) = [f for f in scan_all(files).findings if f.rule == "uncast-kernel"]

    assert found.severity is Severity.NOTE
