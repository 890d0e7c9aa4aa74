"""CMake → regions with guards."""

from __future__ import annotations

import pytest

from rocm_ci.scan.languages.cmake import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places, regions

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER


def cut(text: str, path: str = "CMakeLists.txt") -> dict[str, Guard]:
    return guards(LANGUAGE, text, path, code=False)


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        ("USE_CUDA", NV, AMD),
        ("NOT USE_CUDA", AMD, NV),
        ("USE_HIP", AMD, NV),
        ("NOT USE_ROCM AND CMAKE_CUDA_COMPILER", NV, NONE),
        ("USE_CUDA OR USE_HIP", NONE, NV),
        ("USE_CUDA AND (A OR B)", NV, NONE),
        ('BACKEND STREQUAL "cuda"', NV, AMD),
        ('"${BACKEND}" STREQUAL "HIP"', AMD, NV),
        ('GPU_BACKEND MATCHES "cuda|nvidia"', NV, AMD),
        ("CUDAToolkit_FOUND", NV, NONE),
        ("TARGET CUDA::cudart", NV, NONE),
        ("DEFINED ENV{CUDA_HOME}", NV, NONE),
        ("CUDA_VERSION VERSION_GREATER 11", NV, NONE),
        ("USE_CUDA EQUAL 0", AMD, NV),
        ("WIN32", NONE, NONE),
        ('CMAKE_HIP_PLATFORM STREQUAL "amd"', AMD, NV),
        ('CMAKE_HIP_PLATFORM STREQUAL "nvidia"', NV, AMD),
    ],
)
def test_a_condition_guards_both_branches(condition: str, then: Guard, otherwise: Guard) -> None:
    found = cut(f"if({condition})\n set(V then)\nelse()\n set(W otherwise)\nendif()\nset(X after)\n")

    assert (found["then"], found["otherwise"], found["after"]) == (then, otherwise, NONE)


def test_elseif_knows_that_the_first_branch_was_not_taken() -> None:
    found = cut("if(USE_HIP)\nset(A a)\nelseif(X)\nset(B b)\nelse()\nset(C c)\nendif()\n")

    assert (found["a"], found["b"], found["c"]) == (AMD, NV, NV)


def test_return_in_a_branch_guards_what_follows() -> None:
    assert cut("if(NOT USE_CUDA)\nreturn()\nendif()\nset(A a)\n")["a"] is NV


def test_nested_conditions_add_up() -> None:
    found = cut("if(X)\nif(USE_CUDA)\nset(A a)\nendif()\nset(B b)\nendif()\n")

    assert (found["a"], found["b"]) == (NV, NONE)


@pytest.mark.parametrize(
    ("argument", "guard"),
    [
        ("$<$<COMPILE_LANGUAGE:CUDA>:-a>", NV),
        ("$<$<COMPILE_LANGUAGE:HIP>:-a>", AMD),
        ("$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-a>", AMD),
        ("$<$<BOOL:${USE_CUDA}>:-a>", NV),
        ("$<$<COMPILE_LANGUAGE:CXX>:-a>", NONE),
        ("$<INSTALL_INTERFACE:-a>", NONE),
        ("$<IF:$<BOOL:${USE_HIP}>,-b,-a>", NV),
        ("$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:Debug>>:-a>", NV),
        ("$<$<OR:$<COMPILE_LANGUAGE:CUDA>,$<COMPILE_LANGUAGE:HIP>>:-a>", NONE),
        ("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-a>", NV),
        ("$<TARGET_NAME_IF_EXISTS:-a>", EITHER),
    ],
)
def test_generator_expressions_guard_their_text(argument: str, guard: Guard) -> None:
    assert cut(f"target_compile_options(t PRIVATE {argument})")["-a"] is guard


def test_a_generator_expression_goes_on_over_blanks() -> None:
    found = cut("target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-a -b> -c)")

    assert (found["-b"], found["-c"]) == (NV, NONE)


def test_a_search_that_may_come_back_empty_is_a_probe() -> None:
    assert cut("find_package(CUDAToolkit QUIET)")["CUDAToolkit"] is EITHER
    assert cut("find_package(CUDAToolkit REQUIRED)")["CUDAToolkit"] is NONE


def test_defaults_that_a_user_can_override_say_so() -> None:
    text = 'set(ROCM_PATH "/opt/rocm" CACHE PATH "root")\nset(X "/opt/rocm-6")'

    assert "cache" in context_of(LANGUAGE, text, "CMakeLists.txt", "/opt/rocm")
    assert "cache" not in context_of(LANGUAGE, text, "CMakeLists.txt", "/opt/rocm-6")


def test_comments_and_messages_are_left_out() -> None:
    text = "# nvcc\n#[[ nvcc\n nvcc ]] set(A a)\nmessage(STATUS nvcc)\nset(B [=[nv]]cc]=])\n"

    assert places(LANGUAGE, text, "a.cmake", RegionKind.VALUE) == [
        (3, 14, "A"),
        (3, 16, "a"),
        (5, 5, "B"),
        (5, 10, "nv]]cc"),
    ]


def test_arguments_over_several_lines_stand_where_they_are_written() -> None:
    text = 'list(APPEND FLAGS\n  -O3 # why\n  "a;\n   b")\n'

    assert places(LANGUAGE, text, "a.cmake", RegionKind.VALUE)[2:] == [
        (2, 3, "-O3"),
        (3, 4, "a;"),
        (4, 4, "b"),
    ]
    assert "variable:FLAGS" in context_of(LANGUAGE, text, "a.cmake", "-O3")


def test_commands_are_compared_without_case() -> None:
    text = "Find_Package(CUDA REQUIRED)"

    assert places(LANGUAGE, text, "a.cmake", RegionKind.CODE) == [(1, 1, "Find_Package")]
    assert "command:find_package" in context_of(LANGUAGE, text, "a.cmake", "CUDA")


def test_a_helper_for_cuda_is_harmless_until_it_is_called() -> None:
    helper = "function(add_cuda_lib name)\n  enable_language(CUDA)\nendfunction()\n"

    assert cut(helper)["CUDA"] is NV
    assert cut(helper + "add_cuda_lib(a)\n")["CUDA"] is NONE
    assert cut(helper + "set(A a)\n")["a"] is NONE


@pytest.mark.parametrize(
    ("path", "guard"), [("cmake/cuda.cmake", NV), ("cmake/FindCUDNN.cmake", NV), ("hip/CMakeLists.txt", AMD)]
)
def test_a_path_says_for_whom_a_file_is(path: str, guard: Guard) -> None:
    assert cut("set(A a)", path)["a"] is guard


@pytest.mark.parametrize(
    "text",
    [
        "",
        "set(",
        'set(A "',
        "endif()",
        "else()",
        "endfunction()",
        "#[[",
        "if(",
        "set(A [[",
        "(((",
        "if(NOT)\n",
    ],
)
def test_broken_input_does_not_raise(text: str) -> None:
    LANGUAGE.parse(Source("CMakeLists.txt", text, tuple(text.split("\n"))))


def test_every_region_is_one_line() -> None:
    assert all("\n" not in r.text for r in regions(LANGUAGE, 'set(A "b\nc")\n', "CMakeLists.txt"))


def test_what_a_helper_for_cuda_computed_is_a_probe() -> None:
    text = "cuda_archs_common(ARCHS a b)\nif(ARCHS)\nset(A x)\nendif()\nif(OTHER)\nset(B y)\nendif()\n"
    found = {r.text: r.guard for r in regions(LANGUAGE, text, "CMakeLists.txt") if r.kind is RegionKind.VALUE}

    assert (found["x"], found["y"]) == (NV, NONE)
